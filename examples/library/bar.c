/* Steps a bar through the library: cc bar.c $(pkg-config --cflags --libs abut) && ./a.out SCENE */
#include <abut/abut.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    abut_error error;
    abut_sim *sim;
    if (abut_sim_load(argc > 1 ? argv[1] : "cantilever.json", NULL, &sim, &error) != ABUT_OK)
        return fprintf(stderr, "%s: %s\n", error.place, error.message), 1;
    const double *tip = abut_sim_positions(sim) + 3 * (abut_sim_node_count(sim) - 1);
    for (int i = 0; i < 10 && abut_sim_step(sim, &error) == ABUT_OK; i++)
        printf("%.2f s: the tip is at height %.6f m\n", abut_sim_time(sim), tip[1]);
    abut_sim_destroy(sim);
    return 0;
}
