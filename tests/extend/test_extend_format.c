/* A mesh format of one file and one row: recognised by its extension, with errors that name the
 * line. */
#include "mesh/read.h"
#include "test.h"

#include <string.h>

static const char cloud[] = "# two points\n0 1 2\n-1.5 0 3e-1\n";

TEST(is_read)
{
    abut_error err;
    mesh m;
    mesh_format format = mesh_recognize("cloud.xyz", cloud, strlen(cloud));
    CHECK(strcmp(mesh_format_name(format), "XYZ") == 0);
    CHECK_OK(mesh_read_memory(format, "cloud.xyz", cloud, strlen(cloud), NULL, &m, &err), err);
    CHECK(m.vertex_count == 2 && m.vertices[1].x == -1.5 && m.vertices[1].z == 0.3);
    mesh_free(&m);
}

TEST(errors_name_the_line)
{
    static const char bad[] = "0 1 2\n0 1\n";
    abut_error err;
    mesh m;
    mesh_format format = mesh_recognize("bad.xyz", bad, strlen(bad));
    CHECK(mesh_read_memory(format, "bad.xyz", bad, strlen(bad), NULL, &m, &err) ==
          ABUT_ERROR_INPUT);
    CHECK(strstr(err.place, "bad.xyz") && strstr(err.message, "2 numbers"));
}

TEST(others_are_what_they_were)
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    CHECK(mesh_recognize("a.obj", obj, strlen(obj)) == MESH_FORMAT_OBJ);
    CHECK(mesh_recognize("", "$MeshFormat\n", 12) == MESH_FORMAT_MSH);
}

int main(void)
{
    RUN(is_read);
    RUN(errors_name_the_line);
    RUN(others_are_what_they_were);
    return TEST_END();
}
