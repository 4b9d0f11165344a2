/* Kinds of joints, one row each: word of scenes, what is constrained, coordinates, meaning.
 * Included where a list of all is made; no include guard. */
JOINT_KIND("fixed", HOLDS_POINT | HOLDS_FRAME, 0, "Nothing moves.")
JOINT_KIND("ball", HOLDS_POINT, 0, "A shared point; the bodies turn about it.")
JOINT_KIND("hinge", HOLDS_POINT | HOLDS_AXIS, HAS_TURN | NEEDS_AXIS,
           "A shared point and axis; the angle about it is free.")
JOINT_KIND("slider", HOLDS_LINE | HOLDS_FRAME, HAS_SLIDE | NEEDS_AXIS,
           "Moves along the axis without turning.")
JOINT_KIND("cylindrical", HOLDS_LINE | HOLDS_AXIS, HAS_TURN | HAS_SLIDE | NEEDS_AXIS,
           "Moves along the axis and turns about it.")
JOINT_KIND("screw", HOLDS_LINE | HOLDS_AXIS | HOLDS_SCREW,
           HAS_TURN | HAS_SLIDE | NEEDS_AXIS | NEEDS_LEAD,
           "Turns about the axis and moves by the lead along it with every turn.")
JOINT_KIND("universal", HOLDS_POINT | HOLDS_CROSS, NEEDS_AXIS | NEEDS_AXIS2,
           "A shared point; an axis of one body stays at a right angle to one of the other.")
JOINT_KIND("planar", HOLDS_PLANE | HOLDS_AXIS, HAS_TURN | NEEDS_AXIS,
           "Moves in the plane across the axis and turns about it.")
JOINT_KIND("point-on-line", HOLDS_LINE, HAS_SLIDE | NEEDS_AXIS,
           "A point of the body stays on a line of the other; it turns freely.")
JOINT_KIND("point-on-plane", HOLDS_PLANE, NEEDS_AXIS,
           "A point of the body stays in a plane of the other; it turns freely.")
JOINT_KIND("distance", HOLDS_LENGTH, 0, "Two points keep their distance.")
JOINT_KIND(
    "spring", 0, HAS_LENGTH,
    "Nothing is constrained; limits, springs and drives act along the line between two points.")
JOINT_KIND("free", 0, HAS_TURN | HAS_SLIDE | NEEDS_AXIS,
           "Nothing is constrained; limits, springs and drives act about and along an axis.")
JOINT_KIND("gear", HOLDS_COUPLED, 0,
           "The coordinate of one joint is a multiple of that of another, and an offset.")
#undef JOINT_KIND
