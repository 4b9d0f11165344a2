/* The connected shells of a surface: which direction they face, which lies in which, and which
 * belong to one solid. */
#ifndef FILL_SHELLS_H
#define FILL_SHELLS_H

#include "mesh/mesh.h"

typedef struct surface_shell {
    size_t triangles;
    bool closed;
    bool mixed;          /* its triangles did not agree with each other */
    double given_volume; /* that its triangles enclosed as given, with its sign */
    double volume;       /* after orienting */
    vec3 low, high;
    vec3 point;        /* a vertex of it */
    int32_t container; /* the smallest shell around it, or -1 */
    int32_t depth;     /* number of shells around it */
    bool turned;       /* as a whole, after orienting */
    int32_t group;     /* shells of one group make one solid */
} surface_shell;

typedef struct shell_report {
    size_t shells, closed;
    size_t flipped;      /* triangles whose orientation was changed */
    size_t unorientable; /* shells that have only one side: 0 or 1, as it is not known how many */
    size_t cavities;     /* shells within others that bound a hollow */
    size_t unions;       /* shells within others that are solid themselves */
    size_t groups;
    bool nesting_known; /* false: too many shells to look for cavities */
} shell_report;

typedef struct shell_list {
    surface_shell *data;
    size_t count;
    int32_t *of_vertex;
} shell_list;

/* Orients the triangles of a surface (surface_take): neighbours agree, shells face outward,
 * cavities inward. Which inner shell is a cavity: one that was given with the opposite orientation
 * of what is around it, or, where orientations were mixed, every second one. */
abut_status shells_orient(mesh *surface, shell_list *out, shell_report *report, abut_error *err);

/* Groups: shells that lie in each other or cross (pairs of triangles); open ones all together. */
void shells_group(const mesh *surface, const int32_t (*crossings)[2], size_t crossing_count,
                  shell_list *shells, shell_report *report);

void shells_free(shell_list *shells);

#endif
