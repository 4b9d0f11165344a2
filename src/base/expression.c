#include "base/expression.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- */
/* Functions                                                                                      */

static const double PI = 3.14159265358979323846;

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double negate(double a) { return -a; }
static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }
static double to_radians(double a) { return a * PI / 180; }
static double sign(double a) { return (a > 0) - (a < 0); }
static double is_less(double a, double b) { return a < b ? 1 : 0; }
static double smooth_abs(double a, double k) { return tanh(k * a) * a; }
static double choose(double condition, double yes, double no) { return condition >= 0 ? yes : no; }
static double smoothstep(double a) { return a < 0 ? 0 : a > 1 ? 1 : a * a * (3 - 2 * a); }
static double half_smoothstep(double a) { return 2 * smoothstep((a + 1) / 2) - 1; }
static double rotated_x(double x, double y, double angle)
{
    return x * cos(angle) - y * sin(angle);
}
static double rotated_y(double x, double y, double angle)
{
    return x * sin(angle) + y * cos(angle);
}
static double factorial(double n) { return n < 0 ? NAN : round(tgamma(floor(n) + 1)); }
static double combinations(double n, double r)
{
    return round(exp(lgamma(n + 1) - lgamma(r + 1) - lgamma(n - r + 1)));
}
static double permutations(double n, double r) { return combinations(n, r) * factorial(r); }

typedef struct function {
    const char *name;
    int arguments;
    double (*one)(double);
    double (*two)(double, double);
    double (*three)(double, double, double);
} function;

static const function functions[] = {
    {"+", 2, NULL, add, NULL},
    {"-", 2, NULL, subtract, NULL},
    {"*", 2, NULL, multiply, NULL},
    {"/", 2, NULL, divide, NULL},
    {"%", 2, NULL, fmod, NULL},
    {"^", 2, NULL, pow, NULL},
    {"neg", 1, negate, NULL, NULL}, /* the sign; cannot be written as a name */
    {"abs", 1, fabs, NULL, NULL},
    {"acos", 1, acos, NULL, NULL},
    {"asin", 1, asin, NULL, NULL},
    {"atan", 1, atan, NULL, NULL},
    {"atan2", 2, NULL, atan2, NULL},
    {"ceil", 1, ceil, NULL, NULL},
    {"compare", 2, NULL, is_less, NULL},
    {"cos", 1, cos, NULL, NULL},
    {"cosh", 1, cosh, NULL, NULL},
    {"deg2rad", 1, to_radians, NULL, NULL},
    {"exp", 1, exp, NULL, NULL},
    {"fac", 1, factorial, NULL, NULL},
    {"floor", 1, floor, NULL, NULL},
    {"half_smoothstep", 1, half_smoothstep, NULL, NULL},
    {"if", 3, NULL, NULL, choose},
    {"ln", 1, log, NULL, NULL},
    {"log", 1, log10, NULL, NULL},
    {"log10", 1, log10, NULL, NULL},
    {"max", 2, NULL, greater, NULL},
    {"min", 2, NULL, lesser, NULL},
    {"ncr", 2, NULL, combinations, NULL},
    {"npr", 2, NULL, permutations, NULL},
    {"pow", 2, NULL, pow, NULL},
    {"rotate_2D_x", 3, NULL, NULL, rotated_x},
    {"rotate_2D_y", 3, NULL, NULL, rotated_y},
    {"sign", 1, sign, NULL, NULL},
    {"sin", 1, sin, NULL, NULL},
    {"sinh", 1, sinh, NULL, NULL},
    {"smooth_abs", 2, NULL, smooth_abs, NULL},
    {"smoothstep", 1, smoothstep, NULL, NULL},
    {"sqrt", 1, sqrt, NULL, NULL},
    {"tan", 1, tan, NULL, NULL},
    {"tanh", 1, tanh, NULL, NULL},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions, NEGATE = 6, FIRST_NAMED = 7 };

/* ---------------------------------------------------------------------------------------------- */
/* Compilation                                                                                    */

/* An operation on a stack: push a number or a variable, or apply a function to the top. */
typedef struct operation {
    int kind; /* -2: number; -1: variable; else the function */
    int variable;
    double number;
} operation;

enum { PUSH_NUMBER = -2, PUSH_VARIABLE = -1, MAX_DEPTH = 100 };

struct expression {
    ARRAY(operation) operations;
};

typedef struct parser {
    const char *text, *at;
    expression *out;
    int depth, nesting; /* of the stack; of the calls */
    abut_error *err;
} parser;

static abut_status fail(parser *p, const char *what)
{
    return error_set(p->err, ABUT_ERROR_INPUT, "", "%s at character %zu of the expression \"%s\"",
                     what, (size_t)(p->at - p->text) + 1, p->text);
}

static abut_status emit(parser *p, operation o)
{
    int pops = o.kind >= 0 ? functions[o.kind].arguments : 0;
    p->depth += 1 - pops;
    if (p->depth > MAX_DEPTH) return fail(p, "too many open operations");
    return array_push(&p->out->operations, o) ? ABUT_OK
                                              : error_memory(p->err, "reading an expression");
}

static void skip_space(parser *p)
{
    while (isspace((unsigned char)*p->at)) p->at++;
}

static abut_status parse_sum(parser *p);
static abut_status parse_signed(parser *p);

static abut_status parse_arguments(parser *p, int f)
{
    for (int k = 0; k < functions[f].arguments; k++) {
        skip_space(p);
        if (*p->at != (k ? ',' : '('))
            return fail(p, k ? "a comma is missing" : "a parenthesis is missing");
        p->at++;
        TRY(parse_sum(p));
    }
    skip_space(p);
    if (*p->at != ')') return fail(p, "a closing parenthesis is missing");
    p->at++;
    return emit(p, (operation){.kind = f});
}

static abut_status parse_name(parser *p)
{
    const char *begin = p->at, *end = begin;
    while (isalnum((unsigned char)*end) || *end == '_') end++;
    size_t length = (size_t)(end - begin);
    static const char *const variables = "xyzt";
    if (length == 1 && strchr(variables, *begin)) {
        p->at = end;
        return emit(p, (operation){.kind = PUSH_VARIABLE,
                                   .variable = (int)(strchr(variables, *begin) - variables)});
    }
    bool is_pi = length == 2 && strncmp(begin, "pi", 2) == 0;
    if (is_pi || (length == 1 && *begin == 'e')) {
        p->at = end;
        skip_space(p);
        if (p->at[0] == '(' && p->at[1] == ')') p->at += 2;
        return emit(p, (operation){.kind = PUSH_NUMBER, .number = is_pi ? PI : exp(1)});
    }
    for (int f = FIRST_NAMED; f < FUNCTION_COUNT; f++) {
        if (strlen(functions[f].name) != length || strncmp(functions[f].name, begin, length) != 0)
            continue;
        p->at = end;
        skip_space(p);
        if (functions[f].arguments > 1 || *p->at == '(') return parse_arguments(p, f);
        TRY(parse_signed(p));
        return emit(p, (operation){.kind = f});
    }
    return fail(p, "unknown name");
}

static abut_status parse_base(parser *p)
{
    skip_space(p);
    if (*p->at == '(') {
        p->at++;
        TRY(parse_sum(p));
        skip_space(p);
        if (*p->at != ')') return fail(p, "a closing parenthesis is missing");
        p->at++;
        return ABUT_OK;
    }
    if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        double value;
        if (number_read_double(&p->at, p->at + strlen(p->at), &value) != NUMBER_OK)
            return fail(p, "a number is wrong");
        return emit(p, (operation){.kind = PUSH_NUMBER, .number = value});
    }
    if (isalpha((unsigned char)*p->at) || *p->at == '_') return parse_name(p);
    return fail(p, *p->at ? "an operand is missing" : "the expression ends too early");
}

static abut_status parse_signed(parser *p)
{
    bool negative = false;
    if (++p->nesting > MAX_DEPTH) return fail(p, "too deep nesting");
    for (skip_space(p); *p->at == '-' || *p->at == '+'; skip_space(p))
        if (*p->at++ == '-') negative = !negative;
    TRY(parse_base(p));
    p->nesting--;
    return negative ? emit(p, (operation){.kind = NEGATE}) : ABUT_OK;
}

/* Operands of the next level, joined from the left by operators of one level. */
static abut_status parse_level(parser *p, int level)
{
    static const char *const operators[] = {"+-", "*/%", "^"};
    if (level == 3) return parse_signed(p);
    TRY(parse_level(p, level + 1));
    for (;;) {
        skip_space(p);
        const char *found = *p->at ? strchr(operators[level], *p->at) : NULL;
        if (!found) return ABUT_OK;
        p->at++;
        TRY(parse_level(p, level + 1));
        int f = 0;
        while (functions[f].name[0] != *found) f++;
        TRY(emit(p, (operation){.kind = f}));
    }
}

static abut_status parse_sum(parser *p) { return parse_level(p, 0); }

abut_status expression_parse(const char *text, expression **out, abut_error *err)
{
    expression *e = mem_calloc(1, sizeof *e);
    if (!e) return error_memory(err, "reading an expression");
    parser p = {.text = text, .at = text, .out = e, .err = err};
    abut_status status = parse_sum(&p);
    if (status == ABUT_OK && *p.at) status = fail(&p, "unexpected character");
    if (status != ABUT_OK) {
        expression_free(e);
        return status;
    }
    *out = e;
    return ABUT_OK;
}

expression *expression_constant(double value)
{
    expression *e = mem_calloc(1, sizeof *e);
    if (e && array_push(&e->operations, (operation){.kind = PUSH_NUMBER, .number = value}))
        return e;
    expression_free(e);
    return NULL;
}

expression *expression_copy(const expression *e)
{
    expression *copy = mem_calloc(1, sizeof *copy);
    if (!copy || !array_resize(&copy->operations, e->operations.count)) {
        expression_free(copy);
        return NULL;
    }
    memcpy(copy->operations.data, e->operations.data,
           e->operations.count * sizeof *e->operations.data);
    return copy;
}

void expression_free(expression *e)
{
    if (!e) return;
    array_free(&e->operations);
    mem_free(e);
}

/* ---------------------------------------------------------------------------------------------- */
/* Evaluation                                                                                     */

double expression_value(const expression *e, double x, double y, double z, double t)
{
    double stack[MAX_DEPTH + 1], variables[4] = {x, y, z, t};
    int top = 0;
    for (size_t i = 0; i < e->operations.count; i++) {
        const operation *o = &e->operations.data[i];
        if (o->kind == PUSH_NUMBER) {
            stack[top++] = o->number;
        } else if (o->kind == PUSH_VARIABLE) {
            stack[top++] = variables[o->variable];
        } else {
            const function *f = &functions[o->kind];
            top -= f->arguments;
            const double *a = stack + top;
            stack[top++] = f->one   ? f->one(a[0])
                           : f->two ? f->two(a[0], a[1])
                                    : f->three(a[0], a[1], a[2]);
        }
    }
    return stack[0];
}

bool expression_is_constant(const expression *e)
{
    for (size_t i = 0; i < e->operations.count; i++)
        if (e->operations.data[i].kind == PUSH_VARIABLE) return false;
    return true;
}
