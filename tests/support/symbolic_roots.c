#include "support/symbolic_roots.h"

#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MAX_DEGREE = 6, PRECISION = 512, TAR_BLOCK = 512 };

/* ---- Real roots of a polynomial, to far more digits than a double has ----------------------- */

typedef struct real_poly {
    mpf_t c[MAX_DEGREE + 1];
    int degree;
} real_poly;

static int sign_at(const real_poly *p, const mpf_t x)
{
    mpf_t value;
    mpf_init2(value, PRECISION);
    mpf_set(value, p->c[p->degree]);
    for (int i = p->degree - 1; i >= 0; i--) {
        mpf_mul(value, value, x);
        mpf_add(value, value, p->c[i]);
    }
    int sign = mpf_sgn(value);
    mpf_clear(value);
    return sign;
}

static void bisect(const real_poly *p, mpf_t low, mpf_t high)
{
    int below = sign_at(p, low);
    mpf_t middle;
    mpf_init2(middle, PRECISION);
    for (int i = 0; i < 300; i++) {
        mpf_add(middle, low, high);
        mpf_div_2exp(middle, middle, 1);
        if (sign_at(p, middle) == below)
            mpf_set(low, middle);
        else
            mpf_set(high, middle);
    }
    mpf_clear(middle);
}

/* Ascending real roots: between the roots of the derivative the polynomial is monotone. */
static int real_roots(const real_poly *p, mpf_t *roots)
{
    if (p->degree < 1) return 0;
    real_poly derivative = {.degree = p->degree - 1};
    mpf_t stationary[MAX_DEGREE + 2], low, high;
    for (int i = 0; i <= MAX_DEGREE; i++) mpf_init2(derivative.c[i], PRECISION);
    for (int i = 0; i < MAX_DEGREE + 2; i++) mpf_init2(stationary[i], PRECISION);
    mpf_init2(low, PRECISION);
    mpf_init2(high, PRECISION);
    for (int i = 0; i < p->degree; i++)
        mpf_mul_ui(derivative.c[i], p->c[i + 1], (unsigned long)i + 1);
    int turns = real_roots(&derivative, stationary + 1), count = 0;
    mpf_set_d(stationary[0], -1e30);
    mpf_set_d(stationary[turns + 1], 1e30);
    for (int i = 0; i <= turns; i++) {
        mpf_set(low, stationary[i]);
        mpf_set(high, stationary[i + 1]);
        if (sign_at(p, low) * sign_at(p, high) >= 0) continue;
        bisect(p, low, high);
        mpf_set(roots[count++], low);
    }
    for (int i = 0; i <= MAX_DEGREE; i++) mpf_clear(derivative.c[i]);
    for (int i = 0; i < MAX_DEGREE + 2; i++) mpf_clear(stationary[i]);
    mpf_clear(low);
    mpf_clear(high);
    return count;
}

/* ---- WXF ------------------------------------------------------------------------------------ */

/* An expression: a head with arguments, a symbol or string, or an integer as decimal text. */
typedef struct expression {
    char kind; /* 'f', 's', 'I' */
    const char *text;
    size_t length;
    struct expression *head, **argument;
    size_t count;
    char number[24];
} expression;

typedef struct wxf_reader {
    const unsigned char *at, *end;
} wxf_reader;

static void expression_free(expression *e)
{
    if (!e) return;
    expression_free(e->head);
    for (size_t i = 0; i < e->count; i++) expression_free(e->argument[i]);
    free(e->argument);
    free(e);
}

static bool read_length(wxf_reader *r, size_t *out)
{
    *out = 0;
    for (int shift = 0; shift < 42 && r->at < r->end; shift += 7) {
        unsigned char byte = *r->at++;
        *out |= (size_t)(byte & 127) << shift;
        if (byte < 128) return true;
    }
    return false;
}

static bool read_small_integer(wxf_reader *r, expression *e, int bytes)
{
    if (r->end - r->at < bytes) return false;
    unsigned long long value = 0;
    for (int i = 0; i < bytes; i++) value |= (unsigned long long)r->at[i] << (8 * i);
    r->at += bytes;
    long long number = (long long)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    e->length = (size_t)snprintf(e->number, sizeof e->number, "%lld", number);
    e->text = e->number;
    e->kind = 'I';
    return true;
}

static expression *read_expression(wxf_reader *r, int depth);

static bool read_function(wxf_reader *r, expression *e, int depth)
{
    size_t count;
    e->kind = 'f';
    if (!read_length(r, &count) || count > (size_t)(r->end - r->at)) return false;
    e->head = read_expression(r, depth + 1);
    if (!e->head) return false;
    e->argument = calloc(count + 1, sizeof *e->argument);
    if (!e->argument) return false;
    while (e->count < count) {
        e->argument[e->count] = read_expression(r, depth + 1);
        if (!e->argument[e->count]) return false;
        e->count++;
    }
    return true;
}

static bool read_token(wxf_reader *r, expression *e, int depth)
{
    if (depth > 64 || r->at >= r->end) return false;
    char token = (char)*r->at++;
    switch (token) {
    case 'f': return read_function(r, e, depth);
    case 'C': return read_small_integer(r, e, 1);
    case 'j': return read_small_integer(r, e, 2);
    case 'i': return read_small_integer(r, e, 4);
    case 'L': return read_small_integer(r, e, 8);
    case 's':
    case 'S':
    case 'I':
        if (!read_length(r, &e->length) || e->length > (size_t)(r->end - r->at)) return false;
        e->kind = token == 'I' ? 'I' : 's';
        e->text = (const char *)r->at;
        r->at += e->length;
        return true;
    }
    return false;
}

static expression *read_expression(wxf_reader *r, int depth)
{
    expression *e = calloc(1, sizeof *e);
    if (e && read_token(r, e, depth)) return e;
    expression_free(e);
    return NULL;
}

static bool is_word(const expression *e, const char *word)
{
    return e->kind == 's' && e->length == strlen(word) && memcmp(e->text, word, e->length) == 0;
}

static bool is_call(const expression *e, const char *head, size_t count)
{
    return e->kind == 'f' && is_word(e->head, head) && (count == 0 || e->count == count);
}

static bool integer_of(const expression *e, mpf_t out)
{
    char *text = e->kind == 'I' ? strndup(e->text, e->length) : NULL;
    bool ok = text && mpf_set_str(out, text, 10) == 0;
    free(text);
    return ok;
}

/* Slot[1] is 1, Power[Slot[1], n] is n, anything else -1. */
static int power_of(const expression *e)
{
    if (is_call(e, "Slot", 1)) return 1;
    if (!is_call(e, "Power", 2) || !is_call(e->argument[0], "Slot", 1)) return -1;
    const expression *n = e->argument[1];
    return n->kind == 'I' && n->length == 1 ? n->text[0] - '0' : -1;
}

/* An integer, a power of the variable, or an integer times such a power. */
static bool add_term(real_poly *p, const expression *e)
{
    mpf_t factor;
    mpf_init2(factor, PRECISION);
    mpf_set_ui(factor, 1);
    int power = 0;
    bool ok = true;
    if (e->kind == 'I')
        ok = integer_of(e, factor);
    else if (is_call(e, "Times", 2))
        ok = integer_of(e->argument[0], factor) && (power = power_of(e->argument[1])) > 0;
    else
        ok = (power = power_of(e)) > 0;
    ok = ok && power <= MAX_DEGREE;
    if (ok) mpf_add(p->c[power], p->c[power], factor);
    if (ok && power > p->degree) p->degree = power;
    mpf_clear(factor);
    return ok;
}

/* Root[Function[Plus[terms]], k, 0]: the k-th real root. */
static bool root_value(const expression *e, mpf_t out)
{
    if (!is_call(e, "Root", 3) || !is_call(e->argument[0], "Function", 1)) return false;
    const expression *sum = e->argument[0]->argument[0];
    real_poly p = {.degree = 0};
    mpf_t roots[MAX_DEGREE + 1];
    for (int i = 0; i <= MAX_DEGREE; i++) {
        mpf_init2(p.c[i], PRECISION);
        mpf_init2(roots[i], PRECISION);
    }
    bool ok = is_call(sum, "Plus", 0);
    for (size_t i = 0; ok && i < sum->count; i++) ok = add_term(&p, sum->argument[i]);
    const expression *index = e->argument[1];
    int k = ok && index->kind == 'I' && index->length == 1 ? index->text[0] - '0' : 0;
    int count = ok ? real_roots(&p, roots) : 0;
    ok = k >= 1 && k <= count;
    if (ok) mpf_set(out, roots[k - 1]);
    for (int i = 0; i <= MAX_DEGREE; i++) {
        mpf_clear(p.c[i]);
        mpf_clear(roots[i]);
    }
    return ok;
}

static bool evaluate(const expression *e, mpf_t out);

/* base ^ exponent for integers and halves of integers. */
static bool evaluate_power(const expression *e, mpf_t out)
{
    const expression *exponent = e->argument[1];
    bool half = is_call(exponent, "Rational", 2) && exponent->argument[1]->kind == 'I' &&
                exponent->argument[1]->length == 1 && exponent->argument[1]->text[0] == '2';
    const expression *number = half ? exponent->argument[0] : exponent;
    if (number->kind != 'I' || number->length > 3 || !evaluate(e->argument[0], out)) return false;
    char text[8] = "";
    memcpy(text, number->text, number->length);
    long power = strtol(text, NULL, 10);
    if (half) {
        if (mpf_sgn(out) < 0) return false;
        mpf_sqrt(out, out);
    }
    if (power < 0) {
        if (mpf_sgn(out) == 0) return false;
        mpf_ui_div(out, 1, out);
        power = -power;
    }
    mpf_pow_ui(out, out, (unsigned long)power);
    return true;
}

/* Integers, fractions, sums, products, powers and roots. */
static bool evaluate(const expression *e, mpf_t out)
{
    if (e->kind == 'I') return integer_of(e, out);
    if (is_call(e, "Root", 3)) return root_value(e, out);
    if (is_call(e, "Power", 2)) return evaluate_power(e, out);
    bool sum = is_call(e, "Plus", 0), fraction = is_call(e, "Rational", 2);
    if (!sum && !fraction && !is_call(e, "Times", 0)) return false;
    mpf_t value;
    mpf_init2(value, PRECISION);
    mpf_set_ui(out, sum ? 0 : 1);
    bool ok = true;
    for (size_t i = 0; ok && i < e->count; i++) {
        ok = evaluate(e->argument[i], value) && !(fraction && i == 1 && mpf_sgn(value) == 0);
        if (!ok) break;
        if (sum)
            mpf_add(out, out, value);
        else if (fraction && i == 1)
            mpf_div(out, out, value);
        else
            mpf_mul(out, out, value);
    }
    mpf_clear(value);
    return ok;
}

/* The earliest t of the list of solutions. */
static bool earliest_time(const expression *solutions, double *out)
{
    if (!is_call(solutions, "List", 0)) return false;
    *out = INFINITY;
    for (size_t i = 0; i < solutions->count; i++) {
        const expression *rules = solutions->argument[i];
        if (!is_call(rules, "List", 0)) return false;
        for (size_t j = 0; j < rules->count; j++) {
            const expression *rule = rules->argument[j];
            if (!is_call(rule, "Rule", 2)) return false;
            if (!is_word(rule->argument[0], "t")) continue;
            mpf_t t;
            mpf_init2(t, PRECISION);
            bool ok = evaluate(rule->argument[1], t);
            double value = mpf_get_d(t);
            mpf_clear(t);
            if (!ok) return false;
            *out = value < *out ? value : *out;
        }
    }
    return *out < INFINITY;
}

/* ---- Archive -------------------------------------------------------------------------------- */

static unsigned char *inflate_file(const char *path, size_t *size)
{
    gzFile file = gzopen(path, "rb");
    if (!file) return NULL;
    size_t capacity = 1 << 20;
    unsigned char *data = malloc(capacity);
    *size = 0;
    for (;;) {
        int got = data ? gzread(file, data + *size, (unsigned)(capacity - *size)) : 0;
        if (got <= 0) break;
        *size += (size_t)got;
        if (*size < capacity) continue;
        capacity *= 2;
        unsigned char *grown = realloc(data, capacity);
        if (!grown) break;
        data = grown;
    }
    gzclose(file);
    return data;
}

/* "./3036ee_q2922_roots.wxf" -> 2922 */
static bool query_index(const char *name, size_t *index)
{
    const char *mark = strstr(name, "_q");
    char *end;
    if (!mark || !strstr(name, ".wxf")) return false;
    *index = strtoul(mark + 2, &end, 10);
    return end > mark + 2 && *end == '_';
}

int symbolic_roots_visit(const char *archive, void (*visit)(size_t query, double t, void *context),
                         void *context, int *unread)
{
    size_t size = 0, at = 0;
    unsigned char *data = inflate_file(archive, &size);
    int count = 0;
    *unread = 0;
    if (!data) return -1;
    while (at + TAR_BLOCK <= size && data[at]) {
        char name[101] = "", length[13] = "";
        memcpy(name, data + at, 100);
        memcpy(length, data + at + 124, 12);
        size_t bytes = strtoul(length, NULL, 8), query;
        at += TAR_BLOCK;
        if (bytes > size - at) break;
        if (bytes > 2 && query_index(name, &query)) {
            wxf_reader reader = {data + at + 2, data + at + bytes}; /* after "8:" */
            expression *e = read_expression(&reader, 0);
            double t;
            if (e && earliest_time(e, &t)) {
                visit(query, t, context);
                count++;
            } else {
                ++*unread;
            }
            expression_free(e);
        }
        at += (bytes + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    free(data);
    return count;
}
