/* A soft block falls on a table: the scene of scene.json, from arrays. */
#include <abut/abut.h>
#include <stdio.h>

static const double box[] = {0, 0, 0,  .2, 0, 0,  0, .2, 0,  .2, .2, 0,
                             0, 0, .2, .2, 0, .2, 0, .2, .2, .2, .2, .2};
static const int32_t tets[] = {0, 5, 3, 6, 1, 5, 3, 0, 2, 0, 3, 6, 4, 6, 5, 0, 7, 3, 5, 6};
static const double table[] = {-.5, 0, -.5, .5, 0, -.5, .5, 0, .5, -.5, 0, .5};
static const int32_t sides[] = {0, 2, 1, 0, 3, 2};
static abut_error e;
static int failed(void) { return fprintf(stderr, "%s: %s\n", e.place, e.message), 1; }

int main(void)
{
    abut_scene_def def = abut_default_scene_def();
    def.step = 0.01, def.end = 0.5, def.contact.friction = 0.3;
    abut_material_def jelly = abut_default_material_def();
    jelly.young = 1e5, jelly.poisson = 0.4;
    abut_body_def block = abut_default_body_def(), floor = block;
    block.name = "block", block.material = "jelly", block.translate[1] = 0.1, block.rotate[0] = 15;
    block.mesh.vertices = box, block.mesh.vertex_count = 8;
    block.mesh.tetrahedra = tets, block.mesh.tetrahedron_count = 5;
    floor.name = "table", floor.type = "obstacle";
    floor.mesh.vertices = table, floor.mesh.vertex_count = 4;
    floor.mesh.triangles = sides, floor.mesh.triangle_count = 2;
    abut_scene *scene;
    abut_sim *sim;
    if (abut_scene_create(&def, &scene, &e) || abut_scene_add_body(scene, &block, &e) ||
        abut_scene_add_material(scene, "jelly", &jelly, &e) ||
        abut_scene_add_body(scene, &floor, &e) || abut_sim_create_from(scene, NULL, &sim, &e))
        return failed();
    for (int i = 0; i < 50; i++)
        if (abut_sim_step(sim, &e)) return failed();
    double normal[3], friction[3];
    if (abut_sim_body_force(sim, 0, normal, friction, &e)) return failed();
    printf("force on the block: %.17g %.17g N\n", normal[1], friction[2]);
    for (int i = 0; i < 24; i++) printf("%.17g\n", abut_sim_positions(sim)[i]);
    abut_sim_destroy(sim);
    abut_scene_destroy(scene);
}
