/* Random and adversarial queries against the exact oracle; the long test runs many more. */
#include "support/ccd_campaign.h"
#include "test.h"

TEST(every_answer_is_conservative_and_within_its_tolerance)
{
    ccd_campaign campaign = {
        .seed = 1, .queries = 120000, .distance_every = 16, .bisection_every = 8};
    ccd_campaign_run(&campaign);
    CHECK(campaign.faults == 0);
    CHECK(campaign.within > 500);
    CHECK(campaign.hits > campaign.queries / 10);     /* the generators do produce contacts ... */
    CHECK(campaign.hits < campaign.queries * 9 / 10); /* ... and misses */
}

int main(void)
{
    RUN(every_answer_is_conservative_and_within_its_tolerance);
    return TEST_END();
}
