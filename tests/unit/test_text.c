/* "Did you mean": the nearest word. */
#include "test.h"

#include "base/text.h"

static const char *const keys[] = {"density", "young", "poisson", "friction", "friction_iterations",
                                   "x"};

static const char *closest(const char *word)
{
    return text_closest(word, keys, sizeof keys / sizeof keys[0]);
}

static void expect(const char *word, const char *choice)
{
    const char *found = closest(word);
    CHECK(choice ? found && strcmp(found, choice) == 0 : found == NULL);
    if (choice ? !found || strcmp(found, choice) != 0 : found != NULL)
        printf("  \"%s\" gave \"%s\"\n", word, found ? found : "nothing");
}

TEST(typing_mistakes_are_recognised)
{
    expect("densty", "density");   /* left out */
    expect("deensity", "density"); /* doubled */
    expect("dnesity", "density");  /* swapped */
    expect("denzity", "density");  /* replaced */
    expect("Friction-Iterations", "friction_iterations");
    expect("yung", "young");
}

TEST(exact_words_win)
{
    expect("friction", "friction");
    expect("x", "x");
}

TEST(far_words_give_nothing)
{
    expect("velocity_of_light", NULL);
    expect("q", NULL);
    expect("", NULL);
    char longest[200];
    memset(longest, 'd', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    expect(longest, NULL);
    CHECK(text_closest("density", NULL, 0) == NULL);
}

int main(void)
{
    RUN(typing_mistakes_are_recognised);
    RUN(exact_words_win);
    RUN(far_words_give_nothing);
    return TEST_END();
}
