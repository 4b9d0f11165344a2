/* The row of the table of mesh formats (src/mesh/format_list.h) that only this program has. */
MESH_FORMAT(XYZ, xyz)
