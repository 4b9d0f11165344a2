/* The formats of mesh files that are read, one row each: constant, name of its mesh_format_row. A
 * new one is one file with a reader and its row (read.h), and one line here. Included where a list
 * of all is made; no include guard. */
MESH_FORMAT(MSH, msh)
MESH_FORMAT(OBJ, obj)
MESH_FORMAT(SEG, seg)
MESH_FORMAT(PLY, ply)
MESH_FORMAT(STL, stl)
MESH_FORMAT(OFF, off)
MESH_FORMAT(VTK, vtk)
MESH_FORMAT(VTU, vtu)
MESH_FORMAT(MEDIT, medit)
#ifdef ABUT_EXTEND_FORMATS /* rows of a program that brings formats of its own (tests/extend) */
#include ABUT_EXTEND_FORMATS
#endif
#undef MESH_FORMAT
