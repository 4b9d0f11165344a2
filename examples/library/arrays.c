/* Builds a scene from arrays, without a file: cc arrays.c $(pkg-config --cflags --libs abut) &&
 * ./a.out */
#include <abut/abut.h>
#include <stdio.h>

static int fail(const abut_error *error)
{
    return fprintf(stderr, "%s: %s\n", error->place, error->message), 1;
}

int main(void)
{
    static const double vertices[] = {0, 0, 0, 0, 0, 0.2, 0.2, 0, 0, 0, 0.2, 0};
    static const int32_t tetrahedra[] = {0, 1, 2, 3};
    abut_error error;
    abut_scene *scene;
    abut_sim *sim;
    abut_scene_def def = abut_default_scene_def();
    def.step = 0.02, def.end = 0.4, def.has_ground = true, def.contact.friction = 0.5;
    if (abut_scene_create(&def, &scene, &error) != ABUT_OK) return fail(&error);

    abut_material_def jelly = abut_default_material_def();
    jelly.young = 1e5, jelly.poisson = 0.4;
    if (abut_scene_add_material(scene, "jelly", &jelly, &error) != ABUT_OK) return fail(&error);

    abut_body_def body = abut_default_body_def();
    body.material = "jelly", body.translate[1] = 0.1;
    body.mesh = (abut_mesh_def){.vertices = vertices, .vertex_count = 4};
    body.mesh.tetrahedra = tetrahedra, body.mesh.tetrahedron_count = 1;
    if (abut_scene_add_body(scene, &body, &error) != ABUT_OK) return fail(&error);

    if (abut_sim_create_from(scene, NULL, &sim, &error) != ABUT_OK) return fail(&error);
    abut_scene_destroy(scene);
    for (int i = 0; i < 20 && abut_sim_step(sim, &error) == ABUT_OK; i++)
        printf("%.2f s: the corner is at height %.6f m\n", abut_sim_time(sim),
               abut_sim_positions(sim)[1]);
    abut_sim_destroy(sim);
    return 0;
}
