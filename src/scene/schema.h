/* The scene format as data. One table of object types and fields (schema_table*.c) drives parsing,
 * defaults, validation messages, the reference page, the JSON Schema file, and where values go in
 * the definition structs (scene.h): a new key is one row of the table. */
#ifndef SCENE_SCHEMA_H
#define SCENE_SCHEMA_H

#include "base/log.h"
#include "base/number.h"
#include "base/status.h"
#include "scene/schema_place.h"

#include <jansson.h>

typedef enum schema_kind {
    SCHEMA_BOOL,
    SCHEMA_TRUE, /* the word true, for choices without parameters */
    SCHEMA_INTEGER,
    SCHEMA_NUMBER,
    SCHEMA_LENGTH, /* number, or "1e-3 l": relative to the size of the scene */
    SCHEMA_STRING,
    SCHEMA_WORD,     /* one of `words` */
    SCHEMA_WORDS,    /* list of such words */
    SCHEMA_AXES,     /* letters x, y, z, such as "xz" */
    SCHEMA_VECTOR,   /* list of `count` numbers; any number of them when count is 0 */
    SCHEMA_INTEGERS, /* list of `count` integers; any number of them when count is 0 */
    SCHEMA_ROWS,     /* list of lists of `count` numbers, or integers (SCHEMA_WHOLE); any number of
                        them, the same in all lists, when count is 0 */
    SCHEMA_EXPRESSION,  /* number, or an expression in x, y, z and t (base/expression.h) */
    SCHEMA_EXPRESSIONS, /* list of `count` such */
    SCHEMA_BOX,         /* [[low x, y, z], [high x, y, z]] */
    SCHEMA_OBJECT,      /* of `type` */
    SCHEMA_LIST,        /* of objects of `type` */
    SCHEMA_MAP,         /* object of named objects of `type` */
    SCHEMA_NUMBERS      /* object of named numbers; a rule of the type knows the names */
} schema_kind;

enum {
    SCHEMA_REQUIRED = 1,  /* must be given */
    SCHEMA_CHOICE = 2,    /* exactly one of the fields with this flag must be given */
    SCHEMA_OR_NUMBER = 4, /* vector: a number stands for equal components */
    SCHEMA_OR_ONE = 8,    /* list: an object stands for a list of one */
    SCHEMA_OR_NAME = 16,  /* object: or the name of an entry of the top-level map `map` */
    SCHEMA_OR_NONE = 64,  /* axes: the empty string is allowed */
    SCHEMA_IS_NAME = 32,  /* string: not empty, no slash, no control characters */
    SCHEMA_WHOLE = 128,   /* rows: of integers */
    SCHEMA_PATH = 256,    /* string: of a file or folder, relative to the folder of the scene */
    SCHEMA_OPPOSITE = 512 /* bool: the member is true where the key is false */
};

enum { LOW_CLOSED = 1, LOW_OPEN = 2, HIGH_CLOSED = 4, HIGH_OPEN = 8, NOT_ZERO = 16 };

/* Limits of a number, in a table line. */
#define AT_LEAST(x) .bounds = LOW_CLOSED, .low = (x)
#define ABOVE(x) .bounds = LOW_OPEN, .low = (x)
#define FROM_TO(a, b) .bounds = LOW_CLOSED | HIGH_CLOSED, .low = (a), .high = (b)
#define ABOVE_TO(a, b) .bounds = LOW_OPEN | HIGH_CLOSED, .low = (a), .high = (b)
#define BETWEEN(a, b) .bounds = LOW_OPEN | HIGH_OPEN, .low = (a), .high = (b)

/* Where a key holds, in a table line. */
#define UNDER(key, ...)                                                                            \
    .under = (key), .values = (const char *const[]) { __VA_ARGS__, NULL }

typedef struct schema_type schema_type;
typedef struct schema_walk schema_walk;
struct law_parameter;

typedef struct schema_field {
    const char *key;
    schema_kind kind;
    unsigned flags;
    const char *initial; /* default as JSON text; NULL: absent when not given */
    /* Default that depends on where the field stands: the file and the index in the list. */
    json_t *(*make_initial)(const char *file, size_t index);
    const char *absent; /* what it means when there is no `initial`, for the reference */
    schema_place
        place; /* member of the struct of the type that takes the value: AT, AT_LIST, ... */
    schema_place given; /* bool that tells whether there is a value: GIVEN */
    /* What the member is when there is neither a value nor `initial`; axes: bits 1, 2, 4. */
    double otherwise;
    /* SCHEMA_NUMBERS: their names, in the order of the member, by what the struct says so far. */
    const struct law_parameter *(*names)(const void *owner, int *count);
    unsigned bounds; /* LOW_* | HIGH_* | NOT_ZERO; lists: of every entry */
    double low, high;
    int count;
    const char *const *words; /* ends with NULL */
    const schema_type *type;
    const char *map;   /* SCHEMA_OR_NAME: key of the top-level map */
    const char *needs; /* only allowed, and only filled in, beside this key */
    /* Only allowed, and only filled in, where the field `under` of this object, or of the nearest
     * one around it that has such a field, is one of these words. NULL: everywhere. */
    const char *under;
    const char *const *values; /* ends with NULL */
    /* Instead of `values`: the words of a table (all of them, ending with NULL) for which
     * has(word, group). */
    const char *const *among;
    bool (*has)(const char *word, unsigned group);
    unsigned group;
    const char *instead; /* what the message about it suggests, or NULL */
    const char *unit;
    const char *doc; /* one line */
} schema_field;

struct schema_type {
    const char *name; /* "body": heading in the reference, $defs entry in the JSON Schema */
    const char *doc;
    const char *shorthand; /* a string stands for an object with this one key, or NULL */
    /* A string that is the key of a SCHEMA_TRUE choice stands for that choice. */
    bool word_choice;
    const schema_field *fields;
    size_t field_count;
    size_t size;         /* of the struct that takes an object: STRUCT */
    schema_place choice; /* enum: which of the SCHEMA_CHOICE fields was given, by their order */
    schema_place named; /* string: name of the entry of a map that the object is (SCHEMA_OR_NAME) */
    /* What follows from several members, when all are read. NULL: nothing. */
    void (*complete)(void *out);
    /* Rule over several fields, called with the resolved object when each field is right. */
    void (*rule)(schema_walk *walk, const json_t *object);
    const char *rule_doc;
};

/* The whole scene. */
extern const schema_type schema_scene;

/* Number of components or NULL-terminated words. */
size_t schema_word_count(const char *const *words);
const schema_field *schema_find(const schema_type *type, const char *key);
/* Key of the n-th of the fields that exactly one must be given of. */
const char *schema_choice_key(const schema_type *type, unsigned n);
/* Whether a field holds where its `under` is this word. */
bool schema_holds(const schema_field *field, const char *word);
/* The words under which a field holds, each in two quotes: `deformable`, `shell`. Empty: none. */
void schema_list_values(const schema_field *field, char quote, char *text, size_t size);
/* The nearest key of a type to a mistyped one, or NULL. */
const char *schema_closest_key(const schema_type *type, const char *key);

/* Where problems go: the first one into err (code ABUT_ERROR_INPUT), further ones to the log. */
typedef struct problem_list {
    const char *file; /* put in front of the error place */
    abut_error *err;
    const logger *log;
    size_t count;
} problem_list;

/* path: of the field in the document, "" for the document itself. */
void problem_add(problem_list *list, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks a document against a type and makes the resolved document: keys in the order of the table,
 * every default filled in, shorthands written out. All problems are reported, not only the first.
 * The document is not changed. */
abut_status schema_resolve(const schema_type *type, const json_t *document, problem_list *problems,
                           json_t **resolved);

/* For rules: reports a problem with the field `key` of the object the rule is called for. */
void schema_rule_problem(schema_walk *walk, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether two resolved values mean the same: 1 and 1.0 do. */
bool schema_same(const json_t *a, const json_t *b);
/* Whether a field of an object, which is a word, is this one. */
bool schema_has_word(const json_t *object, const char *key, const char *word);
/* For rules: memory has run out, the walk fails. */
void schema_rule_no_memory(schema_walk *walk);

/* What a field must be, as words ("a number > 0 (Pa)"), and what a value is (`string "soft"`). */
void schema_expectation(const schema_field *field, char *text, size_t size);
void schema_describe(const json_t *value, char *text, size_t size);
/* A number as it would be typed: the shortest text that reads back as the same double. */
void schema_number_text(double value, char text[NUMBER_TEXT_SIZE]);

/* Where a resolved document comes from: what names in it refer to. */
typedef struct schema_source {
    const json_t *root; /* the whole of it */
    const char *folder; /* of the scene file */
} schema_source;

/* Reads a resolved object into its struct, which must be all zero, by the offsets of the table.
 * Strings stay those of the document. On failure the struct is to be released, too. */
abut_status schema_read(const schema_type *type, const json_t *object, const schema_source *from,
                        void *out, abut_error *err);
/* The defaults of the plain values of an object; objects in it that must not be given, lists and
 * strings stay zero. */
abut_status schema_defaults(const schema_type *type, void *out, abut_error *err);
/* The default of one value, into the member of the field. */
abut_status schema_store_default(const schema_field *field, void *out, abut_error *err);
/* Frees the lists, paths and expressions of a struct, and makes them empty. */
void schema_release(const schema_type *type, void *out);
/* Position of a word in its list; -1: not there. */
int schema_word_index(const char *const *words, const char *word);

/* Reads "1e-3 l" (relative) or a plain number in a string; false when it is neither. */
bool schema_parse_length(const char *text, double *value, bool *relative);

/* The JSON Schema (draft 2020-12) as a document, and the reference page as Markdown (mem_free). */
abut_status schema_to_json(const schema_type *type, json_t **out, abut_error *err);
abut_status schema_to_markdown(const schema_type *type, char **out, abut_error *err);

#endif
