/* Distances and continuous collision detection of single pairs.
 *
 *     cc pairs.c $(pkg-config --cflags --libs abut) -o pairs && ./pairs
 */
#include <abut/abut.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    /* A point one unit above a triangle... */
    const double start[12] = {0.25, 0.25, 1, /* p */ 0, 0, 0, /* a */ 1, 0, 0, /* b */ 0, 1, 0};
    double weights[4];
    double distance = sqrt(abut_distance_squared(ABUT_POINT_TRIANGLE, start, weights, NULL, NULL));
    printf("distance %g, nearest point %g a + %g b + %g c\n", distance, -weights[1], -weights[2],
           -weights[3]);

    /* ... falls through it while the triangle stays. */
    const double end[12] = {0.25, 0.25, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    abut_error error;
    abut_ccd_result through;
    if (abut_ccd_pair(ABUT_POINT_TRIANGLE, start, end, NULL, &through, &error) != ABUT_OK) {
        fprintf(stderr, "%s: %s\n", error.place, error.message);
        return 1;
    }
    printf("hit: %s, not before t = %g (exactly 0.5)\n", through.hit ? "yes" : "no", through.time);

    /* The same with a minimum separation of 0.1: the impact comes earlier, at t = 0.45. */
    abut_ccd_options options = abut_default_ccd_options();
    options.separation = 0.1;
    options.method = ABUT_CCD_ADDITIVE;
    abut_ccd_result apart;
    if (abut_ccd_pair(ABUT_POINT_TRIANGLE, start, end, &options, &apart, &error) != ABUT_OK) {
        fprintf(stderr, "%s: %s\n", error.place, error.message);
        return 1;
    }
    printf("with separation: not before t = %g (exactly 0.45)\n", apart.time);

    /* The promise: never too late, and not much too early. */
    return through.hit && through.time <= 0.5 && through.time > 0.4999 && apart.hit &&
                   apart.time <= 0.45 && apart.time > 0.4499 && fabs(distance - 1) < 1e-12
               ? 0
               : 1;
}
