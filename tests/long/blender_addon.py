"""Run by Blender: a soft ball and a cloth fall on an obstacle that rises; the animation comes back.

blender -b --python blender_addon.py -- FOLDER COMMAND PICTURE.png
"""
import os
import sys

import bpy

folder, command, picture = sys.argv[sys.argv.index("--") + 1:]
sys.path.insert(0, os.path.join(os.environ["ABUT_SOURCE_DIR"], "blender"))
import abut_addon  # noqa: E402

bpy.ops.wm.read_factory_settings(use_empty=True)
abut_addon.register()
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 13
scene.abut_folder, scene.abut_command = folder, command
try:
    bpy.ops.abut.simulate()
    raise SystemExit("a scene without roles was not refused")
except RuntimeError as error:
    assert "no object has a role" in str(error), error
bpy.ops.mesh.primitive_plane_add(size=3)
table = bpy.context.object
table.name, table.abut_role = "table", "obstacle"
table.keyframe_insert("location", frame=1)
table.location.z = 0.06
table.keyframe_insert("location", frame=13)
for curve in table.animation_data.action.fcurves:
    for key in curve.keyframe_points:
        key.interpolation = "LINEAR"
bpy.ops.mesh.primitive_ico_sphere_add(radius=0.3, subdivisions=2, location=(0, 0, 0.32))
ball = bpy.context.object
ball.name, ball.abut_role, ball.abut_cells = "soft ball", "soft", 6
bpy.ops.mesh.primitive_grid_add(x_subdivisions=10, y_subdivisions=10, size=1, location=(0, 0, 0.68))
cloth = bpy.context.object
cloth.name, cloth.abut_role = "cloth", "cloth"
bpy.ops.abut.simulate()


def heights(name, frame):
    scene.frame_set(frame)
    shown = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [v.co.z for v in shown.to_mesh().vertices]


for frame in (1, 7, 13):
    wanted = 0.06 * (frame - 1) / 12
    found = heights("table.abut", frame)
    assert max(abs(z - wanted) for z in found) < 1e-6, (frame, found, wanted)
    assert min(heights("soft_ball.abut", frame)) > wanted - 1e-7, frame
assert len(heights("soft_ball.abut", 1)) == len(ball.data.vertices)
assert max(heights("cloth.abut", 13)) - min(heights("cloth.abut", 13)) > 0.05  # it hangs over the ball
assert min(heights("cloth.abut", 1)) > 0.67
assert ball.hide_render and not bpy.data.objects["cloth.abut"].hide_render
bpy.ops.object.camera_add(location=(2.2, -2.2, 1.6), rotation=(1.1, 0, 0.785))
scene.camera = bpy.context.object
bpy.ops.object.light_add(type="SUN", rotation=(0.6, 0.3, 0))
scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 16, False
scene.render.resolution_x, scene.render.resolution_y = 320, 180
scene.render.filepath = picture
scene.frame_set(13)
bpy.ops.render.render(write_still=True)
print("BLENDER round trip of 3 objects, 13 frames")
