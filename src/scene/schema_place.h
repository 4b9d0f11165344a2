/* Where a value of a scene goes: a member of a definition struct. The macros of a table row take
 * the C type from the member itself, so that a row cannot write a number where an enum is. */
#ifndef SCENE_SCHEMA_PLACE_H
#define SCENE_SCHEMA_PLACE_H

#include "base/expression.h"
#include "math/vec3.h"

#include <abut/define.h>

#include <stdbool.h>
#include <stddef.h>

/* A length that may be relative to the scene's size l ("1e-3 l"). */
typedef abut_length length_def;

typedef enum schema_member {
    MEMBER_NONE, /* the value is not stored */
    MEMBER_STRUCT,
    MEMBER_BOOL,
    MEMBER_INT,
    MEMBER_ENUM, /* or bits */
    MEMBER_DOUBLE,
    MEMBER_LENGTH,
    MEMBER_TEXT,
    MEMBER_VEC3,
    MEMBER_BOOLS, /* arrays; as long as the key says, or as `room` */
    MEMBER_INTS,
    MEMBER_DOUBLES,
    MEMBER_EXPRESSION,
    MEMBER_EXPRESSIONS,
    MEMBER_LIST /* pointer to allocated items, and their number */
} schema_member;

typedef struct schema_place {
    schema_member member;
    size_t offset;
    size_t count_offset; /* lists, and arrays with a number of entries: a size_t, or an int */
    size_t width_offset; /* rows of any width: an int that takes it */
    size_t room;         /* bytes of the member */
} schema_place;

/* The kind of a member by its C type. Enums without negative values are unsigned. */
#define MEMBER_KIND(x)                                                                             \
    _Generic((x), bool                                                                             \
             : MEMBER_BOOL, int                                                                    \
             : MEMBER_INT, unsigned                                                                \
             : MEMBER_ENUM, double                                                                 \
             : MEMBER_DOUBLE, length_def                                                           \
             : MEMBER_LENGTH, const char *                                                         \
             : MEMBER_TEXT, vec3                                                                   \
             : MEMBER_VEC3, bool *                                                                 \
             : MEMBER_BOOLS, int *                                                                 \
             : MEMBER_INTS, double *                                                               \
             : MEMBER_DOUBLES, expression *                                                        \
             : MEMBER_EXPRESSION, expression **                                                    \
             : MEMBER_EXPRESSIONS, default                                                         \
             : MEMBER_STRUCT)
#define PLACE_OF(owner, name)                                                                      \
    {                                                                                              \
        .member = MEMBER_KIND(((owner *)0)->name), .offset = offsetof(owner, name),                \
        .room = sizeof(((owner *)0)->name)                                                         \
    }
/* In a table row: the value goes to a member of the struct; to a list of it, of rows of any
 * width; to an array of it with
 * its number of entries in an int; its keys go to the same struct. */
#define AT(owner, name) .place = PLACE_OF(owner, name)
#define AT_LIST(owner, name, number)                                                               \
    .place = {.member = MEMBER_LIST,                                                               \
              .offset = offsetof(owner, name),                                                     \
              .count_offset = offsetof(owner, number)}
#define AT_ROWS(owner, name, number, width)                                                        \
    .place = {.member = MEMBER_LIST,                                                               \
              .offset = offsetof(owner, name),                                                     \
              .count_offset = offsetof(owner, number),                                             \
              .width_offset = offsetof(owner, width)}
#define AT_ARRAY(owner, name, number)                                                              \
    .place = {.member = MEMBER_DOUBLES,                                                            \
              .offset = offsetof(owner, name),                                                     \
              .count_offset = offsetof(owner, number),                                             \
              .room = sizeof(((owner *)0)->name)}
#define IN_PLACE .place = {.member = MEMBER_STRUCT}
#define GIVEN(owner, name) .given = PLACE_OF(owner, name)
/* In a type. */
#define STRUCT(owner) .size = sizeof(owner)
#define CHOSEN(owner, name) .choice = PLACE_OF(owner, name)
#define NAMED(owner, name) .named = PLACE_OF(owner, name)

#endif
