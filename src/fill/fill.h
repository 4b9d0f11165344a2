/* From a surface of triangles to a solid of tetrahedra. The surface may have holes, triangles that
 * face inward or are there twice, may touch or cross itself.
 *
 * The cage (stuffing.h) is cut from a lattice. Either its own boundary is what collides, or the
 * surface does, and lies in a cage that is three quarters of a cell larger, whose cells count for
 * mass and stiffness by the share of them that is within the surface. */
#ifndef FILL_FILL_H
#define FILL_FILL_H

#include "fill/holes.h"
#include "fill/quality.h"
#include "fill/shells.h"
#include "fill/surface.h"

/* In the order of the words of scenes and options. */
typedef enum fill_method { FILL_CAGE, FILL_GMSH } fill_method;
typedef enum fill_collide {
    FILL_COLLIDE_AUTO,
    FILL_COLLIDE_SURFACE,
    FILL_COLLIDE_CAGE
} fill_collide;

extern const char *const fill_method_words[]; /* each ends with NULL */
extern const char *const fill_collide_words[];

typedef struct fill_options {
    fill_method method;
    fill_collide collide; /* AUTO: the surface where it does not cross itself */
    double size;          /* side of the lattice's cubes, m; 0: by `cells` */
    int cells;            /* along the longest side of the surface */
    double winding;       /* inside is where the winding number is larger */
    double weld;          /* surface_take */
    double close;         /* holes up to this, relative to the diagonal, are closed; 0: none */
    bool graded;          /* larger cells inside */
} fill_options;

fill_options fill_defaults(void);

typedef struct cage_report {
    bool embedded;    /* the surface lies in the cage */
    double size;      /* side of the lattice's cubes, m */
    size_t crossings; /* intersections of the surface with itself */
    vec3 first_crossing;
    surface_edges edges; /* after repair */
    double solid_volume; /* within the surface; of open ones by the cells */
    size_t pieces;       /* connected, of the cage */
    size_t dropped;      /* tets of pieces too small to keep */
    size_t moved_nodes, cut_edges;
    double sheet; /* solid volume over area and cell: near 0 for a sheet */
    tet_quality quality;
} cage_report;

typedef struct fill_result {
    mesh solid;    /* linear tets */
    mesh surface;  /* after repair; empty where method is gmsh */
    double *share; /* per tet: part within the surface, for mass and stiffness; or NULL: all */
    int32_t *tet_group, *vertex_group; /* which solid tets and surface vertices belong to */
    surface_report taken;
    shell_report shells;
    hole_report holes;
    cage_report cage;
} fill_result;

/* Repairs a surface: welds, drops, orients, closes. The report is in the result, with the surface.
 */
abut_status fill_repair(const mesh *in, const fill_options *options, fill_result *out,
                        abut_error *err);
/* Repairs and fills. ABUT_ERROR_INPUT with a reason where nothing sensible can be made. */
abut_status fill_surface(const mesh *in, const fill_options *options, fill_result *out,
                         abut_error *err);
void fill_free(fill_result *r);

/* gmsh.c: a mesh that conforms to the repaired, closed surface, by Gmsh's library, which is looked
 * for when it is first needed. */
abut_status fill_gmsh(const mesh *surface, const shell_list *shells, size_t groups, double size,
                      mesh *out, abut_error *err);

#endif
