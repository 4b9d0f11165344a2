int test_support_present(void);
int test_support_present(void) { return 1; }
