/* Forty of the surfaces of tests/long/test_fill_long.c, small ones. */
#include "test.h"

#include "base/parallel.h"
#include "support/fill_campaign.h"

TEST(random_surfaces)
{
    fill_tally tally = {.smallest = 180};
    for (uint64_t seed = 0; seed < 40; seed++)
        fill_campaign(seed, 200 + 50 * seed, 6 + (int)(seed % 9), &tally);
    printf("%zu embedded, %zu as cages, %zu refused; angles %.1f to %.1f, weights up to %.2f, %zu "
           "vertices outside\n",
           tally.embedded, tally.caged, tally.refused, tally.smallest, tally.largest,
           tally.largest_weight, tally.outside);
    CHECK(tally.failures == 0);
    CHECK(tally.embedded >= 20);
    CHECK(tally.caged >= 4);
    CHECK(tally.refused <= 10);
}

int main(void)
{
    parallel_set_threads(1);
    RUN(random_surfaces);
    return TEST_END();
}
