/* Stress, stretches and energy of every kind and order of element against the closed form of a
 * uniform deformation with rotation; probes and cuts against the same. */
#include "test.h"

#include "base/file.h"
#include "math/rotation.h"
#include "output/frame.h"

#include <abut/sim.h>
#include <unistd.h>

static char folder[64];
static const double MU = 1e5 / 2.6, LAMBDA = 1e5 * 0.3 / (1.3 * 0.4);

static abut_sim *load(const char *text)
{
    abut_error err;
    abut_sim *sim = NULL;
    char path[200];
    path_join(path, sizeof path, folder, "scene.json");
    CHECK_OK(atomic_write(path, text, strlen(text), &err), err);
    CHECK_OK(abut_sim_load(path, NULL, &sim, &err), err);
    return sim;
}

static void run_into(abut_sim *sim, int64_t steps)
{
    abut_error err;
    char path[200];
    path_join(path, sizeof path, folder, "run");
    abut_run_options options = abut_default_run_options();
    options.folder = path;
    options.steps = steps;
    CHECK_OK(abut_sim_run(sim, &options, &err), err);
}

/* Turned by 30 degrees about z after a stretch and a shear in the plane. */
static mat3 deformation(void)
{
    double c = sqrt(0.75), s = 0.5;
    mat3 turn = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}},
         shape = {{{1.2, 0.3, 0}, {0, 0.9, 0}, {0, 0, 1}}};
    return mat3_mul(turn, shape);
}

static void deform(abut_sim *sim, mat3 f)
{
    double *x = abut_sim_positions(sim);
    for (size_t i = 0; i < abut_sim_node_count(sim); i++)
        vec3_store(x + 3 * i, mat3_mul_vec(f, vec3_load(x + 3 * i)));
}

/* The 16 numbers: Cauchy's, the second of Piola and Kirchhoff, stretches, energy. */
static void expected(mat3 f, double out[16])
{
    double j = mat3_determinant(f), l = log(j);
    mat3 b = mat3_mul(f, mat3_transpose(f)), c = mat3_inverse(mat3_mul(mat3_transpose(f), f));
    mat3 sigma = mat3_zero(), second = mat3_zero();
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double one = i == k;
            sigma.m[i][k] = (MU * (b.m[i][k] - one) + LAMBDA * l * one) / j;
            second.m[i][k] = MU * (one - c.m[i][k]) + LAMBDA * l * c.m[i][k];
        }
    const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    for (int k = 0; k < 6; k++) {
        out[k] = sigma.m[at[k][0]][at[k][1]];
        out[6 + k] = second.m[at[k][0]][at[k][1]];
    }
    /* Of the plane: s1 s2 = j, s1^2 + s2^2 = the trace of b without its last entry. */
    double trace = b.m[0][0] + b.m[1][1], s1 = sqrt((trace + sqrt(trace * trace - 4 * j * j)) / 2);
    out[12] = s1;
    out[13] = fmax(j / s1, 1);
    out[14] = fmin(j / s1, 1);
    out[15] = MU / 2 * (trace - 2) - MU * l + LAMBDA / 2 * l * l;
}

static void check_field(const frame *f, frame_location place, const char *name, int components,
                        const double *wanted, int32_t body)
{
    const frame_field *field = frame_find(f, place, name);
    const frame_field *of = frame_find(f, FRAME_POINTS, FIELD_BODY);
    CHECK(field && field->components == components && of);
    size_t count = place == FRAME_POINTS ? f->point_count : frame_cell_count(f), seen = 0;
    for (size_t i = 0; field && of && i < count; i++) {
        if (place == FRAME_POINTS && of->ints[i] != body) continue;
        if (place == FRAME_CELLS && isnan(field->doubles[(size_t)components * i])) continue;
        seen++;
        for (int k = 0; k < components; k++)
            CHECK_NEAR(field->doubles[(size_t)components * i + (size_t)k], wanted[k],
                       1e-8 * (1 + fabs(wanted[k])));
    }
    CHECK(seen > 0);
}

static void check_frame(const char *series, bool cells)
{
    abut_error err;
    stored_frame f;
    char path[200];
    double wanted[16];
    snprintf(path, sizeof path, "%s/run/%sframes/frame_000000.vtu", folder, series);
    CHECK_OK(frame_read(path, &f, &err), err);
    expected(deformation(), wanted);
    for (int place = FRAME_POINTS; place <= (cells ? FRAME_CELLS : FRAME_POINTS); place++) {
        check_field(&f.frame, place, FIELD_CAUCHY_STRESS, 6, wanted, 0);
        check_field(&f.frame, place, FIELD_SECOND_PIOLA_STRESS, 6, wanted + 6, 0);
        check_field(&f.frame, place, FIELD_PRINCIPAL_STRETCHES, 3, wanted + 12, 0);
        check_field(&f.frame, place, FIELD_ENERGY_DENSITY, 1, wanted + 15, 0);
    }
    stored_frame_free(&f);
}

#define FIELDS                                                                                     \
    "\"fields\": [\"cauchy_stress\", \"second_piola_stress\", \"principal_stretches\", "           \
    "\"energy_density\", \"von_mises\"], \"formats\": [\"vtu\", \"volume\"]"

TEST(every_kind_and_order)
{
    for (int order = 0; order <= 4; order++)
        for (int planar = 0; planar < 2; planar++) {
            char text[1000], with[40] = "";
            if (order > 0) snprintf(with, sizeof with, "\"order\": %d,", order);
            snprintf(
                text, sizeof text,
                "{\"abut\": 1, \"planar\": %s, \"time\": {\"step\": 0.01, \"steps\": 1}, "
                "\"contact\": {\"enabled\": false}, \"bodies\": [{\"name\": \"b\", %s \"mesh\": "
                "%s, \"material\": {\"young\": 1e5, \"poisson\": 0.3}}], \"output\": {" FIELDS
                ", \"probes\": [{\"name\": \"p\", \"body\": \"b\", \"at\": [0.1, 0.2, 0], "
                "\"field\": \"cauchy_stress\"}, {\"name\": \"q\", \"body\": \"b\", \"at\": [0.1, "
                "0.2, 0]}]}}",
                planar ? "true" : "false", with,
                planar ? "{\"grid\": {\"size\": [1, 1], \"cells\": [2, 2]}}, \"rotate\": [90, 0, 0]"
                       : "{\"box\": {\"size\": [1, 1, 1], \"cells\": [2, 1, 2]}}");
            abut_sim *sim = load(text);
            if (!sim) continue;
            deform(sim, deformation());
            run_into(sim, 0);
            abut_sim_destroy(sim);
            check_frame("", order == 0 && !planar);
            if (order > 1 || planar) check_frame("volume/", true);
            char path[200];
            file_bytes csv;
            abut_error err;
            double step, time, v[9], wanted[16];
            path_join(path, sizeof path, folder, "run/probes.csv");
            CHECK_OK(file_read(path, &csv, &err), err);
            const char *row = strchr(csv.data, '\n') + 1;
            CHECK(sscanf(row, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &step, &time, v, v + 1,
                         v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8) == 11);
            expected(deformation(), wanted);
            for (int k = 0; k < 6; k++) CHECK_NEAR(v[k], wanted[k], 1e-8 * (1 + fabs(wanted[k])));
            vec3 q = mat3_mul_vec(deformation(), (vec3){0.1, 0.2, 0});
            CHECK_NEAR(v[6], q.x, 1e-12);
            CHECK_NEAR(v[7], q.y, 1e-12);
            file_free(&csv);
        }
}

/* A bar that hangs: what goes through a cut is the weight below it, for every order. */
TEST(weight_below_a_cut)
{
    for (int order = 0; order <= 2; order++) {
        char text[1200], with[40] = "";
        if (order > 0) snprintf(with, sizeof with, "\"order\": %d,", order);
        snprintf(
            text, sizeof text,
            "{\"abut\": 1, \"time\": {\"step\": 1, \"steps\": 1, \"integrator\": "
            "\"quasi-static\"}, \"contact\": {\"enabled\": false}, \"solver\": {\"tolerance\": "
            "1e-10}, \"bodies\": [{\"name\": \"bar\", %s \"mesh\": {\"box\": {\"size\": [0.1, 1, "
            "0.1], \"cells\": [1, 5, 1]}}, \"material\": {\"young\": 1e6, \"poisson\": 0.3, "
            "\"density\": 1000}, \"fix\": [{\"nodes\": {\"relative_box\": [[0, 1, 0], [1, 1, "
            "1]]}}]}], \"output\": {\"probes\": [{\"name\": \"c\", \"body\": \"bar\", \"cut\": "
            "{\"point\": [0, 0.35, 0], \"normal\": [0, -1, 0]}}, {\"name\": \"low\", \"body\": "
            "\"bar\", \"all\": true, \"take\": \"min\"}]}}",
            with);
        abut_sim *sim = load(text);
        run_into(sim, 1);
        abut_sim_destroy(sim);
        char path[200];
        file_bytes csv;
        abut_error err;
        double v[11];
        path_join(path, sizeof path, folder, "run/probes.csv");
        CHECK_OK(file_read(path, &csv, &err), err);
        const char *row = strchr(strchr(csv.data, '\n') + 1, '\n') + 1;
        for (int k = 0; k < 11; k++) {
            char *end;
            v[k] = strtod(row, &end);
            row = end + 1;
        }
        /* Nodes in front of the plane carry their shares of the mass: with linear elements four
         * and a half layers of the five. */
        double behind = order == 2 ? 0.8 + 0.2 / 6 : 0.9;
        CHECK_NEAR(v[3], 9.81 * 10 * behind, order == 2 ? 2 : 1e-4);
        CHECK(v[9] < -0.5 && v[9] > -0.52); /* E: sag of rho g L^2 / (2 E) = 5 mm */
        file_free(&csv);
    }
}

int main(void)
{
    strcpy(folder, "/tmp/abut_stress_XXXXXX");
    if (!mkdtemp(folder)) return 1;
    RUN(every_kind_and_order);
    RUN(weight_below_a_cut);
    char line[200];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    if (system(line) != 0) return 1;
    return TEST_END();
}
