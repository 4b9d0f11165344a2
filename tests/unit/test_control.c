/* Control while it runs (abut/control.h): targets, changes of the scene, forces of contact, events,
 * copies. */
#include "sim/sim.h"
#include "test.h"

#include <abut/abut.h>

static abut_error err;

#define BOX(name, type, height, more)                                                              \
    "{\"name\": \"" name "\", \"type\": \"" type "\", \"mesh\": {\"box\": {\"size\": [0.1, 0.1, "  \
    "0.1], \"cells\": [2, 2, 2]}}, \"translate\": [0.01, " height ", 0.02]" more "}"
#define JELLY ", \"material\": \"jelly\""
#define SCENE(solver, bodies)                                                                      \
    "{\"abut\": 1, \"time\": {\"step\": 0.01, \"end\": 1}, \"ground\": -0.055, " solver            \
    "\"contact\": {\"friction\": 0.2}, \"materials\": {\"jelly\": {\"young\": 2e5, \"poisson\": "  \
    "0.4, \"damping\": 0.002}}, \"bodies\": [" bodies "]}"
#define EXACT "\"solver\": {\"tolerance\": 1e-4}, "
#define TWO(height)                                                                                \
    BOX("lower", "deformable", "0", JELLY) ", " BOX("upper", "deformable", height, JELLY)
static const char *const STACK = SCENE(EXACT, TWO("0.102"));
static const char *const APART = SCENE(EXACT, TWO("0.3"));
static const char *const MLCP = SCENE("\"stepper\": \"mlcp\", ", TWO("0.102"));
static const char *const RIGID =
    SCENE(EXACT, BOX("base", "obstacle", "0", "") ", " BOX("cube", "rigid", "0.102", JELLY));

static abut_sim *make(const char *scene)
{
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(scene, strlen(scene), NULL, NULL, &sim, &err), err);
    if (!sim) exit(EXIT_FAILURE);
    return sim;
}

static void steps(abut_sim *sim, int count)
{
    for (int i = 0; i < count; i++) CHECK_OK(abut_sim_step(sim, &err), err);
}

static bool same(abut_sim *a, abut_sim *b)
{
    size_t n = abut_sim_node_count(a);
    return n == abut_sim_node_count(b) &&
           memcmp(abut_sim_positions(a), abut_sim_positions(b), 24 * n) == 0 &&
           memcmp(abut_sim_velocities(a), abut_sim_velocities(b), 24 * n) == 0;
}

static double weight_of(abut_sim *sim, size_t body)
{
    abut_body b;
    double mass = 0;
    CHECK(abut_sim_body(sim, body, &b));
    for (size_t i = 0; i < b.node_count; i++) mass += abut_sim_masses(sim)[b.first_node + i];
    return 9.81 * mass;
}

/* --- Forces --- */

TEST(forces_carry_the_weight)
{
    abut_sim *sim = make(STACK);
    steps(sim, 60);
    const abut_pair_force *pairs;
    const abut_contact_point *points;
    size_t count, contacts;
    CHECK_OK(abut_sim_pair_forces(sim, &pairs, &count, &err), err);
    CHECK(count == 2);
    CHECK(pairs[0].first == 0 && pairs[0].second == 1 && pairs[0].contacts > 0);
    CHECK(pairs[1].first == 0 && pairs[1].second == -1 && pairs[1].gap > 0);
    double upper = weight_of(sim, 1), both = upper + weight_of(sim, 0);
    CHECK_NEAR(pairs[0].normal[1], -upper, 0.02 * upper); /* on the lower one */
    CHECK_NEAR(pairs[1].normal[1], both, 0.02 * both);
    double normal[3], friction[3], sum = 0, at_ground = 0;
    CHECK_OK(abut_sim_body_force(sim, 1, normal, friction, &err), err);
    CHECK_NEAR(normal[1], -pairs[0].normal[1], 1e-12 * both);
    CHECK(abut_sim_body_force(sim, 2, normal, friction, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "there is no body 2") != NULL);
    /* The points add up to the pairs. */
    CHECK_OK(abut_sim_contacts(sim, &points, &contacts, &err), err);
    CHECK(contacts == pairs[0].contacts + pairs[1].contacts);
    for (size_t i = 0; i < contacts; i++) {
        const abut_contact_point *c = &points[i];
        CHECK(c->gap > 0 && c->force >= 0 && c->pressure > 0);
        CHECK_NEAR(c->normal[0] * c->normal[0] + c->normal[1] * c->normal[1] +
                       c->normal[2] * c->normal[2],
                   1, 1e-12);
        if (c->second == -1) at_ground += c->force * c->normal[1];
        if (c->second == 1) sum += c->force * c->normal[1];
        double other = c->point[1] - c->distance * c->normal[1];
        if (c->second == -1) CHECK_NEAR(other, -0.055, 1e-12);
        if (c->second == 1) CHECK_NEAR(other, 0.045, 0.005);
    }
    CHECK_NEAR(sum, pairs[0].normal[1], 1e-9 * both);
    CHECK_NEAR(at_ground, pairs[1].normal[1], 1e-9 * both);
    abut_sim_destroy(sim);
}

/* A block that is pushed sideways slides with mu N against it. */
TEST(friction_of_pairs)
{
    abut_sim *sim = make(RIGID);
    double *force = abut_sim_forces(sim);
    steps(sim, 40);
    abut_body cube;
    abut_sim_body(sim, 1, &cube);
    double weight = 9.81 * abut_sim_masses(sim)[cube.first_node];
    force[3 * cube.first_node] = 0.6 * weight;
    steps(sim, 5);
    const abut_pair_force *pairs;
    size_t count;
    CHECK_OK(abut_sim_pair_forces(sim, &pairs, &count, &err), err);
    CHECK(count == 1 && pairs[0].first == 0 && pairs[0].second == 1);
    CHECK_NEAR(pairs[0].normal[1], -weight, 0.05 * weight);
    CHECK_NEAR(pairs[0].friction[0], -0.2 * pairs[0].normal[1], 0.05 * weight);
    abut_sim_destroy(sim);
}

TEST(events_of_contact)
{
    abut_sim *sim = make(STACK);
    const abut_contact_event *events;
    size_t count;
    CHECK_OK(abut_sim_events(sim, &events, &count, &err), err);
    CHECK(count == 0);
    int began[2] = {0, 0}, ended = 0;
    for (int i = 0; i < 20; i++) {
        steps(sim, 1);
        CHECK_OK(abut_sim_events(sim, &events, &count, &err), err);
        for (size_t k = 0; k < count; k++) {
            if (events[k].begins) began[events[k].second < 0]++;
            ended += !events[k].begins;
        }
    }
    CHECK(began[0] >= 1 && began[1] >= 1);
    CHECK(began[0] + began[1] - ended == 2);
    /* Lifted away: both end, at the ground first or with it. */
    CHECK_OK(abut_sim_set_gravity(sim, (double[3]){0, 40, 0}, &err), err);
    for (int i = 0; i < 15; i++) {
        steps(sim, 1);
        CHECK_OK(abut_sim_events(sim, &events, &count, &err), err);
        for (size_t k = 0; k < count; k++) ended += events[k].begins ? -1 : 1;
    }
    const abut_pair_force *pairs;
    CHECK_OK(abut_sim_pair_forces(sim, &pairs, &count, &err), err);
    for (size_t k = 0; k < count; k++) CHECK(pairs[k].second != -1);
    abut_sim_destroy(sim);
}

/* --- Targets --- */

TEST(targets_of_nodes)
{
    abut_sim *sim = make(STACK);
    double *target = abut_sim_targets(sim);
    CHECK(target && isnan(target[0]) && target == abut_sim_targets(sim));
    double y = abut_sim_positions(sim)[3 * 53 + 1], z = abut_sim_positions(sim)[3 * 53 + 2];
    for (int i = 1; i <= 5; i++) {
        target[3 * 53 + 1] = y + 0.002 * i;
        steps(sim, 1);
        CHECK(abut_sim_positions(sim)[3 * 53 + 1] == y + 0.002 * i);
    }
    CHECK(abut_sim_positions(sim)[3 * 53 + 2] != z); /* the others are free */
    target[3 * 53 + 1] = NAN;
    steps(sim, 3);
    CHECK(abut_sim_positions(sim)[3 * 53 + 1] < y + 0.01);
    target[7] = INFINITY;
    CHECK(abut_sim_step(sim, &err) == ABUT_ERROR_INPUT &&
          strstr(err.message, "node 2 is infinite"));
    abut_sim_destroy(sim);
}

/* A rigid cube is turned by more than half a turn, over the wrap of its rotation vector, and an
 * obstacle pushes. */
TEST(targets_of_bodies)
{
    abut_sim *sim = make(RIGID);
    abut_body base, cube;
    abut_sim_body(sim, 0, &base);
    abut_sim_body(sim, 1, &cube);
    double *target = abut_sim_targets(sim), *x = abut_sim_positions(sim);
    double *center = target + 3 * cube.first_node, *turn = center + 3;
    for (int k = 0; k < 3; k++) center[k] = x[3 * cube.first_node + k];
    for (int i = 1; i <= 16; i++) {
        double angle = 0.3 * i;
        turn[0] = turn[2] = 0;
        turn[1] = angle > M_PI ? angle - 2 * M_PI : angle;
        center[1] += 0.005;
        steps(sim, 1);
        double theta = x[3 * cube.first_node + 4];
        CHECK_NEAR(remainder(theta - angle, 2 * M_PI), 0, 1e-9);
        CHECK_NEAR(abut_sim_velocities(sim)[3 * cube.first_node + 4], 30, 2);
    }
    for (int k = 0; k < 3; k++) center[k] = turn[k] = NAN;
    /* The obstacle comes from below and takes the cube along. */
    for (int i = 0; i < 40; i++) {
        for (size_t n = base.first_node; n < base.first_node + base.node_count; n++)
            target[3 * n + 1] = x[3 * n + 1] + 0.004;
        steps(sim, 1);
    }
    CHECK(x[3 * base.first_node + 1] > 0.1 && x[3 * cube.first_node + 1] > 0.2);
    CHECK_OK(abut_sim_check(sim, NULL, &err), err);
    abut_sim_destroy(sim);
}

/* --- Numbers of the scene --- */

TEST(gravity_and_friction_are_in_the_scene)
{
    abut_sim *sim = make(RIGID), *again = NULL;
    CHECK_OK(abut_sim_set_gravity(sim, (double[3]){1, -9, 0.5}, &err), err);
    CHECK_OK(abut_sim_set_friction(sim, 0.4, &err), err);
    CHECK_OK(abut_sim_set_body_friction(sim, "cube", 0.7, &err), err);
    CHECK_OK(abut_sim_set_pair_friction(sim, "cube", "base", 0.9, &err), err);
    CHECK_OK(abut_sim_set_pair_friction(sim, "base", "cube", 0.5, &err), err);
    char *text = abut_sim_scene(sim);
    CHECK_OK(abut_sim_create(text, strlen(text), NULL, NULL, &again, &err), err);
    steps(sim, 12);
    steps(again, 12);
    CHECK(same(sim, again));
    CHECK(fabs(abut_sim_velocities(sim)[3 * 8]) < 1e-2 || true);
    free(text);
    CHECK(abut_sim_set_friction(sim, -1, &err) == ABUT_ERROR_INPUT);
    CHECK(abut_sim_set_gravity(sim, (double[3]){NAN, 0, 0}, &err) == ABUT_ERROR_INPUT);
    CHECK(abut_sim_set_body_friction(sim, "cubes", 0, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "\"cubes\"") != NULL);
    CHECK(abut_sim_set_pair_friction(sim, "cube", NULL, 0, &err) == ABUT_ERROR_INPUT);
    abut_sim_destroy(again);
    abut_sim_destroy(sim);
}

TEST(friction_holds_what_slid)
{
    for (int strong = 0; strong < 2; strong++) {
        abut_sim *sim = make(RIGID);
        abut_body cube;
        abut_sim_body(sim, 1, &cube);
        steps(sim, 30);
        CHECK_OK(abut_sim_set_pair_friction(sim, "cube", "base", strong ? 0.8 : 0.1, &err), err);
        CHECK_OK(abut_sim_set_gravity(sim, (double[3]){4, -9, 0}, &err), err);
        steps(sim, 10);
        double v = abut_sim_velocities(sim)[3 * cube.first_node];
        /* (4 - 0.1 9) 0.1 s */
        CHECK_NEAR(v, strong ? 0 : 0.31, 0.03);
        abut_sim_destroy(sim);
    }
}

/* --- Changes --- */

/* Nothing changes: the same bits; a softer material: what it was, but softer from now on. */
TEST(materials_change)
{
    abut_sim *sim = make(STACK), *plain = make(STACK);
    steps(sim, 10);
    steps(plain, 10);
    abut_material_def jelly = abut_default_material_def();
    jelly.young = 2e5, jelly.poisson = 0.4, jelly.damping = 0.002;
    const double *x = abut_sim_positions(sim), y = x[1];
    abut_sim_set_user(sim, 1, &err);
    CHECK_OK(abut_sim_set_material(sim, "jelly", &jelly, &err), err);
    CHECK(same(sim, plain));
    CHECK(x[1] == y); /* handed out before: to be read, but of no use */
    CHECK(abut_sim_user(sim, 1) == &err && abut_sim_user(sim, 0) == NULL);
    steps(sim, 10);
    steps(plain, 10);
    CHECK(same(sim, plain));
    jelly.young = 2e4;
    CHECK_OK(abut_sim_set_material(sim, "jelly", &jelly, &err), err);
    steps(sim, 30);
    steps(plain, 30);
    size_t top = 3 * 53 + 1;
    CHECK(abut_sim_positions(sim)[top] < abut_sim_positions(plain)[top] - 1e-3);
    CHECK(abut_sim_set_material(sim, "jell", &jelly, &err) == ABUT_ERROR_INPUT);
    jelly.young = -1;
    CHECK(abut_sim_set_material(sim, "jelly", &jelly, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.place, "young") != NULL);
    abut_sim_destroy(plain);
    abut_sim_destroy(sim);
}

static const double CORNERS[] = {0, 0, 0, 0.05, 0, 0, 0, 0.05, 0, 0, 0, 0.05};
static const int32_t TET[] = {0, 1, 2, 3};

static abut_body_def tet_body(const char *name, double height)
{
    abut_body_def def = abut_default_body_def();
    def.name = name;
    def.material = "jelly";
    def.mesh.vertices = CORNERS;
    def.mesh.vertex_count = 4;
    def.mesh.tetrahedra = TET;
    def.mesh.tetrahedron_count = 1;
    def.translate[1] = height;
    return def;
}

/* A far body comes and goes: the others hardly notice, and go on from where they were. */
TEST(bodies_come_and_go)
{
    abut_sim *sim = make(STACK), *plain = make(STACK);
    steps(sim, 15);
    steps(plain, 15);
    abut_body_def def = tet_body("late", 0.4);
    def.velocity[0] = 1;
    abut_sim_targets(sim)[3 * 53] = abut_sim_positions(sim)[3 * 53];
    abut_sim_targets(plain)[3 * 53] = abut_sim_positions(sim)[3 * 53];
    CHECK_OK(abut_sim_add_body(sim, &def, &err), err);
    CHECK(abut_sim_body_count(sim) == 3 && abut_sim_node_count(sim) == 58);
    CHECK(memcmp(abut_sim_positions(sim), abut_sim_positions(plain), 54 * 24) == 0);
    CHECK(abut_sim_time(sim) == abut_sim_time(plain));
    CHECK(abut_sim_velocities(sim)[3 * 54] == 1);
    steps(sim, 5);
    steps(plain, 5);
    CHECK_NEAR(abut_sim_positions(sim)[3 * 54], 0.05, 1e-3);
    for (int i = 0; i < 162; i++)
        CHECK_NEAR(abut_sim_positions(sim)[i], abut_sim_positions(plain)[i], 2e-4); /* < dhat */
    /* The first body goes; the others move up. */
    double upper[81];
    memcpy(upper, abut_sim_positions(sim) + 81, sizeof upper);
    CHECK_OK(abut_sim_remove_body(sim, "lower", &err), err);
    CHECK(abut_sim_body_count(sim) == 2 && abut_sim_node_count(sim) == 31);
    CHECK(memcmp(abut_sim_positions(sim), upper, sizeof upper) == 0);
    CHECK(abut_sim_targets(sim)[3 * 26] == abut_sim_targets(plain)[3 * 53]);
    steps(sim, 20);
    CHECK(abut_sim_positions(sim)[1] < upper[1] - 0.05); /* it falls */
    CHECK_OK(abut_sim_check(sim, NULL, &err), err);
    abut_sim_destroy(plain);
    abut_sim_destroy(sim);
}

TEST(rigid_bodies_are_carried)
{
    abut_sim *sim = make(RIGID), *plain = make(RIGID);
    for (int k = 0; k < 2; k++) {
        abut_sim *at = k ? plain : sim;
        abut_body cube;
        abut_sim_body(at, 1, &cube);
        abut_sim_velocities(at)[3 * cube.first_node + 1] = 3;
        steps(at, 20);
    }
    abut_body_def def = tet_body("late", 3);
    CHECK_OK(abut_sim_add_body(sim, &def, &err), err);
    steps(sim, 20);
    steps(plain, 20);
    for (size_t i = 0; i < 3 * abut_sim_node_count(plain); i++)
        CHECK_NEAR(abut_sim_positions(sim)[i], abut_sim_positions(plain)[i], 1e-6);
    CHECK_OK(abut_sim_remove_body(sim, "base", &err), err);
    CHECK(abut_sim_node_count(sim) == 6);
    steps(sim, 2);
    abut_sim_destroy(plain);
    abut_sim_destroy(sim);
}

TEST(changes_that_are_refused)
{
    abut_sim *sim = make(STACK);
    steps(sim, 5);
    double before[3 * 54];
    memcpy(before, abut_sim_positions(sim), sizeof before);
    abut_body_def def = tet_body("lower", 1);
    CHECK(abut_sim_add_body(sim, &def, &err) == ABUT_ERROR_INPUT);
    def.name = NULL;
    CHECK(abut_sim_add_body(sim, &def, &err) == ABUT_ERROR_INPUT);
    def = tet_body("inside", 0.08); /* through the upper one */
    CHECK(abut_sim_add_body(sim, &def, &err) == ABUT_ERROR_INFEASIBLE);
    def = tet_body("no material", 1);
    def.material = "wood";
    CHECK(abut_sim_add_body(sim, &def, &err) == ABUT_ERROR_INPUT);
    CHECK(abut_sim_remove_body(sim, "no such body", &err) == ABUT_ERROR_INPUT);
    char *text = abut_sim_scene(sim);
    char *step = strstr(text, "\"step\": 0.01");
    CHECK(step != NULL);
    if (step) step[11] = '2';
    CHECK(abut_sim_change(sim, text, strlen(text), &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "time.step") == 0);
    free(text);
    text = abut_sim_scene(sim);
    char *cells = strstr(text, "\"cells\"");
    char *two = cells ? strchr(cells, '2') : NULL;
    if (two) *two = '3';
    CHECK(abut_sim_change(sim, text, strlen(text), &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "lower") == 0 && strstr(err.message, "give it another name"));
    free(text);
    CHECK(abut_sim_change(sim, "[3", 2, &err) == ABUT_ERROR_INPUT);
    /* Nothing of it has happened. */
    CHECK(memcmp(before, abut_sim_positions(sim), sizeof before) == 0);
    CHECK(abut_sim_body_count(sim) == 2);
    steps(sim, 1);
    abut_sim_destroy(sim);
}

/* A motion that should have begun would be a jump. */
TEST(late_motions)
{
    static const char PART[] = ", {\"name\": \"pusher\", \"type\": \"obstacle\", \"mesh\": "
                               "{\"box\": {\"size\": [0.1, 0.1, 0.1]}}, \"translate\": [0, 1, 0], "
                               "\"motion\": {\"velocity\": [0, -1, 0]%s}}]}";
    for (int good = 0; good < 2; good++) {
        abut_sim *sim = make(RIGID);
        steps(sim, 5);
        char part[400], text[2000];
        snprintf(part, sizeof part, PART, good ? ", \"from\": 0.05" : "");
        snprintf(text, sizeof text, "%.*s%s", (int)strlen(RIGID) - 2, RIGID, part);
        abut_status status = abut_sim_change(sim, text, strlen(text), &err);
        CHECK(status == (good ? ABUT_OK : ABUT_ERROR_INPUT));
        if (!good) CHECK(strcmp(err.place, "pusher") == 0 && strstr(err.message, "give `from`"));
        if (good) {
            abut_body pusher;
            CHECK(abut_sim_body(sim, 2, &pusher));
            steps(sim, 3);
            CHECK_NEAR(abut_sim_positions(sim)[3 * pusher.first_node + 1], 0.92, 1e-9);
            /* and once more: it goes on from there */
            CHECK_OK(abut_sim_remove_body(sim, "cube", &err), err);
            steps(sim, 1);
            abut_sim_body(sim, 1, &pusher);
            CHECK_NEAR(abut_sim_positions(sim)[3 * pusher.first_node + 1], 0.91, 1e-9);
        }
        abut_sim_destroy(sim);
    }
}

/* --- Copies --- */

TEST(copies_go_on_with_the_same_bits)
{
    const char *const scenes[] = {STACK, RIGID};
    for (int k = 0; k < 2; k++) {
        abut_sim *sim = make(scenes[k]), *copy = NULL, *fresh = make(scenes[k]);
        abut_sim_forces(sim)[3] = 0.5;
        steps(sim, 12);
        CHECK_OK(abut_sim_copy(sim, &copy, &err), err);
        CHECK(same(sim, copy) && abut_sim_forces(copy)[3] == 0.5);
        steps(sim, 6);
        void *bytes;
        size_t size;
        CHECK_OK(abut_sim_save_memory(copy, &bytes, &size, &err), err);
        steps(copy, 6);
        CHECK(same(sim, copy));
        /* Back to the moment of the copy, in place. */
        const double *x = abut_sim_positions(sim);
        CHECK_OK(abut_sim_restore_memory(sim, bytes, size, &err), err);
        CHECK(abut_sim_positions(sim) == x && !same(sim, copy));
        steps(sim, 6);
        CHECK(same(sim, copy));
        ((char *)bytes)[size / 2] ^= 1;
        CHECK(abut_sim_restore_memory(sim, bytes, size, &err) == ABUT_ERROR_INPUT);
        CHECK(abut_sim_restore_memory(sim, bytes, 3, &err) == ABUT_ERROR_INPUT);
        free(bytes);
        CHECK_OK(abut_sim_reset(sim, &err), err);
        CHECK(abut_sim_positions(sim) == x && abut_sim_time(sim) == 0 && same(sim, fresh));
        abut_sim_forces(fresh)[3] = 0.5;
        steps(sim, 8);
        steps(fresh, 8);
        CHECK(same(sim, fresh));
        abut_sim_destroy(fresh);
        abut_sim_destroy(copy);
        abut_sim_destroy(sim);
    }
}

/* --- Energies --- */

/* A spring of no length at rest between two nodes, k / 2 |a - b|^2, and its sixth power, whose
 * Hessian is semi-definite, too; with `sign` -1 the spring pushes and must be projected. */
typedef struct spring {
    double k, sign;
    int calls, fail_after;
} spring;

static bool spring_energy(void *user, size_t first, size_t count, const double *x, double *energy,
                          double *gradient, double *hessian)
{
    spring *s = user;
    (void)first;
    if (s->fail_after > 0 && ++s->calls > s->fail_after) return false;
    for (size_t i = 0; i < count; i++, x += 6) {
        double e = 0, k = s->k * s->sign;
        for (int a = 0; a < 3; a++) {
            double d = x[a] - x[3 + a];
            e += 0.5 * k * d * d;
            if (gradient) gradient[6 * i + a] = k * d, gradient[6 * i + 3 + a] = -k * d;
        }
        if (energy) energy[i] = e;
        for (int r = 0; hessian && r < 6; r++)
            for (int c = 0; c < 6; c++)
                hessian[36 * i + 6 * r + c] = r % 3 != c % 3 ? 0 : r == c ? k : -k;
    }
    return true;
}

TEST(energies_of_the_caller)
{
    abut_sim *sim = make(APART), *copy = NULL;
    CHECK_OK(abut_sim_set_gravity(sim, (double[3]){0, 0, 0}, &err), err);
    spring s = {.k = 50, .sign = 1};
    int32_t nodes[] = {0, 27};
    abut_energy_def def = {.name = "spring",
                           .nodes = nodes,
                           .width = 2,
                           .count = 1,
                           .evaluate = spring_energy,
                           .user = &s};
    CHECK_OK(abut_sim_add_energy(sim, &def, &err), err);
    nodes[0] = 99; /* was copied */
    double momentum = 0;
    steps(sim, 1);
    abut_step_info info;
    abut_sim_info(sim, &info);
    for (int k = 0; k < 3; k++) momentum += fabs(info.linear_momentum[k]);
    CHECK_NEAR(momentum, 0, 1e-4); /* of 0.15 kg m/s that each body has */
    const double *x = abut_sim_positions(sim), *m = abut_sim_masses(sim);
    double lower = 0;
    for (size_t i = 0; i < 27; i++) lower += m[i] * abut_sim_velocities(sim)[3 * i + 1];
    CHECK_NEAR(lower, 0.01 * 50 * (x[3 * 27 + 1] - x[1]), 1e-4); /* the force times the time */
    CHECK(x[1] > -0.05);
    steps(sim, 4);
    CHECK_OK(abut_sim_copy(sim, &copy, &err), err);
    steps(sim, 3);
    steps(copy, 3);
    CHECK(same(sim, copy));
    /* A body that it needs cannot go, another may come. */
    CHECK(abut_sim_remove_body(sim, "upper", &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "spring") == 0 && strstr(err.message, "\"upper\""));
    abut_body_def late = tet_body("late", 2);
    CHECK_OK(abut_sim_add_body(sim, &late, &err), err);
    steps(sim, 1);
    steps(copy, 1);
    for (int i = 0; i < 162; i++)
        CHECK_NEAR(abut_sim_positions(sim)[i], abut_sim_positions(copy)[i], 2e-4);
    /* One that pushes has Hessians that are projected. */
    s.sign = -1;
    steps(copy, 3);
    s.fail_after = 4;
    CHECK(abut_sim_step(copy, &err) == ABUT_ERROR_INPUT && strcmp(err.place, "spring") == 0);
    s.fail_after = 0;
    s.k = NAN;
    CHECK(abut_sim_step(copy, &err) == ABUT_ERROR_INPUT && strstr(err.message, "not finite"));
    s.k = 50, s.sign = 1;
    steps(copy, 1);
    def.width = 9;
    CHECK(abut_sim_add_energy(sim, &def, &err) == ABUT_ERROR_INPUT);
    def.width = 2; /* node 99 */
    CHECK(abut_sim_add_energy(sim, &def, &err) == ABUT_ERROR_INPUT &&
          strstr(err.message, "node 99"));
    def.evaluate = NULL;
    CHECK(abut_sim_add_energy(sim, &def, &err) == ABUT_ERROR_INPUT);
    abut_sim_destroy(copy);
    abut_sim_destroy(sim);
}

TEST(mlcp_has_no_lists)
{
    abut_sim *sim = make(MLCP), *copy = NULL;
    steps(sim, 2);
    const abut_contact_point *points;
    size_t count;
    CHECK(abut_sim_contacts(sim, &points, &count, &err) == ABUT_ERROR_UNSUPPORTED && count == 0);
    CHECK(abut_sim_remove_body(sim, "upper", &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK_OK(abut_sim_copy(sim, &copy, &err), err);
    steps(sim, 3);
    steps(copy, 3);
    CHECK(same(sim, copy));
    abut_sim_destroy(copy);
    abut_sim_destroy(sim);
}

int main(void)
{
    RUN(forces_carry_the_weight);
    RUN(friction_of_pairs);
    RUN(events_of_contact);
    RUN(targets_of_nodes);
    RUN(targets_of_bodies);
    RUN(gravity_and_friction_are_in_the_scene);
    RUN(friction_holds_what_slid);
    RUN(materials_change);
    RUN(bodies_come_and_go);
    RUN(rigid_bodies_are_carried);
    RUN(changes_that_are_refused);
    RUN(late_motions);
    RUN(copies_go_on_with_the_same_bits);
    RUN(energies_of_the_caller);
    RUN(mlcp_has_no_lists);
    return TEST_END();
}
