/* Densities of cells: mass and centre of another body. */
#include "base/memory.h"
#include "fem/density_fit.h"
#include "mesh/generate.h"
#include "mesh/mesh_io.h"
#include "test.h"

static void totals(const cell_moment *cells, size_t count, const double *density, double *mass,
                   vec3 *moment)
{
    *mass = 0;
    *moment = (vec3){0};
    for (size_t i = 0; i < count; i++) {
        double d = density ? density[i] : 1000;
        *mass += d * cells[i].volume;
        *moment = vec3_mul_add(*moment, d, cells[i].first);
    }
}

TEST(moments_of_a_box)
{
    mesh box;
    abut_error err;
    CHECK_OK(generate_box((vec3){1, 2, 3}, (int[3]){2, 2, 2}, &box, &err), err);
    mesh_transform(&box, (vec3){1, 1, 1}, (vec3){0}, (vec3){4, 5, 6});
    cell_moment *cells;
    size_t count;
    CHECK_OK(cell_moments(&box, 3, &cells, &count, &err), err);
    double mass;
    vec3 moment;
    totals(cells, count, NULL, &mass, &moment);
    CHECK(count == 48);
    CHECK_NEAR(mass, 6000, 1e-9);
    CHECK_NEAR(moment.x / mass, 4, 1e-12);
    CHECK_NEAR(moment.z / mass, 6, 1e-12);
    mem_free(cells);
    mesh_free(&box);
}

static void check_fit(vec3 shift, double factor, bool expected)
{
    mesh box;
    abut_error err;
    CHECK_OK(generate_box((vec3){1, 1, 1}, (int[3]){3, 3, 3}, &box, &err), err);
    cell_moment *cells;
    size_t count;
    CHECK_OK(cell_moments(&box, 3, &cells, &count, &err), err);
    double *density = mem_alloc(count, sizeof *density), mass = 1000 * factor, found;
    vec3 moment = vec3_scale(mass, shift), first;
    abut_status status = fit_densities(cells, count, 1000, mass, moment, density, &err);
    CHECK((status == ABUT_OK) == expected);
    if (status == ABUT_OK) {
        totals(cells, count, density, &found, &first);
        CHECK_NEAR(found, mass, 1e-7 * mass);
        CHECK(vec3_norm(vec3_sub(first, moment)) < 1e-7 * mass);
        for (size_t i = 0; i < count; i++) CHECK(density[i] >= 0.049 * 1000 * factor);
    } else {
        CHECK(strstr(err.message, "no positive densities") != NULL);
    }
    mem_free(density);
    mem_free(cells);
    mesh_free(&box);
}

TEST(mass_and_centre_are_met)
{
    check_fit((vec3){0}, 1, true);
    check_fit((vec3){0.05, -0.03, 0.02}, 1.2, true);
    check_fit((vec3){0.25, 0.2, 0}, 0.9, true); /* needs the floor */
    check_fit((vec3){0.7, 0, 0}, 1, false);     /* outside of the body */
}

/* The published pair of bodies: 5,943 and 585 tets. */
TEST(armadillo)
{
    const char *folder = test_data_folder();
    if (!folder) return;
    static const char *const names[] = {"armadillo.msh", "armadillo-coarse.msh"};
    cell_moment *cells[2] = {NULL};
    size_t count[2] = {0};
    for (int i = 0; i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/high-order-ipc/meshes/armadillo-standing/%s", folder,
                 names[i]);
        mesh m;
        abut_error err;
        if (mesh_read(path, NULL, &m, &err) != ABUT_OK) {
            mem_free(cells[0]);
            return;
        }
        CHECK_OK(cell_moments(&m, 3, &cells[i], &count[i], &err), err);
        mesh_free(&m);
    }
    double mass, found;
    vec3 moment, first;
    abut_error err;
    totals(cells[0], count[0], NULL, &mass, &moment);
    double *density = mem_alloc(count[1], sizeof *density);
    CHECK_OK(fit_densities(cells[1], count[1], 1000, mass, moment, density, &err), err);
    totals(cells[1], count[1], density, &found, &first);
    printf("  fine %.4f kg at (%.5f, %.5f, %.5f)\n", mass, moment.x / mass, moment.y / mass,
           moment.z / mass);
    CHECK_NEAR(found, mass, 1e-7 * mass);
    CHECK(vec3_norm(vec3_sub(first, moment)) < 1e-7 * mass);
    mem_free(density);
    mem_free(cells[0]);
    mem_free(cells[1]);
}

int main(void)
{
    RUN(moments_of_a_box);
    RUN(mass_and_centre_are_met);
    RUN(armadillo);
    return TEST_END();
}
