/* A thousand surfaces with all that is wrong with surfaces (tests/support/surface_maker.h), up to
 * 200,000 triangles: each becomes a valid solid or is refused with a reason. */
#include "test.h"

#include "base/parallel.h"
#include "support/fill_campaign.h"

TEST(thousand_surfaces)
{
    fill_tally tally = {.smallest = 180};
    for (uint64_t seed = 0; seed < 1000; seed++) {
        size_t triangles = seed % 100 == 99 ? 200000 : seed % 10 == 9 ? 20000 : 100 + 4 * seed;
        fill_campaign(seed, triangles, 5 + (int)(seed % 26), &tally);
        if (seed % 100 == 99) {
            printf("%4d: %zu embedded, %zu as cages, %zu refused\n", (int)seed + 1, tally.embedded,
                   tally.caged, tally.refused);
            fflush(stdout);
        }
    }
    printf("angles %.1f to %.1f, weights up to %.2f, %zu vertices outside\n", tally.smallest,
           tally.largest, tally.largest_weight, tally.outside);
    CHECK(tally.failures == 0);
    CHECK(tally.embedded >= 400);
    CHECK(tally.caged >= 100);
    CHECK(tally.refused <= 100);
}

int main(void)
{
    parallel_set_threads(1);
    RUN(thousand_surfaces);
    return TEST_END();
}
