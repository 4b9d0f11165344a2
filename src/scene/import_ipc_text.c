#include "scene/import_ipc.h"

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* --- Words of a line --- */

typedef struct reader {
    const char *p, *end;
    int line;
    const char *path, *keyword;
    ipc_script *out;
    abut_error *err;
} reader;

enum { WORD_SIZE = 512 };

static abut_status fail(const reader *r, abut_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static abut_status fail(const reader *r, abut_status code, const char *format, ...)
{
    char place[256], message[400];
    snprintf(place, sizeof place, "%.200s:%d", r->path, r->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_set(r->err, code, place, "%s: %s", r->keyword, message);
}

static void note(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(const reader *r, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log_message(r->out->log, ABUT_LOG_WARNING, "%s:%d: %s: %s", r->path, r->line, r->keyword,
                message);
}

static void skip_line(reader *r)
{
    while (r->p < r->end && *r->p != '\n') r->p++;
}

/* Moves to the next word of this line; a backslash at the end of a line joins it with the next one,
 * and # starts a comment. False at the end of the line. */
static bool at_word(reader *r)
{
    for (;;) {
        while (r->p < r->end && *r->p != '\n' && isspace((unsigned char)*r->p)) r->p++;
        if (r->p >= r->end || *r->p == '\n') return false;
        if (*r->p == '#') {
            skip_line(r);
            return false;
        }
        if (*r->p != '\\') return true;
        skip_line(r);
        if (r->p >= r->end) return false;
        r->p++;
        r->line++;
    }
}

/* The next word of the line; false when there is none or it is too long. */
static bool next_word(reader *r, char word[WORD_SIZE])
{
    if (!at_word(r)) return false;
    size_t length = 0;
    while (r->p < r->end && !isspace((unsigned char)*r->p)) {
        if (length + 1 >= WORD_SIZE) return false;
        word[length++] = *r->p++;
    }
    word[length] = 0;
    return true;
}

static bool word_is_number(const char *word, double *value)
{
    const char *cursor = word, *end = word + strlen(word);
    return number_read_double(&cursor, end, value) == NUMBER_OK && cursor == end;
}

static abut_status need_word(reader *r, const char *what, char word[WORD_SIZE])
{
    return next_word(r, word) ? ABUT_OK : fail(r, ABUT_ERROR_INPUT, "%s is missing", what);
}

static abut_status need_number(reader *r, const char *what, double *out)
{
    char word[WORD_SIZE];
    TRY(need_word(r, what, word));
    return word_is_number(word, out)
               ? ABUT_OK
               : fail(r, ABUT_ERROR_INPUT, "%s must be a number, not \"%.60s\"", what, word);
}

static abut_status need_vector(reader *r, const char *what, vec3 *out)
{
    TRY(need_number(r, what, &out->x));
    TRY(need_number(r, what, &out->y));
    return need_number(r, what, &out->z);
}

static abut_status need_count(reader *r, const char *what, int low, int high, int *out)
{
    double value;
    TRY(need_number(r, what, &value));
    if (!(value >= low && value <= high) || value != (double)(int)value)
        return fail(r, ABUT_ERROR_INPUT, "%s must be a whole number from %d to %d, not %g", what,
                    low, high, value);
    *out = (int)value;
    return ABUT_OK;
}

static abut_status need_positive(reader *r, const char *what, double *out)
{
    TRY(need_number(r, what, out));
    return *out > 0 ? ABUT_OK
                    : fail(r, ABUT_ERROR_INPUT, "%s must be greater than 0, not %g", what, *out);
}

/* Reads a number if the next word of the line is one. */
static bool optional_number(reader *r, double *out)
{
    reader before = *r;
    char word[WORD_SIZE];
    if (next_word(r, word) && word_is_number(word, out)) return true;
    *r = before;
    return false;
}

/* Numbers may go on over the following lines. */
static abut_status number_on_any_line(reader *r, const char *what, double *out)
{
    while (!at_word(r)) {
        if (r->p >= r->end) return fail(r, ABUT_ERROR_INPUT, "%s is missing", what);
        r->p++;
        r->line++;
    }
    return need_number(r, what, out);
}

static mat3 rotation_xyz(vec3 degrees)
{
    double c[3], s[3];
    for (int i = 0; i < 3; i++) {
        double angle = vec3_get(degrees, i) / 180 * PI;
        c[i] = cos(angle);
        s[i] = sin(angle);
    }
    mat3 x = {{{1, 0, 0}, {0, c[0], -s[0]}, {0, s[0], c[0]}}};
    mat3 y = {{{c[1], 0, s[1]}, {0, 1, 0}, {-s[1], 0, c[1]}}};
    mat3 z = {{{c[2], -s[2], 0}, {s[2], c[2], 0}, {0, 0, 1}}};
    return mat3_mul(mat3_mul(x, y), z);
}

/* --- Keywords that set one value --- */

static abut_status read_energy(reader *r)
{
    char word[WORD_SIZE];
    TRY(need_word(r, "the energy", word));
    if (strcmp(word, "NH") != 0 && strcmp(word, "FCR") != 0)
        return fail(r, ABUT_ERROR_INPUT, "unknown energy \"%.60s\"; known are NH and FCR", word);
    r->out->corotated = word[0] == 'F';
    return ABUT_OK;
}

static abut_status read_integration(reader *r)
{
    char word[WORD_SIZE];
    TRY(need_word(r, "the integrator", word));
    r->out->newmark = strcmp(word, "NM") == 0;
    if (!r->out->newmark && strcmp(word, "BE") != 0)
        return fail(r, ABUT_ERROR_INPUT, "unknown integrator \"%.60s\"; known are BE and NM", word);
    if (r->out->newmark && optional_number(r, &r->out->newmark_beta))
        TRY(need_number(r, "gamma", &r->out->newmark_gamma));
    return ABUT_OK;
}

static abut_status read_size(reader *r) { return need_number(r, "the size", &r->out->size); }

static abut_status read_time(reader *r)
{
    TRY(need_positive(r, "the duration", &r->out->duration));
    return need_positive(r, "the time step", &r->out->step);
}

static abut_status read_density(reader *r)
{
    return need_positive(r, "the density", &r->out->material.density);
}

static abut_status read_stiffness(reader *r)
{
    TRY(need_positive(r, "Young's modulus", &r->out->material.young));
    return need_number(r, "Poisson's ratio", &r->out->material.poisson);
}

static abut_status read_no_gravity(reader *r)
{
    r->out->gravity = false;
    return ABUT_OK;
}

static abut_status read_damping_stiffness(reader *r)
{
    TRY(need_number(r, "the damping", &r->out->damping_stiffness));
    r->out->damping_stiffness = fmax(0, r->out->damping_stiffness);
    return ABUT_OK;
}

static abut_status read_damping_ratio(reader *r)
{
    TRY(need_number(r, "the ratio", &r->out->damping_ratio));
    r->out->damping_ratio = fmin(1, fmax(0, r->out->damping_ratio));
    return ABUT_OK;
}

static abut_status read_self_on(reader *r)
{
    r->out->contact.self = true;
    return ABUT_OK;
}

static abut_status read_self_off(reader *r)
{
    r->out->contact.self = false;
    return ABUT_OK;
}

static abut_status read_self_friction(reader *r)
{
    TRY(need_number(r, "the coefficient", &r->out->contact.self_friction));
    r->out->contact.self_friction = fmax(0, r->out->contact.self_friction);
    return ABUT_OK;
}

static abut_status read_fix_times(reader *r)
{
    TRY(need_number(r, "the start", &r->out->fix.from));
    return need_number(r, "the end", &r->out->fix.until);
}

static abut_status read_force_times(reader *r)
{
    TRY(need_number(r, "the start", &r->out->force.from));
    return need_number(r, "the end", &r->out->force.until);
}

static abut_status read_rotate_model(reader *r)
{
    TRY(need_vector(r, "the axis", &r->out->model_axis));
    TRY(need_number(r, "the angle", &r->out->model_degrees));
    if (!(vec3_norm(r->out->model_axis) > 0))
        return fail(r, ABUT_ERROR_INPUT, "the axis must not be zero");
    return ABUT_OK;
}

static abut_status read_handle_ratio(reader *r)
{
    TRY(need_number(r, "the ratio", &r->out->handle_ratio));
    if (!(r->out->handle_ratio > 0 && r->out->handle_ratio < 0.5))
        return fail(r, ABUT_ERROR_INPUT, "the ratio must be between 0 and 0.5, not %g",
                    r->out->handle_ratio);
    return ABUT_OK;
}

static abut_status read_dhat(reader *r) { return need_positive(r, "dHat", &r->out->contact.dhat); }
static abut_status read_eps_v(reader *r)
{
    return need_positive(r, "eps_v", &r->out->contact.eps_v);
}

static abut_status read_absolute(reader *r)
{
    r->out->contact.absolute = true;
    return ABUT_OK;
}

static abut_status read_friction_iterations(reader *r)
{
    double count;
    TRY(need_number(r, "the number of passes", &count));
    /* Not positive: until convergence, which the native form writes as 0. */
    r->out->contact.friction_iterations = count >= 1 ? (int)fmin(count, 10000) : 0;
    return ABUT_OK;
}

/* The tolerances of the first steps; the last one applies from then on. Only that one is kept. */
static abut_status read_tolerances(reader *r)
{
    int count = 0;
    TRY(need_count(r, "the number of values", 0, 1000, &count));
    for (int i = 0; i < count; i++) TRY(number_on_any_line(r, "a tolerance", &r->out->tolerance));
    if (count > 1) note(r, "only the last of the %d tolerances is used, for all steps", count);
    if (!(r->out->tolerance > 0))
        return fail(r, ABUT_ERROR_INPUT, "a tolerance must be greater than 0, not %g",
                    r->out->tolerance);
    return ABUT_OK;
}

/* First stiffness, first and final dHat, smallest distance, first and final eps_v. Only the final
 * values matter: the stiffness adapts by itself, and no homotopy is done. */
static abut_status read_tuning(reader *r)
{
    int count = 0;
    double value[6] = {0, 1e-3, 1e-3, 1e-9, 1e-3, 1e-3};
    TRY(need_count(r, "the number of values", 0, 6, &count));
    for (int i = 0; i < count; i++) TRY(number_on_any_line(r, "a value", &value[i]));
    if (value[0] != 0) note(r, "the first stiffness %g is not used: it is adapted", value[0]);
    if (value[1] != value[2])
        note(r, "the first dHat %g is not used, only the final one, %g", value[1], value[2]);
    if (!(value[2] > 0 && value[5] > 0))
        return fail(r, ABUT_ERROR_INPUT, "dHat and eps_v must be greater than 0");
    r->out->contact.dhat = value[2];
    r->out->contact.eps_v = value[5];
    return ABUT_OK;
}

static abut_status read_script(reader *r)
{
    char word[WORD_SIZE];
    TRY(need_word(r, "the kind", word));
    r->out->kind.line = r->line;
    snprintf(r->out->kind.word, sizeof r->out->kind.word, "%.60s", word);
    array_clear(&r->out->kind.parameters);
    if (strcmp(word, "meshSeqFromFile") == 0) {
        TRY(need_word(r, "the folder", word));
        mem_free(r->out->kind.folder);
        r->out->kind.folder = ipc_resolve(r->path, word);
        if (!r->out->kind.folder) return error_memory(r->err, "reading a script");
    }
    double count = 0, value;
    if (!optional_number(r, &count)) return ABUT_OK;
    for (int i = 0; i < count; i++) {
        TRY(need_number(r, "a parameter", &value));
        if (!array_push(&r->out->kind.parameters, value))
            return error_memory(r->err, "reading a script");
    }
    return ABUT_OK;
}

static abut_status read_constraint_solver(reader *r)
{
    char word[WORD_SIZE];
    TRY(need_word(r, "the solver", word));
    if (strcmp(word, "IP") == 0 || strcmp(word, "interiorPoint") == 0) return ABUT_OK;
    if (strcmp(word, "QP") != 0 && strcmp(word, "SQP") != 0)
        return fail(r, ABUT_ERROR_INPUT,
                    "unknown solver \"%.60s\"; known are interiorPoint (or IP), SQP and QP", word);
    note(r, "%s is not here: contact is solved by the barrier method (interiorPoint)", word);
    return ABUT_OK;
}

static abut_status read_time_stepper(reader *r)
{
    char word[WORD_SIZE];
    TRY(need_word(r, "the method", word));
    if (strcmp(word, "Newton") != 0) note(r, "%.60s is not here: Newton's method is used", word);
    return ABUT_OK;
}

static abut_status read_linear_solver(reader *r)
{
    char word[WORD_SIZE];
    TRY(need_word(r, "the solver", word));
    bool iterative = strcmp(word, "AMGCL") == 0 || strcmp(word, "amgcl") == 0;
    r->out->linear_solver = iterative ? "pcg" : "direct";
    return ABUT_OK;
}

/* --- Obstacles without shapes --- */

static abut_status add_plane(reader *r, ipc_plane plane)
{
    if (!(plane.friction >= 0))
        return fail(r, ABUT_ERROR_INPUT, "the friction must not be negative, but is %g",
                    plane.friction);
    if (!(vec3_norm(plane.normal) > 0))
        return fail(r, ABUT_ERROR_INPUT, "the normal must not be zero");
    return array_push(&r->out->planes, plane) ? ABUT_OK : error_memory(r->err, "reading a script");
}

static abut_status read_ground(reader *r)
{
    ipc_plane plane = {.normal = {0, 1, 0}};
    double stiffness; /* of an old version */
    TRY(need_number(r, "the friction", &plane.friction));
    TRY(need_number(r, "the height", &plane.origin.y));
    optional_number(r, &stiffness);
    return add_plane(r, plane);
}

static abut_status read_half_space(reader *r)
{
    ipc_plane plane = {0};
    double stiffness;
    TRY(need_vector(r, "the origin", &plane.origin));
    TRY(need_vector(r, "the normal", &plane.normal));
    TRY(need_number(r, "the stiffness", &stiffness));
    TRY(need_number(r, "the friction", &plane.friction));
    return add_plane(r, plane);
}

static abut_status read_mesh_collider(reader *r)
{
    char word[WORD_SIZE];
    ipc_collider c = {.line = r->line, .rotate = mat3_identity()};
    double stiffness;
    TRY(need_word(r, "the mesh file", word));
    char name[WORD_SIZE];
    memcpy(name, word, sizeof name);
    TRY(need_vector(r, "the origin", &c.origin));
    TRY(need_positive(r, "the scale", &c.scale));
    TRY(need_number(r, "the stiffness", &stiffness));
    TRY(need_number(r, "the friction", &c.friction));
    if (next_word(r, word)) {
        vec3 degrees;
        if (strcmp(word, "rotate") != 0)
            return fail(r, ABUT_ERROR_INPUT, "unknown setting \"%.60s\"; known is rotate", word);
        TRY(need_vector(r, "the rotation", &degrees));
        c.rotate = rotation_xyz(degrees);
    }
    c.path = ipc_resolve(r->path, name);
    if (!c.path || !array_push(&r->out->colliders, c)) {
        mem_free(c.path);
        return error_memory(r->err, "reading a script");
    }
    return ABUT_OK;
}

/* --- Shapes --- */

static abut_status add_shape(reader *r, const char *name, ipc_shape shape)
{
    shape.path = ipc_resolve(r->path, name);
    shape.line = r->line;
    if (!shape.path || !array_push(&r->out->shapes, shape)) {
        mem_free(shape.path);
        return error_memory(r->err, "reading a script");
    }
    return ABUT_OK;
}

static abut_status read_material(reader *r, ipc_shape *shape)
{
    shape->has_material = true;
    TRY(need_positive(r, "the density", &shape->material.density));
    TRY(need_positive(r, "Young's modulus", &shape->material.young));
    return need_number(r, "Poisson's ratio", &shape->material.poisson);
}

static abut_status read_condition(reader *r, bool force, ipc_shape *shape)
{
    ipc_condition c = {.force = force, .until = INFINITY};
    TRY(need_vector(r, "the lower corner", &c.low));
    TRY(need_vector(r, "the upper corner", &c.high));
    TRY(need_vector(r, force ? "the force" : "the velocity", &c.velocity));
    if (!force) TRY(need_vector(r, "the angular velocity", &c.spin));
    if (optional_number(r, &c.from)) optional_number(r, &c.until);
    return array_push(&shape->conditions, c) ? ABUT_OK : error_memory(r->err, "reading a script");
}

static abut_status read_initial_velocity(reader *r, ipc_shape *shape)
{
    shape->has_initial = true;
    TRY(need_vector(r, "the velocity", &shape->initial_velocity));
    TRY(need_vector(r, "the angular velocity", &shape->initial_spin));
    shape->initial_spin = vec3_scale(PI / 180, shape->initial_spin);
    return ABUT_OK;
}

static abut_status read_sequence(reader *r, ipc_shape *shape)
{
    char word[WORD_SIZE];
    TRY(need_word(r, "the folder", word));
    mem_free(shape->sequence);
    shape->sequence = ipc_resolve(r->path, word);
    return shape->sequence ? ABUT_OK : error_memory(r->err, "reading a script");
}

/* What may stand behind the transform of a shape. */
static abut_status read_shape_settings(reader *r, ipc_shape *shape)
{
    static const char *const words[] = {"material", "linearVelocity", "angularVelocity", "DBC",
                                        "NBC",      "initVel",        "meshSeq"};
    char word[WORD_SIZE];
    while (next_word(r, word)) {
        size_t k = 0, known = sizeof words / sizeof *words;
        while (k < known && strcmp(word, words[k]) != 0) k++;
        if (k == known) {
            const char *near = text_closest(word, words, known);
            return fail(r, ABUT_ERROR_INPUT, "unknown setting \"%.60s\" of a shape%s%s%s", word,
                        near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
        }
        r->keyword = words[k];
        switch (k) {
        case 0: TRY(read_material(r, shape)); break;
        case 1:
            shape->has_velocity = true;
            TRY(need_vector(r, "the velocity", &shape->velocity));
            break;
        case 2:
            shape->has_spin = true;
            TRY(need_vector(r, "the angular velocity", &shape->spin));
            break;
        case 3:
        case 4: TRY(read_condition(r, k == 4, shape)); break;
        case 5: TRY(read_initial_velocity(r, shape)); break;
        default: TRY(read_sequence(r, shape)); break;
        }
    }
    return ABUT_OK;
}

/* Goes to the next line that is not empty or a comment. */
static abut_status next_shape_line(reader *r)
{
    do {
        skip_line(r);
        if (r->p >= r->end)
            return fail(r, ABUT_ERROR_INPUT, "the file ends where a shape is expected");
        r->p++;
        r->line++;
    } while (!at_word(r));
    return ABUT_OK;
}

static abut_status need_input_word(reader *r)
{
    char word[WORD_SIZE];
    TRY(need_word(r, "the word input", word));
    return strcmp(word, "input") == 0
               ? ABUT_OK
               : fail(r, ABUT_ERROR_INPUT, "expected the word \"input\", not \"%.60s\"", word);
}

static abut_status read_shape(reader *r)
{
    char name[WORD_SIZE];
    TRY(need_input_word(r));
    TRY(need_word(r, "the mesh file", name));
    return add_shape(r, name, (ipc_shape){.rotate = mat3_identity(), .scale = {1, 1, 1}});
}

static abut_status read_transform(reader *r, ipc_shape *shape)
{
    vec3 degrees;
    TRY(need_vector(r, "the translation", &shape->translate));
    TRY(need_vector(r, "the rotation", &degrees));
    shape->rotate = rotation_xyz(degrees);
    TRY(need_vector(r, "the scale", &shape->scale));
    if (shape->scale.x * shape->scale.y * shape->scale.z == 0)
        return fail(r, ABUT_ERROR_INPUT, "a scale must not be 0");
    return ABUT_OK;
}

static abut_status read_shapes(reader *r)
{
    int count = 0;
    TRY(need_input_word(r));
    TRY(need_count(r, "the number of shapes", 0, 1000000, &count));
    for (int i = 0; i < count; i++) {
        char name[WORD_SIZE];
        r->keyword = "shapes";
        TRY(next_shape_line(r));
        TRY(need_word(r, "the mesh file", name));
        TRY(add_shape(r, name, (ipc_shape){0}));
        ipc_shape *shape = &r->out->shapes.data[r->out->shapes.count - 1];
        TRY(read_transform(r, shape));
        TRY(read_shape_settings(r, shape));
    }
    return ABUT_OK;
}

static abut_status read_shape_matrix(reader *r)
{
    int count[3];
    vec3 at = {0};
    TRY(need_input_word(r));
    for (int i = 0; i < 3; i++) TRY(need_count(r, "a number of shapes", 1, 100000, &count[i]));
    if (optional_number(r, &at.x) && optional_number(r, &at.y)) optional_number(r, &at.z);
    TRY(next_shape_line(r));
    char name[WORD_SIZE], word[WORD_SIZE];
    TRY(need_word(r, "the mesh file", name));
    ipc_shape shape = {0};
    TRY(read_transform(r, &shape));
    vec3 step = shape.translate;
    if (next_word(r, word)) {
        if (strcmp(word, "material") != 0)
            return fail(r, ABUT_ERROR_INPUT, "unknown setting \"%.60s\"; known is material", word);
        TRY(read_material(r, &shape));
    }
    for (int x = 0; x < count[0]; x++)
        for (int y = 0; y < count[1]; y++)
            for (int z = 0; z < count[2]; z++) {
                shape.translate = vec3_add(at, vec3_make(step.x * x, step.y * y, step.z * z));
                TRY(add_shape(r, name, shape));
            }
    return ABUT_OK;
}

/* --- Sections, and the table of all keywords --- */

/* Settings for some solvers only; those of others than the interior point method are skipped. */
static abut_status read_section(reader *r)
{
    char word[WORD_SIZE];
    bool any = false;
    while (next_word(r, word)) {
        if (strcmp(word, "end") == 0 || strcmp(word, "IP") == 0 ||
            strcmp(word, "interiorPoint") == 0)
            return ABUT_OK;
        any = true;
    }
    if (!any) return ABUT_OK; /* closes a section */
    for (;;) {
        skip_line(r);
        if (r->p >= r->end) return ABUT_OK;
        r->p++;
        r->line++;
        if (!next_word(r, word) || strcmp(word, "section") != 0) continue;
        if (!next_word(r, word) || strcmp(word, "end") == 0) return ABUT_OK;
        return fail(r, ABUT_ERROR_INPUT, "a section starts inside another one");
    }
}

/* Settings of the other program's window, output or algorithm that change no result. */
static abut_status read_nothing(reader *r)
{
    skip_line(r);
    return ABUT_OK;
}

static abut_status read_unused(reader *r)
{
    note(r, "this setting is not used");
    skip_line(r);
    return ABUT_OK;
}

static abut_status refuse_restart(reader *r)
{
    return fail(r, ABUT_ERROR_UNSUPPORTED,
                "status files of the IPC program cannot be read; start from the beginning, or go "
                "on with a run of this program by --resume");
}

static const struct {
    const char *word;
    abut_status (*read)(reader *r);
} keywords[] = {
    {"energy", read_energy},
    {"timeIntegration", read_integration},
    {"timeStepper", read_time_stepper},
    {"linearSolver", read_linear_solver},
    {"linSysSolver", read_linear_solver},
    {"size", read_size},
    {"time", read_time},
    {"density", read_density},
    {"stiffness", read_stiffness},
    {"turnOffGravity", read_no_gravity},
    {"dampingStiff", read_damping_stiffness},
    {"dampingRatio", read_damping_ratio},
    {"script", read_script},
    {"DBCTimeRange", read_fix_times},
    {"NBCTimeRange", read_force_times},
    {"shape", read_shape},
    {"shapes", read_shapes},
    {"shapeMatrix", read_shape_matrix},
    {"tol", read_tolerances},
    {"ground", read_ground},
    {"halfSpace", read_half_space},
    {"meshCO", read_mesh_collider},
    {"selfCollisionOn", read_self_on},
    {"selfCollisionOff", read_self_off},
    {"selfFric", read_self_friction},
    {"constraintSolver", read_constraint_solver},
    {"rotateModel", read_rotate_model},
    {"handleRatio", read_handle_ratio},
    {"tuning", read_tuning},
    {"dHat", read_dhat},
    {"epsv", read_eps_v},
    {"eps_v", read_eps_v},
    {"fricIterAmt", read_friction_iterations},
    {"useAbsParameters", read_absolute},
    {"section", read_section},
    {"restart", refuse_restart},
    /* window and output */
    {"view", read_nothing},
    {"zoom", read_nothing},
    {"cameraTracking", read_nothing},
    {"playBackSpeed", read_nothing},
    {"appendStr", read_nothing},
    {"disableCout", read_nothing},
    /* of shapes that are not read from files, of which there are none any more */
    {"resolution", read_nothing},
    /* first guess of Newton's method, and details of solvers and CCD */
    {"warmStart", read_nothing},
    {"noActiveSetConvergence", read_nothing},
    {"useActiveSetConvergence", read_nothing},
    {"constraintType", read_nothing},
    {"constraintOffset", read_nothing},
    {"QPSolver", read_nothing},
    {"CCDMethod", read_nothing},
    {"ccdMethod", read_nothing},
    {"CCDTolerance", read_nothing},
    {"ccdTolerance", read_nothing},
    {"exactCCD", read_nothing},
    {"kappaMinMultiplier", read_unused},
    {"minBarrierStiffnessScale", read_unused},
};

static abut_status unknown_keyword(reader *r, const char *word)
{
    enum { KNOWN = sizeof keywords / sizeof *keywords };
    const char *names[KNOWN];
    for (size_t k = 0; k < KNOWN; k++) names[k] = keywords[k].word;
    const char *near = text_closest(word, names, KNOWN);
    char place[256];
    snprintf(place, sizeof place, "%.200s:%d", r->path, r->line);
    return error_set(r->err, ABUT_ERROR_INPUT, place, "unknown keyword \"%.60s\"%s%s%s", word,
                     near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static abut_status read_line(reader *r)
{
    char word[WORD_SIZE];
    if (!at_word(r)) return ABUT_OK;
    r->keyword = "line";
    if (!next_word(r, word)) return fail(r, ABUT_ERROR_INPUT, "a word is too long");
    for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++) {
        if (strcmp(word, keywords[k].word) != 0) continue;
        r->keyword = keywords[k].word;
        TRY(keywords[k].read(r));
        if (next_word(r, word)) note(r, "\"%.60s\" at the end of the line is ignored", word);
        return ABUT_OK;
    }
    return unknown_keyword(r, word);
}

abut_status ipc_read_text(const char *path, const char *text, size_t size, ipc_script *out,
                          abut_error *err)
{
    reader r = {.p = text, .end = text + size, .line = 1, .path = path, .out = out, .err = err};
    while (r.p < r.end) {
        TRY(read_line(&r));
        skip_line(&r);
        if (r.p < r.end) r.p++;
        r.line++;
    }
    if (out->shapes.count == 0)
        return error_set(err, ABUT_ERROR_INPUT, path, "the script has no shapes");
    return ABUT_OK;
}

bool ipc_is_link(const char *text, size_t size)
{
    while (size > 0 && isspace((unsigned char)text[size - 1])) size--;
    if (size < 5 || size >= WORD_SIZE || memcmp(text + size - 4, ".txt", 4) != 0) return false;
    for (size_t i = 0; i < size; i++)
        if (isspace((unsigned char)text[i])) return false;
    return true;
}
