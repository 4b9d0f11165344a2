#include "mlcp/solver.h"

#include <math.h>
#include <string.h>

/* sum over the free vertices of weight times direction . u */
static double row_times(const mlcp_contact *c, vec3 direction, const double *u)
{
    double sum = 0;
    for (int k = 0; k < c->count; k++)
        if (c->unknown[k] >= 0)
            sum += c->weight[k] * vec3_dot(direction, vec3_load(u + 3 * (size_t)c->unknown[k]));
    return sum;
}

static void add_row(const mlcp_contact *c, vec3 direction, double factor, double *u)
{
    for (int k = 0; k < c->count; k++) {
        if (c->unknown[k] < 0) continue;
        double *to = u + 3 * (size_t)c->unknown[k];
        vec3_store(to, vec3_mul_add(vec3_load(to), factor * c->weight[k], direction));
    }
}

double mlcp_gap(const mlcp_solver *s, const mlcp_contact *c)
{
    return c->gap0 + row_times(c, c->normal, s->u);
}

void mlcp_slip(const mlcp_solver *s, const mlcp_contact *c, double slip[2])
{
    for (int i = 0; i < 2; i++) slip[i] = c->slip0[i] + row_times(c, c->tangent[i], s->u);
}

void mlcp_set_constants(mlcp_solver *s, mlcp_contact *c)
{
    vec3 at = {0}, moved = {0}; /* relative position, and displacement by prescribed nodes */
    for (int k = 0; k < c->count; k++) {
        vec3 x = s->start[c->vertex[k]];
        at = vec3_mul_add(at, c->weight[k], x);
        if (c->unknown[k] >= 0) continue;
        int32_t block = s->model->surface.rows.data[c->vertex[k]].block;
        vec3 displacement = vec3_sub(vec3_load(s->x_end + 3 * (size_t)block), x);
        moved = vec3_mul_add(moved, c->weight[k], displacement);
    }
    if (c->kind == CCD_POINT_POINT) {
        const half_space *plane = &s->contact->planes.data[c->second];
        at = vec3_sub(at, plane->origin);
        moved = vec3_mul_add(moved, -s->h, plane->velocity);
        /* The plane itself stays; only its surface moves. */
        moved = vec3_mul_add(moved, -vec3_dot(moved, c->normal), c->normal);
    }
    c->gap0 = vec3_dot(c->normal, vec3_add(at, moved)) - 0.5 * s->options.tolerance;
    for (int i = 0; i < 2; i++) {
        c->slip0[i] = vec3_dot(c->tangent[i], moved);
        /* What was apart before the impact is not slip. */
        if (c->fresh && c->kind != CCD_POINT_POINT) c->slip0[i] += vec3_dot(c->tangent[i], at);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* The matrix B                                                                                   */

void mlcp_apply(const mlcp_solver *s, const mlcp_vector *in, double *product,
                const mlcp_vector *out)
{
    mlcp_matrix_multiply(&s->matrix, in->u, product);
    memcpy(out->u, product, s->n * sizeof *out->u);
    for (size_t k = 0; k < s->contacts.count; k++) {
        const mlcp_contact *c = &s->contacts.data[k];
        double *row = out->c + 3 * k;
        row[0] = row[1] = row[2] = 0;
        if (c->state == MLCP_OFF) continue;
        row[0] = -row_times(c, c->normal, in->u) - MLCP_PROXIMAL * c->scale_n * in->c[3 * k];
        add_row(c, c->normal, -in->c[3 * k], out->u);
        if (c->state != MLCP_STICKS) continue;
        for (int i = 0; i < 2; i++) {
            double multiplier = in->c[3 * k + 1 + (size_t)i];
            row[1 + i] =
                row_times(c, c->tangent[i], in->u) - MLCP_PROXIMAL * c->scale_t[i] * multiplier;
            add_row(c, c->tangent[i], multiplier, out->u);
        }
    }
}

void mlcp_unload(mlcp_solver *s)
{
    mlcp_matrix_multiply(&s->matrix, s->u, s->cr.unloaded);
    for (size_t i = 0; i < s->n; i++) s->cr.unloaded[i] = s->b[i] - s->cr.unloaded[i];
}

void mlcp_residual(mlcp_solver *s)
{
    memcpy(s->cr.r.u, s->cr.unloaded, s->n * sizeof *s->cr.r.u);
    for (size_t k = 0; k < s->contacts.count; k++) {
        const mlcp_contact *c = &s->contacts.data[k];
        double *row = s->cr.r.c + 3 * k, slip[2];
        row[0] = row[1] = row[2] = 0;
        if (c->state == MLCP_OFF) continue;
        row[0] = mlcp_gap(s, c) + MLCP_PROXIMAL * c->scale_n * (c->lambda - c->reference[0]);
        add_row(c, c->normal, c->lambda, s->cr.r.u);
        mlcp_slip(s, c, slip);
        bool sticks = c->state == MLCP_STICKS;
        for (int i = 0; i < 2; i++) {
            if (sticks)
                row[1 + i] =
                    MLCP_PROXIMAL * c->scale_t[i] * (c->gamma[i] - c->reference[1 + i]) - slip[i];
            add_row(c, c->tangent[i], sticks ? -c->gamma[i] : -c->slide.force[i], s->cr.r.u);
        }
    }
    for (size_t i = 0; s->problem->any_mask && i < s->n; i++)
        if (s->problem->mask[i]) s->cr.r.u[i] = 0;
}

/* ---------------------------------------------------------------------------------------------- */
/* Preconditioner                                                                                 */

static double row_scale(const mlcp_solver *s, const mlcp_contact *c, vec3 direction)
{
    double sum = 0;
    for (int k = 0; k < c->count; k++) {
        if (c->unknown[k] < 0) continue;
        const double *d = s->diagonal + 3 * (size_t)c->unknown[k];
        double square = direction.x * direction.x / d[0] + direction.y * direction.y / d[1] +
                        direction.z * direction.z / d[2];
        sum += c->weight[k] * c->weight[k] * square;
    }
    return sum;
}

void mlcp_precondition(const mlcp_solver *s, mlcp_preconditioner kind, const mlcp_vector *in,
                       const mlcp_vector *out)
{
    for (size_t i = 0; i < s->n; i++) out->u[i] = in->u[i] / s->diagonal[i];
    double sign = kind == MLCP_FULL ? -1 : 1;
    for (size_t k = 0; k < s->contacts.count; k++) {
        const mlcp_contact *c = &s->contacts.data[k];
        double *row = out->c + 3 * k;
        for (int i = 0; i < 3; i++) row[i] = sign * in->c[3 * k + (size_t)i];
        if (c->state == MLCP_OFF) row[0] = row[1] = row[2] = 0;
        if (c->state != MLCP_STICKS) row[1] = row[2] = 0;
        if (kind == MLCP_FULL && c->state != MLCP_OFF) row[0] -= row_times(c, c->normal, out->u);
        if (c->state == MLCP_OFF) continue;
        for (int i = 0; kind == MLCP_FULL && c->state == MLCP_STICKS && i < 2; i++)
            row[1 + i] += row_times(c, c->tangent[i], out->u);
        row[0] /= (c->duplicates + MLCP_PROXIMAL) * c->scale_n;
        for (int i = 0; i < 2; i++) row[1 + i] /= (c->duplicates + MLCP_PROXIMAL) * c->scale_t[i];
    }
    if (kind == MLCP_DIAGONAL) return;
    /* u -= A_d^-1 L^T c */
    double *change = s->scratch;
    memset(change, 0, s->n * sizeof *change);
    for (size_t k = 0; k < s->contacts.count; k++) {
        const mlcp_contact *c = &s->contacts.data[k];
        if (c->state == MLCP_OFF) continue;
        add_row(c, c->normal, -out->c[3 * k], change);
        for (int i = 0; c->state == MLCP_STICKS && i < 2; i++)
            add_row(c, c->tangent[i], out->c[3 * k + 1 + (size_t)i], change);
    }
    for (size_t i = 0; i < s->n; i++) out->u[i] -= change[i] / s->diagonal[i];
    for (size_t i = 0; s->problem->any_mask && i < s->n; i++)
        if (s->problem->mask[i]) out->u[i] = 0;
}

/* Product over the common vertices of how alike the weights are; 0 without common ones. */
static double likeness(const mlcp_contact *a, const mlcp_contact *b)
{
    double product = 1;
    bool common = false;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (a->vertex[i] == b->vertex[j] && (a->weight[i] != 0 || b->weight[j] != 0)) {
                product *= 1 - fabs(fabs(a->weight[i]) - fabs(b->weight[j]));
                common = true;
            }
    return common ? fmax(0, product) : 0;
}

/* Contacts by vertex, so that only those with common vertices are compared. */
static bool index_by_vertex(mlcp_solver *s)
{
    size_t vertices = s->model->surface.rows.count, total = 0;
    for (size_t k = 0; k < s->contacts.count; k++) total += (size_t)s->contacts.data[k].count;
    if (!array_resize(&s->index.start, vertices + 2) ||
        !array_resize(&s->index.contacts, total + 1) ||
        !array_resize(&s->index.mark, s->contacts.count + 1))
        return false;
    int32_t *start = s->index.start.data;
    memset(start, 0, (vertices + 2) * sizeof *start);
    for (size_t k = 0; k < s->contacts.count; k++)
        for (int i = 0; i < s->contacts.data[k].count; i++)
            start[s->contacts.data[k].vertex[i] + 2]++;
    for (size_t v = 0; v < vertices; v++) start[v + 2] += start[v + 1];
    for (size_t k = 0; k < s->contacts.count; k++)
        for (int i = 0; i < s->contacts.data[k].count; i++)
            s->index.contacts.data[start[s->contacts.data[k].vertex[i] + 1]++] = (int32_t)k;
    return true;
}

abut_status mlcp_prepare_rows(mlcp_solver *s, abut_error *err)
{
    if (!index_by_vertex(s)) return error_memory(err, "preparing contact rows");
    for (size_t k = 0; k <= s->contacts.count; k++) s->index.mark.data[k] = -1;
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        c->scale_n = row_scale(s, c, c->normal);
        for (int i = 0; i < 2; i++) c->scale_t[i] = row_scale(s, c, c->tangent[i]);
        c->duplicates = 0;
        for (int i = 0; i < c->count; i++)
            for (int32_t at = s->index.start.data[c->vertex[i]];
                 at < s->index.start.data[c->vertex[i] + 1]; at++) {
                int32_t other = s->index.contacts.data[at];
                if (s->index.mark.data[other] == (int32_t)k) continue;
                s->index.mark.data[other] = (int32_t)k;
                c->duplicates += likeness(c, &s->contacts.data[other]);
            }
        c->duplicates = fmax(1, c->duplicates);
    }
    return ABUT_OK;
}

void mlcp_add_forces(const mlcp_solver *s, vec3 *force)
{
    for (size_t k = 0; k < s->contacts.count; k++) {
        const mlcp_contact *c = &s->contacts.data[k];
        if (c->state == MLCP_OFF) continue;
        const double *g = c->state == MLCP_STICKS ? c->gamma : c->slide.force;
        vec3 sum = vec3_scale(c->lambda, c->normal);
        for (int i = 0; i < 2; i++) sum = vec3_mul_add(sum, -g[i], c->tangent[i]);
        for (int i = 0; i < c->count; i++)
            force[c->vertex[i]] =
                vec3_mul_add(force[c->vertex[i]], c->weight[i] / (s->h * s->h), sum);
    }
}
