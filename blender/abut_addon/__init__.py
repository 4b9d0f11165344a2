"""abut in Blender: choose what objects are, simulate, get the animation back.

In the sidebar (N) of the 3D view, tab "abut": every object gets a role; "Simulate" writes a scene that the command `abut`
runs (here or elsewhere), waits for it, and brings the result back as objects with mesh caches.
"""

import os
import shutil

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty, StringProperty

from . import exchange

bl_info = {
    "name": "abut",
    "author": "abut",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > abut",
    "description": "Simulates objects in contact that never intersect",
    "category": "Physics",
}


class ABUT_OT_simulate(bpy.types.Operator):
    """Simulates the scene; Escape ends the run after its present step"""

    bl_idname = "abut.simulate"
    bl_label = "Simulate"

    def execute(self, context):  # scripts wait for it
        try:
            folder = exchange.write_scene(context)
            exchange.finish(exchange.start(context, folder))
            exchange.load(context, folder)
        except exchange.Problem as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context, event):
        try:
            self.folder = exchange.write_scene(context)
            self.process = exchange.start(context, self.folder)
        except exchange.Problem as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(0.5, window=context.window)
        context.window_manager.progress_begin(0, max(1, exchange.frame_count(context)))
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.process.terminate()
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        done = exchange.frames_done(self.folder)
        context.window_manager.progress_update(done)
        context.workspace.status_text_set(f"abut: {done} of {exchange.frame_count(context)} frames; Escape ends")
        if self.process.poll() is None:
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        try:
            exchange.finish(self.process)
            exchange.load(context, self.folder)
        except exchange.Problem as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        return {"FINISHED"}


class ABUT_OT_write(bpy.types.Operator):
    """Writes the scene without running it"""

    bl_idname = "abut.write"
    bl_label = "Write scene"

    def execute(self, context):
        try:
            self.report({"INFO"}, os.path.join(exchange.write_scene(context), "scene.json"))
        except exchange.Problem as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        return {"FINISHED"}


class ABUT_OT_load(bpy.types.Operator):
    """Brings a run back that was made elsewhere"""

    bl_idname = "abut.load"
    bl_label = "Load run"

    def execute(self, context):
        try:
            exchange.load(context, exchange.folder_of(context))
        except exchange.Problem as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        return {"FINISHED"}


class ABUT_PT_panel(bpy.types.Panel):
    bl_label = "abut"
    bl_idname = "ABUT_PT_panel"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "abut"

    def draw(self, context):
        layout, found = self.layout, context.object
        if found is not None and found.type == "MESH":
            layout.prop(found, "abut_role")
            for name in exchange.SHOWN.get(found.abut_role, ()):
                layout.prop(found, "_".join(("abut", name)))
        for name in ("friction", "folder", "command"):
            layout.prop(context.scene, "_".join(("abut", name)))
        for name in ("simulate", "write", "load"):
            layout.operator("abut." + name)


OBJECT = {
    "abut_role": EnumProperty(name="Role", items=[(key, key.capitalize(), text) for key, text in exchange.ROLES]),
    "abut_young": FloatProperty(name="Stiffness", description="Young's modulus, Pa", default=1e5, min=1),
    "abut_density": FloatProperty(name="Density", description="kg/m^3", default=1000, min=1e-3),
    "abut_thickness": FloatProperty(name="Thickness", description="of sheets and ropes, m", default=2e-3, min=1e-6, precision=4),
    "abut_cells": IntProperty(name="Cells", description="of a soft body across its longest side", default=10, min=2, max=200),
}
SCENE = {
    "abut_friction": FloatProperty(name="Friction", default=0.3, min=0),
    "abut_folder": StringProperty(name="Folder", subtype="DIR_PATH", default="//abut"),
    "abut_command": StringProperty(name="Command", subtype="FILE_PATH", default=shutil.which("abut") or "abut"),
}
CLASSES = (ABUT_OT_simulate, ABUT_OT_write, ABUT_OT_load, ABUT_PT_panel)


def register():
    for owner, group in ((bpy.types.Object, OBJECT), (bpy.types.Scene, SCENE)):
        for name, value in group.items():
            setattr(owner, name, value)
    for one in CLASSES:
        bpy.utils.register_class(one)


def unregister():
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
    for owner, group in ((bpy.types.Object, OBJECT), (bpy.types.Scene, SCENE)):
        for name in group:
            delattr(owner, name)
