/* The table, first part: everything but the bodies. */
#include "scene/schema_table.h"

#include "base/file.h"
#include "scene/complete.h"

#include <string.h>

static const char *const stepper_words[] = {"barrier", "mlcp", NULL};
static const char *const limit_mode_words[] = {"coupled", "split", NULL};
static const char *const newmark_contact_words[] = {"implicit", "plain", NULL};
static const char *const frame_field_words[] = {"velocity",
                                                "displacement",
                                                "stress",
                                                "stretch",
                                                "contact_force",
                                                "contact_pressure",
                                                "friction_traction",
                                                "gap",
                                                "contact_state",
                                                "cauchy_stress",
                                                "second_piola_stress",
                                                "principal_stretches",
                                                "energy_density",
                                                "von_mises",
                                                "plastic_strain",
                                                "dissipated_energy",
                                                NULL};
static const char *const paths_words[] = {KEPT_PATHS(WORD_TEXT) NULL};
static const char *const format_words[] = {FRAME_FORMATS(WORD_TEXT) NULL};

/* --- time --- */

static const schema_field time_fields[] = {
    {"step", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(scene_def, options.h), ABOVE(0), .unit = "s",
     .doc = "Length of a time step."},
    {"end", SCHEMA_NUMBER, SCHEMA_CHOICE, AT(scene_def, end_time), AT_LEAST(0), .unit = "s",
     .doc = "Simulated time at which the run ends."},
    {"steps", SCHEMA_INTEGER, SCHEMA_CHOICE, AT(scene_def, steps), FROM_TO(0, 2e9),
     .doc = "Number of time steps, instead of `end`."},
    {"integrator", SCHEMA_WORD, AT(scene_def, options.integrator), .words = integrator_words,
     .initial = "\"implicit-euler\"",
     .doc = "Time integration: implicit Euler, Newmark, backward differences of order 1 to 6, or "
            "equilibrium without inertia at each step."},
    {"newmark_beta", SCHEMA_NUMBER, AT(scene_def, options.newmark_beta), .initial = "0.25",
     ABOVE_TO(0, 0.5), UNDER("integrator", "newmark"), .doc = "Newmark's beta."},
    {"newmark_gamma", SCHEMA_NUMBER, AT(scene_def, options.newmark_gamma), .initial = "0.5",
     FROM_TO(0, 1), UNDER("integrator", "newmark"), .doc = "Newmark's gamma."},
    {"newmark_contact", SCHEMA_WORD, AT(scene_def, options.newmark_plain),
     .words = newmark_contact_words, .initial = "\"implicit\"", UNDER("integrator", "newmark"),
     .doc = "How forces of contact and friction enter Newmark's rule: fully implicitly, so that "
            "impacts add no energy, or like all others."},
};

static const schema_type time_type = {
    .name = "time",
    .doc = "Time steps, and how velocities follow from positions.",
    FIELDS(time_fields),
    STRUCT(scene_def),
    .rule = rule_time,
    .rule_doc = "There may be at most 2e9 steps.",
};

/* --- contact --- */

static const schema_field friction_pair_fields[] = {
    {"first", SCHEMA_STRING, SCHEMA_REQUIRED, AT(friction_pair_def, first),
     .doc = "Name of a body; of one that is `split`, for all its pieces."},
    {"second", SCHEMA_STRING, SCHEMA_REQUIRED, AT(friction_pair_def, second),
     .doc = "Name of the other body, or of the same one for its contact with itself."},
    {"coefficient", SCHEMA_NUMBER, SCHEMA_REQUIRED, AT(friction_pair_def, coefficient), AT_LEAST(0),
     .doc = "Coefficient of friction, at rest where that of sliding differs."},
    {"interface", SCHEMA_OBJECT, AT(friction_pair_def, interface),
     GIVEN(friction_pair_def, interface.given), .type = &schema_interface, .absent = "none",
     .doc = "What the contacts have beside the coefficient."},
};

static const schema_type friction_pair_type = {
    .name = "friction_pair",
    .doc =
        "A coefficient of friction for the contacts of two bodies, whatever they give themselves.",
    FIELDS(friction_pair_fields),
    STRUCT(friction_pair_def),
};

static const schema_field contact_fields[] = {
    {"enabled", SCHEMA_BOOL, AT(scene_def, options.contact), .initial = "true",
     .doc = "Whether bodies collide; without contact they pass through each other."},
    {"dhat", SCHEMA_LENGTH, AT(scene_def, lengths.dhat), .initial = "\"1e-3 l\"", ABOVE(0),
     .unit = "m", .doc = "Distance below which the contact barrier repels."},
    {"check_every_trial", SCHEMA_BOOL, AT(scene_def, options.check_every_trial), .initial = "false",
     .doc = "Whether the exact check for intersections looks at every trial position of every "
            "iteration, and shortens what fails, instead of at the result of each step."},
    {"dirichlet_overlap", SCHEMA_BOOL, AT(scene_def, options.dirichlet_overlap), .initial = "false",
     .doc = "Whether bodies, or parts of them, whose motion is prescribed may go through others "
            "that are prescribed, obstacles, and half-spaces: neither can respond. Otherwise such "
            "motion is an error. Obstacles may always overlap each other."},
    {"friction", SCHEMA_NUMBER, AT(scene_def, options.friction), .initial = "0", AT_LEAST(0),
     .doc = "Coefficient of friction where a body does not give its own."},
    {"friction_pairs", SCHEMA_LIST, AT_LIST(scene_def, friction_pairs, friction_pair_count),
     .type = &friction_pair_type, .initial = "[]",
     .doc = "Coefficients of friction for pairs of bodies; they go before those of the bodies."},
    {"stiffness", SCHEMA_NUMBER, AT(scene_def, options.contact_options.stiffness), ABOVE(0),
     .absent = "chosen and adapted",
     .doc = "Factor kappa on the contact barrier, as it stands in the incremental potential."},
    {"stiffness_rule", SCHEMA_WORD, AT(scene_def, options.contact_options.rule),
     .words = stiffness_rule_words, .initial = "\"local\"",
     .doc = "How the stiffness is chosen: so that contact balances the forces on free nodes, with "
            "pairs that count by the inertia behind them (`local`; without these weights in "
            "quasi-static steps, where `stiffness` is given, with `improved_max` and remeshing), "
            "and rising where pairs stay below a hundredth of `dhat` and still come nearer; or "
            "all alike and below the bound of the "
            "paper of IPC (`balanced`); or as PolyFEM does, for scenes that are compared with it "
            "(docs/import-polyfem.md). With the latter a given `stiffness` is multiplied by the "
            "integrator's factor on forces (h^2 for implicit Euler)."},
    {"area_weighted", SCHEMA_BOOL, AT(scene_def, options.contact_options.area_weighted),
     .initial = "false",
     .doc = "Pairs count by the area at rest of their vertices and edges instead of once each, so "
            "that contact forces do not depend on the resolution of the meshes. Rods count with "
            "length times diameter, particles with the square of their diameter; wires and points "
            "of obstacles are as wide as their `offset`, or else as the edges of the scene are "
            "long."},
    {"improved_max", SCHEMA_BOOL, AT(scene_def, options.contact_options.improved_max),
     .initial = "false",
     .doc = "Pairs that share their closest feature count once: edges and vertices between "
            "neighbours are subtracted (convergent IPC)."},
    {"physical", SCHEMA_BOOL, AT(scene_def, options.contact_options.physical), .initial = "false",
     .doc =
         "The given `stiffness` is a pressure: the barrier is scaled to the unit of a length. For "
         "area-weighted contact; a tenth of Young's modulus (times the integrator's factor, h^2 "
         "for implicit Euler) is a start."},
    {"eps_v", SCHEMA_LENGTH, AT(scene_def, lengths.eps_v), .initial = "\"1e-3 l\"", ABOVE(0),
     .unit = "m/s",
     .doc =
         "Sliding speed below which friction counts as static; relative values are l per second."},
    {"friction_iterations", SCHEMA_INTEGER, AT(scene_def, options.friction_iterations),
     .initial = "1", FROM_TO(0, 10000),
     .doc = "How often per step the lagged normal forces and sliding directions are renewed; 0: "
            "until they have converged, or no longer come closer."},
    {"stick_anchors", SCHEMA_BOOL, AT(scene_def, options.friction_form.anchors), .initial = "false",
     .doc = "Contacts that stick hold on to where they were when they began to, and what friction "
            "can carry stays where it is; off: it creeps at a share of `eps_v`. In both cases "
            "sliding begins at the same force. Not with remeshing."},
    {"ccd", SCHEMA_WORD, AT(scene_def, options.contact_options.ccd), .words = ccd_method_words,
     .initial = "\"tight-inclusion\"", .doc = "Method of continuous collision detection."},
    {"reuse_candidates", SCHEMA_BOOL, SCHEMA_OPPOSITE,
     AT(scene_def, options.contact_options.always_search), .initial = "true",
     .doc = "Whether pairs found for one Newton step serve the following ones for as long as they "
            "cover the motion; off: a full search along the path in every step."},
    {"barrier", SCHEMA_WORD, AT(scene_def, options.contact_options.barrier),
     .words = barrier_kind_words, .initial = "\"c2\"",
     .doc = "Smoothness of the contact barrier where it begins; for comparisons."},
    {"friction_smoothing", SCHEMA_WORD, AT(scene_def, options.friction_form.kind),
     .words = friction_kind_words, .initial = "\"c1\"",
     .doc = "Smoothness of the transition from static to sliding friction; for comparisons."},
};

static const schema_type contact_type = {
    .name = "contact",
    .doc = "Contact between bodies, and of bodies with themselves.",
    FIELDS(contact_fields),
    STRUCT(scene_def),
};

/* --- solver --- */

static const schema_field solver_fields[] = {
    {"tolerance", SCHEMA_LENGTH, AT(scene_def, lengths.tolerance), .initial = "\"1e-2 l\"",
     ABOVE(0), .unit = "m/s",
     .doc = "Newton's method stops when the largest entry of its direction, divided by the time "
            "step, is below this; relative values are l per second."},
    {"force_tolerance", SCHEMA_NUMBER, AT(scene_def, options.stop.force_tolerance), .otherwise = -1,
     FROM_TO(0, 1), .absent = "1e-5 in quasi-static steps, else 0",
     .doc = "A step does not end before the largest unbalanced force is this share of the largest "
            "one that an element, a contact or a support acts with. 0: the direction alone tells."},
    {"max_iterations", SCHEMA_INTEGER, AT(scene_def, options.max_iterations), .initial = "10000",
     FROM_TO(1, 1000000), .doc = "Newton iterations after which a step counts as not converged."},
    {"budget", SCHEMA_INTEGER, AT(scene_def, options.budget), .initial = "0", FROM_TO(0, 1000000),
     .doc =
         "Newton iterations after which a step ends as it is, for interactive use: free of "
         "intersections as ever, but not converged; prescribed nodes that have not arrived go on "
         "in the next step. Such steps are `truncated` in steps.csv and counted in run.json. 0: "
         "none; steps converge."},
    {"substep_after", SCHEMA_INTEGER, AT(scene_def, options.substeps.after), .initial = "2000",
     FROM_TO(0, 1000000),
     .doc = "Newton iterations after which a step is divided into halves instead of being solved "
            "to its end, as long as it can be divided; 0: only one that fails is divided."},
    {"substep_halvings", SCHEMA_INTEGER, AT(scene_def, options.substeps.halvings), .initial = "6",
     FROM_TO(0, 12),
     .doc = "How often a step that does not converge is halved: its sub-steps are at least "
            "1 / 2^substep_halvings of it long. 0: the run ends there."},
    {"warm_start", SCHEMA_BOOL, AT(scene_def, options.warm_start), .initial = "true",
     .doc =
         "Newton's method begins where the bodies would be if they went on as in the step "
         "before, where that can be reached without contact and has less energy, and no friction "
         "acts. false: at the positions that the step starts from."},
    {"look_ahead", SCHEMA_BOOL, AT(scene_def, options.look_ahead), .initial = "false",
     .doc = "Where collisions stop a Newton direction before a quarter of it, one that minimises "
            "the same "
            "model subject to what stops it, and islands that are stopped one by one. With the "
            "solver `direct` only."},
    {"hessian", SCHEMA_WORD, AT(scene_def, options.hessian), .words = newton_hessian_words,
     .initial = "\"adaptive\"",
     .doc = "Where Newton directions come from. `adaptive`: from the true Hessian, within a trust "
            "region, where the projected one is seen to be too stiff. `projected`: from that alone "
            "(for comparisons). With solvers that keep a factor; with others it is always that."},
    {"proximal_weight", SCHEMA_NUMBER, AT(scene_def, options.proximal_weight), .initial = "0",
     AT_LEAST(0), .unit = "kg; N/m in quasi-static steps",
     .doc = "Weight w of a pull of the nodes of deformable bodies towards where they were when the "
            "step began, w/2 |x - start|^2 each: quasi-static scenes that nothing holds have a "
            "solution with it (PolyFEM's lagged regularisation)."},
    {"true_hessian_first", SCHEMA_BOOL, AT(scene_def, options.true_first), .initial = "false",
     .doc = "Directions from the true Hessian before projected ones, wherever they lead downhill, "
            "as PolyFEM does: steps may end in a balance that is no minimum, such as a spike on "
            "the tip of another. With the solver `direct` only; for comparisons."},
    {"measure", SCHEMA_WORD, AT(scene_def, options.stop.measure), .words = newton_measure_words,
     .initial = "\"largest\"",
     .doc = "What the tolerance is compared with: the largest entry of the direction, or its root "
            "mean square over the free nodes, three times in a row (`rms`; for comparisons)."},
    {"strain_limits", SCHEMA_WORD, AT(scene_def, options.split_limits), .words = limit_mode_words,
     .initial = "\"coupled\"",
     .doc = "Strain limits of shells in the same solve as all other forces, or `split` off: the "
            "elastic step first, then its projection onto limits and contact (for comparisons)."},
    {"linear", SCHEMA_WORD, AT(scene_def, options.linear.name), .words = linear_solver_words,
     .initial = "\"auto\"",
     .doc =
         "Solver of the linear systems. `direct`, `cholmod`: sparse factorisation of this program "
         "or of CHOLMOD. `pcg`, `ic`, `multigrid`: conjugate gradients with the inverses of the "
         "diagonal blocks, an incomplete factor, smoothed aggregation. `petsc` and the names that "
         "begin with it: through PETSc, on any number of ranks (docs/cluster.md). `auto`: by "
         "counted work and memory; run.json tells which and why."},
    {"linear_tolerance", SCHEMA_NUMBER, AT(scene_def, options.linear.tolerance), .initial = "1e-8",
     BETWEEN(0, 1), .doc = "Relative residual at which iterative solvers stop."},
    {"forcing", SCHEMA_NUMBER, AT(scene_def, options.forcing), .initial = "1e-3", BETWEEN(0, 1),
     .doc = "Largest relative residual at which iterative solvers may stop while Newton's method "
            "is far from its end; at most `linear_tolerance` turns it off."},
    {"reproducible", SCHEMA_BOOL, AT(scene_def, options.linear.reproducible), .initial = "true",
     .doc = "Same bits for any number of threads; only `cholmod` can do otherwise."},
};

static const schema_type solver_type = {
    .name = "solver",
    .doc = "Newton's method and the linear solver inside it.",
    FIELDS(solver_fields),
    STRUCT(scene_def),
};

static const schema_field mlcp_fields[] = {
    {"residual", SCHEMA_NUMBER, AT(mlcp_options, residual), .initial = "5e-5", BETWEEN(0, 1),
     .doc = "Residual of the velocities at which a solve ends, relative to the right-hand side."},
    {"tolerance", SCHEMA_NUMBER, AT(mlcp_options, tolerance), .initial = "5e-6", ABOVE(0),
     .unit = "m", .doc = "Accuracy of contacts; half of it is the distance they keep."},
    {"preconditioner", SCHEMA_WORD, AT(mlcp_options, preconditioner),
     .words = mlcp_preconditioner_words, .initial = "\"full\"",
     .doc = "Block inverse with the diagonal of the matrix, or diagonal alone."},
    {"max_iterations", SCHEMA_INTEGER, AT(mlcp_options, max_iterations), .initial = "20000",
     FROM_TO(1, 100000000),
     .doc = "Iterations of conjugate residuals after which a step counts as not converged."},
    {"max_passes", SCHEMA_INTEGER, AT(mlcp_options, max_passes), .initial = "60",
     FROM_TO(1, 100000),
     .doc = "Passes of detection and linearisation after which a step counts as not converged."},
};
static const schema_type mlcp_type = {
    .name = "mlcp",
    .doc = "The linear-complementarity stepper (docs/mlcp.md).",
    FIELDS(mlcp_fields),
    STRUCT(mlcp_options),
};

/* --- materials --- */

static const char *const dilatation_words[] = {DILATATIONS(WORD_TEXT) NULL};

static const schema_field material_fields[] = {
    {"model", SCHEMA_WORD, AT(material_def, model), .words = elastic_law_words,
     .initial = "\"neo-hookean\"", .doc = "Elastic energy density."},
    {"young", SCHEMA_NUMBER, AT(material_def, young), ABOVE(0), .unit = "Pa", .absent = "see below",
     .doc = "Young's modulus."},
    {"poisson", SCHEMA_NUMBER, AT(material_def, poisson), BETWEEN(-1, 0.5), .absent = "see below",
     .doc = "Poisson's ratio."},
    {"c1", SCHEMA_NUMBER, AT(material_def, c1), .unit = "Pa", .absent = "see below",
     .doc = "Mooney-Rivlin: factor on the first invariant."},
    {"c2", SCHEMA_NUMBER, AT(material_def, c2), .unit = "Pa", .absent = "0",
     .doc = "Mooney-Rivlin: factor on the second invariant."},
    {"bulk", SCHEMA_NUMBER, AT(material_def, bulk), ABOVE(0), .unit = "Pa", .absent = "see below",
     .doc = "Mooney-Rivlin and Ogden: bulk modulus."},
    {"coefficients", SCHEMA_VECTOR, AT_ARRAY(material_def, coefficient, terms),
     .absent = "see below", .unit = "Pa",
     .doc = "Ogden: factors c_i of up to 4 terms c_i/m_i^2 (sum of stretches^m_i - 3)."},
    {"exponents", SCHEMA_VECTOR, AT_ARRAY(material_def, exponent, terms), .absent = "see below",
     .bounds = NOT_ZERO, .doc = "Ogden: exponents m_i, as many as coefficients."},
    {"parameters", SCHEMA_NUMBERS, AT(material_def, own), .names = law_names, .absent = "none",
     .doc = "Parameters of the model's own, by name, for models that have such."},
    {"density", SCHEMA_NUMBER, AT(material_def, density), .initial = "1000", ABOVE(0),
     .unit = "kg/m^3", .doc = "Mass per volume at rest."},
    {"damping", SCHEMA_NUMBER, AT(material_def, damping), .initial = "0", AT_LEAST(0), .unit = "s",
     .doc = "Damping proportional to the stiffness (Rayleigh's beta): the force is this times the "
            "stiffness at the start of the step times the velocity."},
    {"barrier", SCHEMA_NUMBER, AT(material_def, barrier), .initial = "0", AT_LEAST(0), .unit = "Pa",
     .doc = "Stiffness m of an additional energy density against inversion, 100 m (1/(1 + r^3) - "
            "1) with r = J/`barrier_below` - 1, where the ratio of volumes J is below it."},
    {"barrier_below", SCHEMA_NUMBER, AT(material_def, barrier_below), .initial = "0.5", ABOVE(0),
     .doc = "Ratio of volumes at which that begins."},
    {"dilatation", SCHEMA_WORD, AT(material_def, dilatation), .words = dilatation_words,
     .initial = "\"pointwise\"",
     .doc =
         "With `mean` the change of volume counts by its mean over an element, so that elements "
         "do not lock near a Poisson's ratio of 0.5. For cells of order 1 with 4 or 8 corners and "
         "all cells of order 2, with the models `neo-hookean`, `linear` and `hencky`."},
    {"viscous", SCHEMA_LIST, AT_LIST(material_def, parts.branch, parts.branch_count),
     .type = &schema_viscous_branch, .initial = "[]",
     .doc = "Viscous branches beside the elastic law, terms of a Prony series; at most 8."},
    {"plasticity", SCHEMA_OBJECT, AT(material_def, parts.plastic),
     GIVEN(material_def, parts.plastic.given), .type = &schema_plastic_flow, .absent = "none",
     .doc = "Plastic flow; with the model `hencky`."},
    {"fibres", SCHEMA_LIST, AT_LIST(material_def, parts.family, parts.family_count),
     .type = &schema_fibre_family, .initial = "[]",
     .doc = "Families of fibres beside the elastic law; at most 4."},
    {"growth", SCHEMA_EXPRESSIONS, AT(material_def, parts.growth), .count = 3, .absent = "none",
     .doc = "Stretches by which the material at rest grows along x, y and z, by the time `t`: "
            "swelling, thermal strain."},
};

const schema_type schema_material = {
    .name = "material",
    .doc = "An elastic material, and what it has beside its elastic law (docs/materials.md).",
    FIELDS(material_fields),
    STRUCT(material_def),
    NAMED(material_def, name),
    .rule = rule_material,
    .rule_doc =
        "`young` and `poisson` must be given, or for the model `mooney-rivlin` `c1`, `c2` and "
        "`bulk`, for `ogden` `coefficients`, `exponents` and `bulk`.",
};

/* --- half spaces --- */

static const schema_field half_space_fields[] = {
    {"origin", SCHEMA_VECTOR, AT(half_space_def, origin), .count = 3, .initial = "[0, 0, 0]",
     .unit = "m", .doc = "A point of the plane."},
    {"normal", SCHEMA_VECTOR, AT(half_space_def, normal), .count = 3, .initial = "[0, 1, 0]",
     .doc = "Points to the free side; its length does not matter."},
    {"friction", SCHEMA_NUMBER, AT(half_space_def, friction), .otherwise = -1, AT_LEAST(0),
     .absent = "`contact.friction`", .doc = "Coefficient of friction of the plane."},
    {"interface", SCHEMA_OBJECT, AT(half_space_def, interface),
     GIVEN(half_space_def, interface.given), .type = &schema_interface, .absent = "none",
     .doc = "What the contacts have beside the coefficient."},
    {"velocity", SCHEMA_VECTOR, AT(half_space_def, velocity), .count = 3, .initial = "[0, 0, 0]",
     .unit = "m/s",
     .doc = "Velocity of the surface for friction, as of a conveyor belt; the plane itself stays "
            "where it is."},
};

const schema_type schema_half_space = {
    .name = "half_space",
    .doc = "A plane with everything behind it solid.",
    FIELDS(half_space_fields),
    STRUCT(half_space_def),
    .complete = complete_half_space,
    .rule = rule_half_space,
    .rule_doc = "The normal must not be zero.",
};

/* --- output --- */

static const schema_field output_fields[] = {
    {"every", SCHEMA_INTEGER, AT(output_def, frame_every), .initial = "1", FROM_TO(0, 2e9),
     .doc = "A frame is written after each so many steps; 0: none."},
    {"checkpoint_every", SCHEMA_INTEGER, AT(output_def, checkpoint_every), .initial = "20",
     FROM_TO(0, 2e9),
     .doc =
         "A checkpoint is written after each so many steps, and after any step when the last one "
         "is a minute old; 0: only at the end."},
    {"measures", SCHEMA_BOOL, AT(output_def, measures), .initial = "false",
     .doc = "Whether every step is measured: balance of forces, signs of contact forces, "
            "complementarity; the worst values are in run.json under `accuracy`."},
    {"reactions", SCHEMA_BOOL, AT(output_def, reactions), .initial = "false",
     .doc =
         "Whether forces and moments (about the origin) of every `fix`, prescribed body, body in "
         "contact and half-space are written after every step, to reactions.csv."},
    {"probes", SCHEMA_LIST, AT_LIST(output_def, probes, probe_count), .type = &schema_probe,
     .initial = "[]",
     .doc = "Values at points, over regions and across cuts, written after every step to "
            "probes.csv."},
    {"paths", SCHEMA_WORD, AT(output_def, paths), .words = paths_words, .initial = "\"auto\"",
     .doc =
         "Whether frames keep the path of the steps since the frame before, along which nothing "
         "meets, for `abut verify`: `auto` with rigid or affine bodies, and otherwise when every "
         "step has a frame (only points that cannot as well go straight are written); `all` in "
         "any case (memory for all iterates between two frames); `none`."},
    {"formats", SCHEMA_WORDS, AT(output_def, formats), .words = format_words,
     .initial = "[\"vtu\"]",
     .doc =
         "Formats of the frames: VTU, OBJ beside it, and `volume`: the elements of bodies with an "
         "`order` or curved cells as VTU with Lagrange cells, in a folder `volume` of the run."},
    {"fields", SCHEMA_WORDS, AT(output_def, frame_fields), .words = frame_field_words,
     .initial = "[\"velocity\", \"displacement\"]",
     .doc =
         "Fields of the frames, beside the number of the body: `stress` is von Mises' stress and "
         "`stretch` the largest stretch of every tetrahedron, `contact_force` the force of "
         "contact and friction on every point, `contact_pressure` the normal part by area, "
         "`friction_traction` the tangential one, `gap` the distance to what is nearer than dhat, "
         "`contact_state` 1 where friction sticks and 2 where it slips. Of all elements, as means "
         "of every cell and at every point: `cauchy_stress` and `second_piola_stress` (xx, yy, zz, "
         "xy, yz, xz), `principal_stretches`, `energy_density`, `von_mises`, `plastic_strain` "
         "(equivalent) "
         "and `dissipated_energy`."},
};

static const schema_type output_type = {
    .name = "output",
    .doc = "What a run writes, and how often.",
    FIELDS(output_fields),
    STRUCT(output_def),
};

/* --- the scene --- */

static bool is_ascii(const char *text)
{
    while (*text && !((unsigned char)*text & 0x80)) text++;
    return !*text;
}

/* A scene without a name is called like its file; names that are not UTF-8 cannot be JSON. */
static json_t *name_from_file(const char *file, size_t index)
{
    (void)index;
    const char *name = path_name(file), *extension = path_extension(file);
    size_t length = strlen(name);
    if (extension[0]) length -= strlen(extension) + 1;
    json_t *text = json_stringn(name, length);
    return text || is_ascii(name) ? text : json_string("scene");
}

static const schema_field scene_fields[] = {
    {"abut", SCHEMA_INTEGER, SCHEMA_REQUIRED, FROM_TO(1, 1),
     .doc = "Version of the format; marks the file as a native scene."},
    {"$schema", SCHEMA_STRING, .absent = "none",
     .doc = "For editors: address of the JSON Schema file. Not used."},
    {"name", SCHEMA_STRING, AT(scene_def, name), .make_initial = name_from_file,
     .absent = "name of the file", .doc = "Title of the scene."},
    {"time", SCHEMA_OBJECT, SCHEMA_REQUIRED, IN_PLACE, .type = &time_type, .doc = "Time steps."},
    {"gravity", SCHEMA_VECTOR, AT(scene_def, options.gravity), .count = 3,
     .initial = "[0, -9.81, 0]", .unit = "m/s^2", .doc = "Acceleration of all simulated bodies."},
    {"planar", SCHEMA_BOOL, AT(scene_def, planar), .initial = "false",
     .doc =
         "Two-dimensional: bodies are triangles, quads or edges in the x-y plane, deformable ones "
         "with plane strain and a depth of 1 m; all z stay 0."},
    {"contact", SCHEMA_OBJECT, IN_PLACE, .type = &contact_type, .initial = "{}",
     .doc = "Contact and friction."},
    {"stepper", SCHEMA_WORD, AT(scene_def, options.use_mlcp), .words = stepper_words,
     .initial = "\"barrier\"",
     .doc = "How a step is solved: Newton's method with contact barriers, or conjugate residuals "
            "on the linear-complementarity problem of one linearisation."},
    {"mlcp", SCHEMA_OBJECT, AT(scene_def, options.mlcp), .type = &mlcp_type, .initial = "{}",
     .doc = "Accuracy of the stepper `mlcp`."},
    {"solver", SCHEMA_OBJECT, IN_PLACE, .type = &solver_type, .initial = "{}",
     .doc = "Accuracy and linear solver."},
    {"remesh", SCHEMA_OBJECT, AT(scene_def, remesh), GIVEN(scene_def, remesh.on),
     .type = &schema_remesh, .absent = "meshes stay as they are",
     .doc = "Meshes of deformable bodies that adapt themselves."},
    {"materials", SCHEMA_MAP, .type = &schema_material, .initial = "{}",
     .doc = "Materials by name, for `material` of bodies."},
    {"bodies", SCHEMA_LIST, SCHEMA_REQUIRED, AT_LIST(scene_def, bodies, body_count),
     .type = &schema_body, .doc = "What is simulated, and obstacles."},
    {"joints", SCHEMA_LIST, AT_LIST(scene_def, joints, joint_count), .type = &schema_joint,
     .initial = "[]",
     .doc = "Joints between rigid and affine bodies and the world, gears, springs and motors."},
    {"attachments", SCHEMA_LIST, AT_LIST(scene_def, attachments, attachment_count),
     .type = &schema_attachment, .initial = "[]",
     .doc = "Nodes that are attached to other bodies or to the world."},
    {"cavities", SCHEMA_LIST, AT_LIST(scene_def, cavities, cavity_count), .type = &schema_cavity,
     .initial = "[]", .doc = "Gas in closed cavities, at most 8."},
    {"winds", SCHEMA_LIST, SCHEMA_OR_ONE, AT_LIST(scene_def, flows.winds, flows.wind_count),
     .type = &schema_wind, .initial = "[]", .doc = "Air that flows past bodies: drag and lift."},
    {"waters", SCHEMA_LIST, SCHEMA_OR_ONE, AT_LIST(scene_def, flows.waters, flows.water_count),
     .type = &schema_water, .initial = "[]", .doc = "Water at rest that bodies float in."},
    {"ground", SCHEMA_NUMBER, AT(scene_def, ground), GIVEN(scene_def, has_ground), .absent = "none",
     .unit = "m",
     .doc =
         "Height of a floor: short for a half space through (0, height, 0) with normal (0, 1, 0)."},
    {"half_spaces", SCHEMA_LIST, SCHEMA_OR_ONE, AT_LIST(scene_def, half_spaces, half_space_count),
     .type = &schema_half_space, .initial = "[]", .doc = "Planes that bodies cannot pass."},
    {"output", SCHEMA_OBJECT, AT(scene_def, output), .type = &output_type, .initial = "{}",
     .doc = "What is written."},
    {"optimize", SCHEMA_OBJECT, AT(scene_def, optimize), GIVEN(scene_def, optimize.on),
     .type = &schema_optimize, .absent = "nothing is optimised",
     .doc = "What `abut optimize` does."},
};

const schema_type schema_scene = {
    .name = "scene",
    .doc =
        "The whole document. Numbers are in SI units, angles in degrees, y is up by default. "
        "Lengths of the kind `\"1e-3 l\"` are relative to l, the diagonal of the bounding box of "
        "all simulated bodies at the start.",
    FIELDS(scene_fields),
    STRUCT(scene_def),
    .complete = complete_scene,
    .rule = rule_scene,
    .rule_doc =
        "The names of bodies must differ, and pairs of friction must name bodies of the scene.",
};
