/* Materials with parts: derivatives of the condensed energy, objectivity with history, dissipation,
 * closed forms of relaxation, plastic flow, fibres and growth. */
#include "test.h"

#include "material/fibre.h"
#include "material/plastic.h"
#include "material/point.h"
#include "support/dense_oracle.h"

enum { MAX_STATE = 2 + 9 * 9 + 3 * 4 };

typedef struct point {
    elastic_parameters material;
    material_parts parts;
    viscous_branch branch[2];
    fibre_family family[2];
    material_moment moment;
    double state[MAX_STATE];
} point;

static const double no_growth[3] = {1, 1, 1};

static void finish(point *p)
{
    p->material.parts = &p->parts;
    p->parts.branch = p->branch;
    p->parts.family = p->family;
    memcpy(p->moment.growth, no_growth, sizeof no_growth);
    CHECK(material_state_init(&p->parts, (vec3){0}, p->state));
    CHECK(material_state_size(&p->parts) <= MAX_STATE);
}

static void add_branches(point *p)
{
    p->parts.branch_count = 2;
    p->branch[0] = (viscous_branch){0.7, 0.1};
    p->branch[1] = (viscous_branch){1.9, 3.0};
}

static void add_flow(point *p)
{
    p->parts.plastic = (plastic_flow){.given = true,
                                      .yield = 0.05,
                                      .hardening = 0.1,
                                      .saturation = 0.12,
                                      .rate = 8,
                                      .viscosity = 0.01};
}

static void set_direction(fibre_family *family, vec3 a)
{
    for (int k = 0; k < 3; k++) family->direction[k] = expression_constant(vec3_get(a, k));
}

static void add_fibres(point *p)
{
    p->parts.family_count = 2;
    p->family[0] = (fibre_family){.stiffness = 0.8, .exponent = 1.2, .dispersion = 0.1};
    p->family[1] = (fibre_family){.stiffness = 0.3, .exponent = 0};
    set_direction(&p->family[0], (vec3){1, 2, 0.5});
    set_direction(&p->family[1], (vec3){-1, 0.2, 3});
    p->moment.tension[1] = 0.4;
}

static void release(point *p)
{
    for (size_t i = 0; i < p->parts.family_count; i++)
        for (int k = 0; k < 3; k++) expression_free(p->family[i].direction[k]);
}

/* Bits: branches, flow, fibres, growth. */
static void make(point *p, unsigned what, elastic_model model)
{
    memset(p, 0, sizeof *p);
    p->material = elastic_from_young(model, 3.0, 0.3);
    p->moment.h = 0.2;
    if (what & 1) add_branches(p);
    if (what & 2) add_flow(p);
    if (what & 4) add_fibres(p);
    finish(p);
    if (what & 8) p->moment.growth[0] = 1.3, p->moment.growth[1] = 0.8;
}

static double energy_at(const point *p, mat3 f)
{
    double energy;
    material_point_evaluate(&p->material, &(material_point){p->state, &p->moment}, f, false,
                            &energy, NULL, NULL, NULL);
    return energy;
}

static mat3 stress_at(const point *p, mat3 f)
{
    mat3 stress;
    material_point_evaluate(&p->material, &(material_point){p->state, &p->moment}, f, false, NULL,
                            &stress, NULL, NULL);
    return stress;
}

static void hessian_at(const point *p, mat3 f, bool project, double out[81])
{
    mat3 identity = mat3_identity();
    row9 rows[9];
    material_point_evaluate(&p->material, &(material_point){p->state, &p->moment}, f, project, NULL,
                            NULL, &identity, rows);
    const double(*entries)[12] = (const double(*)[12])rows;
    for (int k = 0; k < 81; k++) out[k] = entries[k / 9][k % 9];
}

static mat3 moved(mat3 f, int k, double h)
{
    f.m[k / 3][k % 3] += h;
    return f;
}

static mat3 random_deformation(random_state *r, double least, double most)
{
    mat3 d = mat3_zero();
    for (int k = 0; k < 3; k++) d.m[k][k] = random_range(r, least, most);
    mat3 u = oracle_random_rotation(r), v = oracle_random_rotation(r);
    return mat3_mul(u, mat3_mul(d, mat3_transpose(v)));
}

/* A history that leaves no part at rest. */
static void load(point *p, random_state *r, int steps)
{
    for (int k = 0; k < steps; k++)
        material_state_advance(&p->material, &p->moment, random_deformation(r, 0.7, 1.4), p->state);
}

static double largest(int count, const double *a)
{
    double most = 0;
    for (int k = 0; k < count; k++)
        if (!(fabs(a[k]) <= most)) most = fabs(a[k]);
    return most;
}

static void check_derivatives(const point *p, mat3 f, double h)
{
    double hessian[81], projected[81];
    long double values[ORACLE_MAX];
    mat3 stress = stress_at(p, f);
    hessian_at(p, f, false, hessian);
    double stiffness = largest(81, hessian), scale = largest(9, &stress.m[0][0]) + stiffness * h;
    for (int k = 0; k < 9; k++) {
        double slope = (energy_at(p, moved(f, k, h)) - energy_at(p, moved(f, k, -h))) / (2 * h);
        CHECK_NEAR(stress.m[k / 3][k % 3], slope, 1e-7 * scale);
        mat3 change = mat3_scale(
            0.5 / h, mat3_sub(stress_at(p, moved(f, k, h)), stress_at(p, moved(f, k, -h))));
        for (int l = 0; l < 9; l++)
            CHECK_NEAR(hessian[9 * l + k], change.m[l / 3][l % 3], 3e-6 * stiffness);
    }
    hessian_at(p, f, true, projected);
    oracle_eigenvalues(9, projected, values);
    for (int k = 0; k < 9; k++) CHECK((double)values[k] >= -1e-12 * stiffness);
    for (int k = 0; k < 81; k++)
        CHECK_NEAR(projected[k], projected[k % 9 * 9 + k / 9], 1e-13 * stiffness);
}

/* The increment of plastic strain, or the smallest stretch of a fibre, jumps where the second
 * derivative does: differences across such a place say nothing. */
static bool near_a_switch(const point *p, mat3 f, double h)
{
    for (int k = 0; k < 9; k++) {
        point copy[2] = {*p, *p};
        bool flows[2];
        for (int side = 0; side < 2; side++) {
            material_state_advance(&p->material, &p->moment, moved(f, k, side ? h : -h),
                                   copy[side].state);
            flows[side] = copy[side].state[STATE_PLASTIC_STRAIN] > p->state[STATE_PLASTIC_STRAIN];
        }
        if (flows[0] != flows[1]) return true;
    }
    return false;
}

TEST(derivatives)
{
    static const elastic_model models[] = {ELASTIC_HENCKY, ELASTIC_NEO_HOOKEAN, ELASTIC_OGDEN};
    random_state r = {1};
    int flowing = 0;
    for (unsigned what = 1; what < 16; what++)
        for (int k = 0; k < 12; k++) {
            point p;
            make(&p, what, what & 2 ? ELASTIC_HENCKY : models[k % 3]);
            load(&p, &r, k % 4);
            mat3 f = random_deformation(&r, 0.6, 1.7);
            if (!near_a_switch(&p, f, 1e-5)) check_derivatives(&p, f, 2e-6);
            double before = p.state[STATE_PLASTIC_STRAIN];
            material_state_advance(&p.material, &p.moment, f, p.state);
            flowing += p.state[STATE_PLASTIC_STRAIN] > before;
            release(&p);
        }
    CHECK(flowing > 40);
}

/* Equal stretches, and nearly equal ones. */
TEST(derivatives_where_stretches_are_equal)
{
    random_state r = {2};
    for (int k = 0; k < 12; k++) {
        point p;
        make(&p, 3, ELASTIC_HENCKY);
        double apart = k % 3 == 0 ? 0 : k % 3 == 1 ? 1e-7 : 0.02;
        mat3 d = mat3_scale(1.2, mat3_identity());
        d.m[0][0] += apart;
        if (k >= 6) d.m[2][2] = 0.7;
        mat3 u = oracle_random_rotation(&r);
        check_derivatives(&p, mat3_mul(u, d), 1e-6);
    }
}

/* Energy, stress and the state after a step do not see a rotation of the whole. */
TEST(objectivity_with_history)
{
    random_state r = {3};
    for (unsigned what = 1; what < 16; what++) {
        point p, turned;
        make(&p, what, ELASTIC_HENCKY);
        turned = p;
        turned.material.parts = &turned.parts;
        turned.parts.branch = turned.branch;
        turned.parts.family = turned.family;
        for (int k = 0; k < 6; k++) {
            mat3 q = oracle_random_rotation(&r), f = random_deformation(&r, 0.7, 1.5);
            mat3 qf = mat3_mul(q, f);
            CHECK_NEAR(energy_at(&turned, qf), energy_at(&p, f), 1e-12 * (1 + energy_at(&p, f)));
            mat3 difference = mat3_sub(stress_at(&turned, qf), mat3_mul(q, stress_at(&p, f)));
            CHECK_NEAR(sqrt(mat3_norm2(difference)), 0, 1e-11);
            material_state_advance(&p.material, &p.moment, f, p.state);
            material_state_advance(&turned.material, &turned.moment, qf, turned.state);
            for (size_t i = 0; i < material_state_size(&p.parts); i++)
                CHECK_NEAR(turned.state[i], p.state[i], 1e-11);
        }
        release(&p);
    }
}

/* Along random paths every step dissipates, and the frames of the flow keep their volume. */
TEST(dissipation_and_volume_of_flow)
{
    random_state r = {4};
    for (unsigned what = 1; what < 4; what++) {
        point p;
        make(&p, what, ELASTIC_HENCKY);
        for (int k = 0; k < 1000; k++) {
            double before = p.state[STATE_DISSIPATED];
            p.moment.h = pow(10, random_range(&r, -4, 2));
            material_state_advance(&p.material, &p.moment, random_deformation(&r, 0.7, 1.4),
                                   p.state);
            CHECK(p.state[STATE_DISSIPATED] >= before);
        }
        CHECK(p.state[STATE_DISSIPATED] > 0.1);
        size_t tensors = p.parts.branch_count + (p.parts.plastic.given ? 1 : 0);
        for (size_t k = 0; k < tensors; k++) {
            mat3 inner;
            memcpy(inner.m, p.state + STATE_TENSORS + 9 * k, sizeof inner.m);
            CHECK_NEAR(mat3_determinant(inner), 1, 1e-14);
        }
    }
}

/* The work done on the point is what is stored and what is dissipated, up to the error of a step.
 */
TEST(work_is_stored_or_dissipated)
{
    double errors[2];
    for (int level = 0; level < 2; level++) {
        point p;
        make(&p, 3, ELASTIC_HENCKY);
        int steps = level ? 800 : 400;
        double work = 0;
        mat3 last = mat3_identity();
        p.moment.h = 2.0 / steps;
        for (int k = 1; k <= steps; k++) {
            double shear = 0.3 * sin(3.0 * k / steps);
            mat3 f = mat3_identity();
            f.m[0][1] = shear;
            mat3 mean = mat3_scale(0.5, mat3_add(f, last)), step = mat3_sub(f, last);
            mat3 stress = stress_at(&p, mean); /* within the step */
            for (int i = 0; i < 9; i++) work += stress.m[i / 3][i % 3] * step.m[i / 3][i % 3];
            material_state_advance(&p.material, &p.moment, f, p.state);
            last = f;
        }
        p.moment.h = 0;
        errors[level] = fabs(work - energy_at(&p, last) - p.state[STATE_DISSIPATED]) / work;
    }
    CHECK(errors[1] < 0.01);
    CHECK(errors[1] < 0.6 * errors[0]); /* first order */
}

static mat3 shear_of(double g)
{
    mat3 f = mat3_identity();
    f.m[0][1] = g;
    return f;
}

/* Strain that is kept relaxes exactly for any step: G_i exp(-t/tau_i). */
TEST(relaxation)
{
    static const double steps[] = {0.01, 1, 100};
    const double g = 1e-5;
    for (int s = 0; s < 3; s++) {
        point p;
        memset(&p, 0, sizeof p);
        p.material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 3.0, 0.3);
        p.parts.branch_count = 1;
        p.branch[0] = (viscous_branch){0.7, 1};
        finish(&p);
        mat3 f = shear_of(g);
        double t = 0;
        p.moment.h = 1e-12; /* strained at once */
        material_state_advance(&p.material, &p.moment, f, p.state);
        p.moment.h = steps[s];
        for (int k = 0; k < 5; k++) {
            t += p.moment.h;
            double expected = g * (p.material.mu + 0.7 * exp(-t));
            CHECK_NEAR(stress_at(&p, f).m[0][1], expected, 1e-4 * g);
            material_state_advance(&p.material, &p.moment, f, p.state);
        }
        double r = exp(-steps[s]), sum = 0;
        for (int k = 0; k < 5; k++) sum += 0.7 * g * g * r * (1 - r) * pow(r, 2 * k);
        CHECK_NEAR(p.state[STATE_DISSIPATED], sum, 1e-3 * sum + 1e-9 * g * g);
    }
}

/* Loss of a cycle of shear, pi G'' g^2 with G'' = G w tau / (1 + w^2 tau^2). */
TEST(harmonic_loss)
{
    enum { STEPS = 3200 }; /* the loss of a step is of first order: 1.6 % at 400 */
    const double pi = 3.14159265358979323846, g = 1e-4, tau = 0.5, modulus = 0.7;
    point p;
    memset(&p, 0, sizeof p);
    p.material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 3.0, 0.3);
    p.parts.branch_count = 1;
    p.branch[0] = (viscous_branch){modulus, tau};
    finish(&p);
    p.moment.h = 2 * pi / STEPS;
    double before = 0;
    for (int k = 1; k <= 3 * STEPS; k++) {
        if (k == 2 * STEPS + 1) before = p.state[STATE_DISSIPATED];
        material_state_advance(&p.material, &p.moment, shear_of(g * sin(2 * pi * k / STEPS)),
                               p.state);
    }
    double expected = pi * modulus * tau / (1 + tau * tau) * g * g;
    CHECK_NEAR((p.state[STATE_DISSIPATED] - before) / expected, 1, 0.003);
}

/* A bar pulled along x whose sides are free: strain and equivalent plastic strain by the stress. */
static double pull(point *p, double strain, double *lateral)
{
    for (int k = 0; k < 80; k++) { /* Newton's method on the lateral strain */
        mat3 f = mat3_zero();
        f.m[0][0] = exp(strain);
        f.m[1][1] = f.m[2][2] = exp(*lateral);
        double hessian[81];
        mat3 stress = stress_at(p, f);
        hessian_at(p, f, false, hessian);
        double slope = (hessian[9 * 4 + 4] + hessian[9 * 4 + 8]) * f.m[1][1];
        *lateral -= stress.m[1][1] / slope;
        if (fabs(stress.m[1][1]) < 1e-9) break;
    }
    mat3 f = mat3_zero();
    f.m[0][0] = exp(strain);
    f.m[1][1] = f.m[2][2] = exp(*lateral);
    mat3 stress = stress_at(p, f);
    material_state_advance(&p->material, &p->moment, f, p->state);
    return stress.m[0][0] * f.m[0][0]; /* Kirchhoff's */
}

static void make_metal(point *p)
{
    memset(p, 0, sizeof *p);
    p->material = elastic_from_young(ELASTIC_HENCKY, 200e3, 0.3);
    p->parts.plastic = (plastic_flow){.given = true, .yield = 250, .hardening = 1000};
    p->moment.h = 1;
    finish(p);
}

/* tau = s0 + E H / (E + H) (eps - s0/E); one large step gives what many small ones do; unloading is
 * elastic, and yields again where it left. */
TEST(uniaxial_plasticity)
{
    point p, small;
    double lateral = 0;
    make_metal(&p);
    CHECK_NEAR(pull(&p, 0.001, &lateral), 200, 1e-6);
    CHECK(p.state[STATE_PLASTIC_STRAIN] == 0);
    CHECK_NEAR(pull(&p, 0.01, &lateral), 258.706468, 1e-5);
    CHECK_NEAR(p.state[STATE_PLASTIC_STRAIN], 0.008706468, 1e-8);
    CHECK_NEAR(pull(&p, 0.1, &lateral), 348.258706, 1e-5);
    CHECK_NEAR(p.state[STATE_PLASTIC_STRAIN], 0.098258706, 1e-8);
    make_metal(&small);
    lateral = 0;
    double stress = 0;
    for (int k = 1; k <= 100; k++) stress = pull(&small, 0.001 * k, &lateral);
    CHECK_NEAR(stress, 348.258706, 1e-5);
    CHECK_NEAR(small.state[STATE_PLASTIC_STRAIN], p.state[STATE_PLASTIC_STRAIN], 1e-9);
    CHECK_NEAR(pull(&p, 0.099, &lateral), 348.258706 - 200, 1e-4);
    CHECK_NEAR(pull(&p, 0.0999999, &lateral), 348.258706 - 0.02, 1e-4);
    CHECK_NEAR(p.state[STATE_PLASTIC_STRAIN], 0.098258706, 1e-8);
    CHECK_NEAR(pull(&p, 0.11, &lateral), 250 + 200e3 * 1e3 / 201e3 * (0.11 - 250.0 / 200e3), 1e-4);
    /* Dissipated: int sigma_y d alpha. */
    double a = p.state[STATE_PLASTIC_STRAIN];
    CHECK_NEAR(p.state[STATE_DISSIPATED], 250 * a + 500 * a * a, 1e-6);
}

/* Voce hardening and viscosity: the return ends on the yield surface, with the overstress. */
TEST(plastic_return_meets_the_yield_stress)
{
    random_state r = {5};
    for (int k = 0; k < 200; k++) {
        plastic_flow flow = {.given = true,
                             .yield = 1,
                             .hardening = random_range(&r, 0, 1),
                             .saturation = random_range(&r, 0.7, 2),
                             .rate = random_range(&r, 0.1, 5),
                             .viscosity = k % 2 ? random_range(&r, 0, 3) : 0};
        double mu = 4, size = random_range(&r, 0, 1.5), strain = random_range(&r, 0, 1), h = 0.3;
        CHECK(plastic_least_slope(&flow) > -3 * mu);
        plastic_increment step = plastic_return(&flow, mu, size, strain, h);
        double trial = sqrt(6.0) * mu * size;
        if (flow.viscosity > 0) CHECK(plastic_return(&flow, mu, size, strain, 0).strain == 0);
        if (trial <= plastic_yield(&flow, strain)) {
            CHECK(step.strain == 0 && step.elastic == size && step.dissipated == 0);
            continue;
        }
        CHECK(step.strain > 0);
        CHECK_NEAR(sqrt(6.0) * mu * step.elastic,
                   plastic_yield(&flow, strain + step.strain) + flow.viscosity * step.strain / h,
                   1e-12 * trial);
    }
}

/* Simple shear of Hencky's law: tau = 2 mu asinh(g/2) / sqrt(1 + g^2/4). */
TEST(hencky_in_shear)
{
    elastic_parameters m = elastic_from_young(ELASTIC_HENCKY, 2.6, 0.3);
    CHECK_NEAR(elastic_stress(&m, shear_of(1)).m[0][1], 0.860817882, 1e-9);
    CHECK_NEAR(elastic_stress(&m, shear_of(3.0178)).m[0][1], 1.325487, 1e-6);
    CHECK(elastic_energy(&m, mat3_identity()) == 0);
    mat3 inverted = mat3_identity();
    inverted.m[0][0] = -1;
    CHECK(elastic_energy(&m, inverted) == INFINITY);
}

/* Fibres: closed form of the nominal stress along them; none where pressed; the passage and the
 * end of the exponent are smooth. */
TEST(fibres)
{
    fibre_family family = {.stiffness = 2, .exponent = 3};
    double w[3], e = 0.3 - 0.5 * FIBRE_PASSAGE;
    fibre_energy(&family, 0.3, w);
    CHECK_NEAR(w[1], 2 * e * exp(3 * (e * e + FIBRE_PASSAGE * FIBRE_PASSAGE / 12)), 1e-12);
    fibre_energy(&family, -0.3, w);
    CHECK(w[0] == 0 && w[1] == 0 && w[2] == 0);
    static const double at[] = {0, 1e-3, 0.3, 2, 4.08, 4.09, 6};
    for (int k = 0; k < 7; k++)
        for (int derivative = 0; derivative < 2; derivative++) {
            const double h = at[k] <= FIBRE_PASSAGE ? 1e-9 : 1e-6; /* the third one jumps there */
            double above[3], below[3];
            fibre_energy(&family, at[k], w);
            fibre_energy(&family, at[k] + h, above);
            fibre_energy(&family, at[k] - h, below);
            CHECK_NEAR((above[derivative] - below[derivative]) / (2 * h), w[derivative + 1],
                       2e-6 * fabs(w[derivative + 1]) + 2e-6 * family.stiffness);
        }
    expression *no = expression_constant(0);
    material_parts parts = {.family_count = 1, .family = &family};
    double state[MAX_STATE];
    for (int k = 0; k < 3; k++) family.direction[k] = no;
    CHECK(!material_state_init(&parts, (vec3){0}, state));
    expression_free(no);
}

/* Free growth has no stress, and its energy counts the grown volume. */
TEST(growth)
{
    point p;
    make(&p, 0, ELASTIC_NEO_HOOKEAN);
    p.moment.growth[0] = 1.4;
    p.moment.growth[2] = 0.7;
    mat3 grown = mat3_identity(), larger = mat3_identity();
    grown.m[0][0] = 1.4;
    grown.m[2][2] = 0.7;
    CHECK_NEAR(sqrt(mat3_norm2(stress_at(&p, grown))), 0, 1e-14);
    larger = mat3_mul(shear_of(0.2), grown);
    CHECK_NEAR(energy_at(&p, larger), 1.4 * 0.7 * elastic_energy(&p.material, shear_of(0.2)),
               1e-14);
}

int main(void)
{
    RUN(derivatives);
    RUN(derivatives_where_stretches_are_equal);
    RUN(objectivity_with_history);
    RUN(dissipation_and_volume_of_flow);
    RUN(work_is_stored_or_dissipated);
    RUN(relaxation);
    RUN(harmonic_loss);
    RUN(uniaxial_plasticity);
    RUN(plastic_return_meets_the_yield_stress);
    RUN(hencky_in_shear);
    RUN(fibres);
    RUN(growth);
    return TEST_END();
}
