/* The row of the table of kinds of bodies (src/body/kind_list.h) that only this program has. */
BODY_KIND(SPRING_MESH, spring_mesh, "spring-mesh")
