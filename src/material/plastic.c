#include "material/plastic.h"

#include <float.h>
#include <math.h>

static double saturation_gap(const plastic_flow *flow)
{
    return flow->saturation > 0 ? flow->saturation - flow->yield : 0;
}

double plastic_yield(const plastic_flow *flow, double strain)
{
    return flow->yield + flow->hardening * strain -
           saturation_gap(flow) * expm1(-flow->rate * strain);
}

static double yield_slope(const plastic_flow *flow, double strain)
{
    return flow->hardening + saturation_gap(flow) * flow->rate * exp(-flow->rate * strain);
}

double plastic_least_slope(const plastic_flow *flow)
{
    return flow->hardening + fmin(0, saturation_gap(flow) * flow->rate);
}

/* int sigma_y from a to a + d, without cancellation for small d. */
static double yield_work(const plastic_flow *flow, double a, double d)
{
    double work = flow->yield * d + flow->hardening * d * (a + 0.5 * d), gap = saturation_gap(flow);
    if (gap != 0 && flow->rate > 0)
        work += gap * (d + exp(-flow->rate * a) * expm1(-flow->rate * d) / flow->rate);
    return work;
}

/* Stress that is left over the yield stress; falls with d. */
static double excess(const plastic_flow *flow, double mu, double trial, double strain, double rate,
                     double d)
{
    return trial - 3 * mu * d - plastic_yield(flow, strain + d) - rate * d;
}

plastic_increment plastic_return(const plastic_flow *flow, double mu, double size, double strain,
                                 double h)
{
    enum { MOST = 60 };
    double trial = sqrt(6.0) * mu * size, rate = h > 0 ? flow->viscosity / h : 0;
    plastic_increment out = {.elastic = size};
    bool frozen = h == 0 && flow->viscosity > 0;
    if (frozen || !(excess(flow, mu, trial, strain, rate, 0) > 0)) return out;
    /* Newton's method; the excess is convex or concave in d, so that it comes from one side after
     * its first step. */
    double d = 0, most = trial / (3 * mu);
    for (int k = 0; k < MOST; k++) {
        double slope = 3 * mu + yield_slope(flow, strain + d) + rate;
        double next = d + excess(flow, mu, trial, strain, rate, d) / slope;
        next = fmin(fmax(next, 0), most);
        bool there = fabs(next - d) <= 2 * DBL_EPSILON * next;
        d = next;
        if (there) break;
    }
    out.strain = d;
    out.slope = yield_slope(flow, strain + d) + rate;
    out.elastic = size - sqrt(1.5) * d;
    out.work = yield_work(flow, strain, d);
    out.dissipated = out.work + rate * d * d;
    return out;
}

void plastic_evaluate(const elastic_parameters *m, const plastic_flow *flow, mat3 elastic,
                      double strain, double h, bool project, double *energy, mat3 *stress,
                      elastic_spectrum *spectrum)
{
    log_strain e;
    if (!log_strain_of(elastic, &e)) {
        evaluate_inverted(mat3_determinant(elastic), energy, stress, spectrum);
        return;
    }
    double mu = m->mu, bulk = m->lambda + 2 * mu / 3, volume = 3 * e.mean;
    plastic_increment step = plastic_return(flow, mu, e.size, strain, h);
    log_moduli moduli = {bulk * volume, bulk, mu, 0};
    if (step.strain > 0) {
        moduli.shear = mu * step.elastic / e.size;
        moduli.along = 2 * mu * step.slope / (3 * mu + step.slope) - 2 * moduli.shear;
    }
    if (energy)
        *energy = mu * step.elastic * step.elastic + 0.5 * bulk * volume * volume +
                  0.5 * (step.work + step.dissipated);
    log_strain_response(&e, &moduli, project, stress, spectrum);
}
