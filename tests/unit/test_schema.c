/* The table of the scene format: its own consistency, and the files in docs/ that are written from
 * it. To renew them: abut schema --json > docs/scene.schema.json, and the same with --markdown for
 * docs/scene-reference.md. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "scene/cloth.h"
#include "scene/scene.h"
#include "scene/schema.h"
#include "scene/schema_table.h"

#include <ctype.h>

static abut_error err;

/* --- Every type once --- */

static const schema_type *types[128];
static size_t type_count;

static void collect(const schema_type *type)
{
    for (size_t i = 0; i < type_count; i++)
        if (types[i] == type) return;
    types[type_count++] = type;
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].type) collect(type->fields[i].type);
}

/* The default of a field must obey the field itself. */
static void check_initial(const schema_type *type, const schema_field *field)
{
    if (!field->initial) return;
    schema_field alone_field = *field;
    alone_field.needs = NULL;
    schema_type alone = {.name = type->name, .fields = &alone_field, .field_count = 1};
    json_t *empty = json_object(), *resolved;
    problem_list problems = {.file = type->name, .err = &err};
    CHECK_OK(schema_resolve(&alone, empty, &problems, &resolved), err);
    json_decref(empty);
    json_decref(resolved);
}

static void check_field(const schema_type *type, const schema_field *field)
{
    check_initial(type, field);
    CHECK(field->doc && isupper((unsigned char)field->doc[0]));
    CHECK(field->doc && field->doc[strlen(field->doc) - 1] == '.');
    CHECK(schema_find(type, field->key) == field); /* no key twice */
    CHECK(!(field->initial && (field->flags & (SCHEMA_REQUIRED | SCHEMA_CHOICE))));
    CHECK(!field->needs || schema_find(type, field->needs));
    bool list =
        field->kind == SCHEMA_VECTOR || field->kind == SCHEMA_BOX || field->kind == SCHEMA_ROWS;
    CHECK(field->kind != SCHEMA_ROWS || field->count > 0 || field->place.width_offset > 0);
    CHECK(list || field->kind == SCHEMA_INTEGERS || field->kind == SCHEMA_EXPRESSIONS ||
          field->count == 0);
    bool holds =
        field->kind == SCHEMA_OBJECT || field->kind == SCHEMA_LIST || field->kind == SCHEMA_MAP;
    CHECK(holds == (field->type != NULL));
    bool words = field->kind == SCHEMA_WORD || field->kind == SCHEMA_WORDS;
    CHECK(words == (field->words != NULL));
    CHECK(!(field->flags & SCHEMA_OR_NAME) || schema_find(&schema_scene, field->map));
    bool optional = !(field->flags & (SCHEMA_REQUIRED | SCHEMA_CHOICE)) && !field->initial;
    CHECK(!optional || field->absent); /* the reference can say what happens without it */
}

TEST(table_is_consistent)
{
    collect(&schema_scene);
    CHECK(type_count > 15 &&
          type_count < 128); /* as many as src/scene/schema_docs.c has room for */
    for (size_t i = 0; i < type_count; i++) {
        CHECK(types[i]->name && types[i]->doc && types[i]->field_count > 0);
        CHECK(types[i]->field_count <= 64);
        CHECK(!types[i]->rule == !types[i]->rule_doc);
        for (size_t k = 0; k < i; k++) CHECK(strcmp(types[i]->name, types[k]->name) != 0);
        for (size_t k = 0; k < types[i]->field_count; k++)
            check_field(types[i], &types[i]->fields[k]);
    }
}

TEST(words_match_the_enums)
{
    CHECK(schema_word_count(integrator_words) == INTEGRATOR_COUNT);
    CHECK(schema_word_count(elastic_law_words) == ELASTIC_LAW_COUNT);
    CHECK(schema_word_count(body_kind_words) == BODY_AFFINE + 1);
    CHECK(schema_word_count(remesh_method_words) == REMESH_UNIFORM + 1);
    for (size_t i = 0; cloth_words[i]; i++) CHECK(strcmp(cloth_words[i], cloth_table[i].name) == 0);
}

/* Choices are stored by the order of their rows, which must be that of the enum. */
TEST(choices_match_the_enums)
{
    CHECK(strcmp(schema_choice_key(&schema_mesh, MESH_FILE), "file") == 0);
    CHECK(strcmp(schema_choice_key(&schema_mesh, MESH_HELIX), "helix") == 0);
    CHECK(strcmp(schema_choice_key(&schema_mesh, MESH_GIVEN), "given") == 0);
    CHECK(strcmp(schema_choice_key(&schema_boundary, BOUNDARY_ALL), "all") == 0);
    CHECK(strcmp(schema_choice_key(&schema_boundary, BOUNDARY_SIDE), "side") == 0);
    CHECK(strcmp(schema_choice_key(&schema_boundary, BOUNDARY_NODES), "nodes") == 0);
    CHECK(strcmp(schema_choice_key(&schema_region, BOUNDARY_ALL), "tag") == 0);
    CHECK(strcmp(schema_choice_key(&schema_region, BOUNDARY_CYLINDER), "cylinder") == 0);
    CHECK(strcmp(schema_choice_key(&schema_region, BOUNDARY_NODES), "cells") == 0);
    CHECK(strcmp(schema_choice_key(&schema_surface_load, LOAD_TRACTION), "traction") == 0);
    CHECK(strcmp(schema_choice_key(&schema_surface_load, LOAD_PRESSURE), "pressure") == 0);
    const schema_type *nodes = schema_find(schema_find(&schema_body, "fix")->type, "nodes")->type;
    CHECK(strcmp(schema_choice_key(nodes, SELECT_RELATIVE_BOX), "relative_box") == 0);
    CHECK(strcmp(schema_choice_key(nodes, SELECT_BOUNDARY), "boundary") == 0);
    CHECK(strcmp(schema_choice_key(&schema_probe, PROBE_AT), "at") == 0);
    CHECK(strcmp(schema_choice_key(&schema_probe, PROBE_ALL), "all") == 0);
    CHECK(strcmp(schema_choice_key(&schema_probe, PROBE_CUT), "cut") == 0);
}

/* --- Where values go --- */

/* Members that a value of each kind may go to. */
static bool goes_to(schema_kind kind, schema_member member)
{
    static const unsigned members[] = {
        [SCHEMA_BOOL] = 1u << MEMBER_BOOL,
        [SCHEMA_INTEGER] = 1u << MEMBER_INT,
        [SCHEMA_NUMBER] = 1u << MEMBER_DOUBLE,
        [SCHEMA_LENGTH] = 1u << MEMBER_LENGTH,
        [SCHEMA_STRING] = 1u << MEMBER_TEXT,
        [SCHEMA_WORD] =
            1u << MEMBER_ENUM | 1u << MEMBER_BOOL | 1u << MEMBER_INT | 1u << MEMBER_TEXT,
        [SCHEMA_WORDS] = 1u << MEMBER_ENUM,
        [SCHEMA_AXES] = 1u << MEMBER_BOOLS,
        [SCHEMA_VECTOR] = 1u << MEMBER_VEC3 | 1u << MEMBER_DOUBLES,
        [SCHEMA_INTEGERS] = 1u << MEMBER_INTS | 1u << MEMBER_LIST,
        [SCHEMA_ROWS] = 1u << MEMBER_LIST,
        [SCHEMA_EXPRESSION] = 1u << MEMBER_EXPRESSION,
        [SCHEMA_EXPRESSIONS] = 1u << MEMBER_EXPRESSIONS,
        [SCHEMA_BOX] = 1u << MEMBER_VEC3,
        [SCHEMA_OBJECT] = 1u << MEMBER_STRUCT,
        [SCHEMA_LIST] = 1u << MEMBER_LIST,
        [SCHEMA_NUMBERS] = 1u << MEMBER_DOUBLES,
    };
    return kind < sizeof members / sizeof members[0] && members[kind] >> member & 1;
}

/* Bytes that the value takes in its member; 0: any. */
static size_t bytes_of(const schema_field *f)
{
    size_t count = (size_t)f->count;
    if (f->kind == SCHEMA_VECTOR) return count * sizeof(double);
    if (f->kind == SCHEMA_INTEGERS && f->place.member == MEMBER_INTS) return count * sizeof(int);
    if (f->kind == SCHEMA_EXPRESSIONS) return count * sizeof(expression *);
    if (f->kind == SCHEMA_AXES) return 3 * sizeof(bool);
    return 0;
}

static void check_place(const schema_type *type, const schema_field *f)
{
    /* What is no value of a definition: the format itself, the library of materials, the request to
     * split a body, and choices that are nothing but their name. */
    static const char *const nowhere[] = {"scene.abut", "scene.$schema", "scene.materials",
                                          "body.split", "nodes.all",     "boundary.all",
                                          "probe.all"};
    char name[100];
    snprintf(name, sizeof name, "%s.%s", type->name, f->key);
    bool excepted = false;
    for (size_t i = 0; i < sizeof nowhere / sizeof nowhere[0]; i++)
        excepted = excepted || strcmp(name, nowhere[i]) == 0;
    bool good = excepted ? !f->place.member : goes_to(f->kind, f->place.member);
    good = good && f->place.offset + f->place.room <= type->size && bytes_of(f) <= f->place.room;
    if (f->kind == SCHEMA_OBJECT) good = good && f->place.offset + f->type->size <= type->size;
    if (f->given.member) good = good && f->given.member == MEMBER_BOOL;
    if (f->kind == SCHEMA_NUMBERS) good = good && f->names;
    CHECK(good);
    if (!good) printf("  %s goes to the wrong place\n", name);
}

TEST(every_value_has_a_place)
{
    collect(&schema_scene);
    for (size_t i = 0; i < type_count; i++)
        for (size_t k = 0; k < types[i]->field_count; k++)
            check_place(types[i], &types[i]->fields[k]);
    CHECK(offsetof(place_def, b) == offsetof(place_def, a) + sizeof(vec3)); /* corners of boxes */
}

/* Defaults of the structs are those of documents: an empty object, resolved and read, is equal. */
TEST(defaults_of_structs)
{
    static const char *const keys[] = {"contact", "solver", "mlcp", "output"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const schema_type *type = schema_find(&schema_scene, keys[i])->type;
        char *read = calloc(1, type->size), *made = calloc(1, type->size);
        json_t *nothing = json_object(), *resolved = NULL;
        problem_list problems = {.file = "", .err = &err};
        const schema_source from = {NULL, ""};
        CHECK_OK(schema_resolve(type, nothing, &problems, &resolved), err);
        CHECK_OK(schema_read(type, resolved, &from, read, &err), err);
        CHECK_OK(schema_defaults(type, made, &err), err);
        CHECK(memcmp(read, made, type->size) == 0);
        json_decref(nothing);
        json_decref(resolved);
        free(read);
        free(made);
    }
    scene_def scene = {0};
    CHECK_OK(schema_defaults(&schema_scene, &scene, &err), err);
    CHECK(scene.options.contact && scene.options.gravity.y == -9.81);
    CHECK(scene.lengths.dhat.value == 1e-3 && scene.lengths.dhat.relative);
    CHECK(strcmp(scene.options.linear.name, "auto") == 0 && scene.options.mlcp.max_passes == 60);
    CHECK(!scene.options.contact_options.always_search && scene.output.formats == 1);
    CHECK(!scene.remesh.on && scene.remesh.every == 0);
    body_def body = {0};
    CHECK_OK(schema_defaults(&schema_body, &body, &err), err);
    CHECK(body.enabled && body.scale.x == 1 && body.friction == -1 && body.collision_group == -1);
    CHECK(body.rigid.orthogonality == 1e5 && !body.material.given && body.material.density == 0);
}

/* --- The files --- */

static char *read_document(const char *path)
{
    file_bytes bytes;
    CHECK_OK(file_read(path, &bytes, &err), err);
    if (!bytes.data) return NULL;
    char *text = mem_strdup(bytes.data);
    file_free(&bytes);
    return text;
}

TEST(json_schema_file_is_fresh)
{
    json_t *fresh = NULL, *stored = json_load_file("docs/scene.schema.json", 0, NULL);
    CHECK_OK(schema_to_json(&schema_scene, &fresh, &err), err);
    char *a = json_dumps(fresh, JSON_REAL_PRECISION(12));
    char *b = json_dumps(stored, JSON_REAL_PRECISION(12));
    CHECK(a && b && strcmp(a, b) == 0);
    free(a);
    free(b);
    json_decref(fresh);
    json_decref(stored);
}

TEST(reference_page_is_fresh)
{
    char *fresh = NULL, *stored = read_document("docs/scene-reference.md");
    CHECK_OK(schema_to_markdown(&schema_scene, &fresh, &err), err);
    CHECK(fresh && stored && strcmp(fresh, stored) == 0);
    mem_free(fresh);
    mem_free(stored);
}

TEST(documents_survive_allocation_failures)
{
    for (int n = 0;; n++) {
        char *page = NULL;
        mem_fail_after(n);
        abut_status status = schema_to_markdown(&schema_scene, &page, &err);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(failed ? status == ABUT_ERROR_MEMORY && !page : status == ABUT_OK && page);
        mem_free(page);
        if (!failed) break;
    }
}

/* --- A JSON Schema checker for the words our schema uses, apart from patterns --- */

static bool accepts(const json_t *root, const json_t *schema, const json_t *value);

static const json_t *follow(const json_t *root, const json_t *schema)
{
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    if (!reference) return schema;
    CHECK(strncmp(reference, "#/$defs/", 8) == 0);
    const json_t *target = json_object_get(json_object_get(root, "$defs"), reference + 8);
    CHECK(target != NULL);
    return target;
}

static bool is_type(const json_t *value, const char *type)
{
    if (strcmp(type, "object") == 0) return json_is_object(value);
    if (strcmp(type, "array") == 0) return json_is_array(value);
    if (strcmp(type, "string") == 0) return json_is_string(value);
    if (strcmp(type, "boolean") == 0) return json_is_boolean(value);
    if (strcmp(type, "number") == 0) return json_is_number(value);
    CHECK(strcmp(type, "integer") == 0);
    return json_is_number(value) && json_number_value(value) == floor(json_number_value(value));
}

static size_t matches(const json_t *root, const json_t *alternatives, const json_t *value)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(alternatives); i++)
        count += accepts(root, json_array_get(alternatives, i), value);
    return count;
}

static bool accepts_number(const json_t *s, double x)
{
    const json_t *limit;
    if ((limit = json_object_get(s, "minimum")) && x < json_number_value(limit)) return false;
    if ((limit = json_object_get(s, "maximum")) && x > json_number_value(limit)) return false;
    if ((limit = json_object_get(s, "exclusiveMinimum")) && x <= json_number_value(limit))
        return false;
    if ((limit = json_object_get(s, "exclusiveMaximum")) && x >= json_number_value(limit))
        return false;
    return true;
}

static bool accepts_object(const json_t *root, const json_t *s, const json_t *value)
{
    const json_t *properties = json_object_get(s, "properties");
    const json_t *others = json_object_get(s, "additionalProperties");
    const json_t *required = json_object_get(s, "required");
    for (size_t i = 0; i < json_array_size(required); i++)
        if (!json_object_get(value, json_string_value(json_array_get(required, i)))) return false;
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)value, key, item)
    {
        const json_t *schema = json_object_get(properties, key);
        if (schema ? !accepts(root, schema, item)
                   : json_is_false(others) || (others && !accepts(root, others, item)))
            return false;
        const json_t *needs = json_object_get(json_object_get(s, "dependentRequired"), key);
        if (needs && !json_object_get(value, json_string_value(json_array_get(needs, 0))))
            return false;
    }
    return true;
}

static bool accepts_list(const json_t *root, const json_t *s, const json_t *value)
{
    const json_t *least = json_object_get(s, "minItems"), *most = json_object_get(s, "maxItems");
    size_t n = json_array_size(value);
    if (least && n < (size_t)json_integer_value(least)) return false;
    if (most && n > (size_t)json_integer_value(most)) return false;
    const json_t *items = json_object_get(s, "items");
    for (size_t i = 0; items && i < n; i++)
        if (!accepts(root, items, json_array_get(value, i))) return false;
    return true;
}

static bool accepts(const json_t *root, const json_t *schema, const json_t *value)
{
    const json_t *s = follow(root, schema), *part;
    if ((part = json_object_get(s, "type")) && !is_type(value, json_string_value(part)))
        return false;
    if ((part = json_object_get(s, "const")) && !json_equal(part, value)) return false;
    if ((part = json_object_get(s, "not")) && accepts(root, part, value)) return false;
    if ((part = json_object_get(s, "enum"))) {
        bool found = false;
        for (size_t i = 0; i < json_array_size(part); i++)
            found = found || json_equal(json_array_get(part, i), value);
        if (!found) return false;
    }
    if ((part = json_object_get(s, "anyOf")) && matches(root, part, value) == 0) return false;
    if ((part = json_object_get(s, "oneOf")) && matches(root, part, value) != 1) return false;
    if (json_is_number(value) && !accepts_number(s, json_number_value(value))) return false;
    if (json_is_object(value) && !accepts_object(root, s, value)) return false;
    return !json_is_array(value) || accepts_list(root, s, value);
}

/* Scenes and whether both the program and the JSON Schema take them. Rules over several fields are
 * not part of the JSON Schema. */
static const struct {
    bool good;
    const char *body;
} bodies[] = {
    {true, "{'type': 'obstacle', 'mesh': 'a.obj'}"},
    {true, "{'type': 'obstacle', 'mesh': {'file': 'a.obj', 'weld': true}}"},
    {true, "{'type': 'rigid', 'density': 1, 'mesh': {'ball': {'radius': 1}}, 'scale': 2}"},
    {true, "{'type': 'rigid', 'density': 1, 'mesh': 'a', 'fix': {'nodes': 'all', 'axes': 'x'}}"},
    {true,
     "{'type': 'rigid', 'density': 1, 'mesh': 'a', 'fix': {'axes': '', 'rotation_axes': 'xz'}}"},
    {true, "{'type': 'rigid', 'total_mass': 1, 'mesh': 'a', 'poses': [{'turn': [0, 1, 0]}]}"},
    {true,
     "{'material': {'young': 1, 'poisson': 0}, 'mesh': 'a', 'fix': [{'nodes': {'list': []}}]}"},
    {true, "{'material': {'young': 1, 'poisson': 0}, 'mesh': 'a'}"},
    {false, "{'type': 'obstacle'}"},
    {false, "{'type': 'obstacles', 'mesh': 'a'}"},
    {false, "{'type': 'obstacle', 'mesh': 3}"},
    {false, "{'type': 'obstacle', 'mesh': {'weld': true, 'ball': {'radius': 1}}}"},
    {false, "{'type': 'obstacle', 'mesh': {'file': 'a', 'ball': {'radius': 1}}}"},
    {false, "{'type': 'obstacle', 'mesh': {'ball': {'radius': 0}}}"},
    {false, "{'type': 'obstacle', 'mesh': {'ball': {'radius': 1, 'cells': 1.5}}}"},
    {false, "{'type': 'obstacle', 'mesh': 'a', 'scale': 0}"},
    {false, "{'type': 'obstacle', 'mesh': 'a', 'scale': [1, 1]}"},
    {false, "{'type': 'obstacle', 'mesh': 'a', 'colour': 'red'}"},
    {false, "{'material': {'young': 1, 'poisson': 0.5}, 'mesh': 'a'}"},
    {false, "{'type': 'rigid', 'density': 1, 'mesh': 'a', 'fix': {'nodes': 'some'}}"},
    {false, "{'type': 'rigid', 'density': 1, 'mesh': 'a', 'fix': {'nodes': {'all': false}}}"},
};

TEST(json_schema_agrees_with_the_program)
{
    json_t *schema;
    CHECK_OK(schema_to_json(&schema_scene, &schema, &err), err);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, "{'abut': 1, 'time': {'step': 1, 'steps': 1}, 'bodies': [%s]}",
                 bodies[i].body);
        for (char *c = text; *c; c++)
            if (*c == '\'') *c = '"';
        json_t *scene = json_loads(text, 0, NULL), *resolved;
        problem_list problems = {.file = "x", .err = &err};
        bool program = schema_resolve(&schema_scene, scene, &problems, &resolved) == ABUT_OK;
        CHECK(program == bodies[i].good);
        CHECK(accepts(schema, schema, scene) == bodies[i].good);
        if (program) CHECK(accepts(schema, schema, resolved));
        json_decref(scene);
        json_decref(resolved);
    }
    json_decref(schema);
}

TEST(examples_obey_the_json_schema)
{
    static const char *const files[] = {"examples/elastic/cantilever.json",
                                        "examples/elastic/twist.json",
                                        "examples/elastic/bounce.json"};
    json_t *schema = json_load_file("docs/scene.schema.json", 0, NULL);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        json_t *scene = json_load_file(files[i], 0, NULL);
        CHECK(scene && accepts(schema, schema, scene));
        json_decref(scene);
    }
    json_decref(schema);
}

int main(void)
{
    RUN(table_is_consistent);
    RUN(words_match_the_enums);
    RUN(choices_match_the_enums);
    RUN(every_value_has_a_place);
    RUN(defaults_of_structs);
    RUN(json_schema_file_is_fresh);
    RUN(reference_page_is_fresh);
    RUN(documents_survive_allocation_failures);
    RUN(json_schema_agrees_with_the_program);
    RUN(examples_obey_the_json_schema);
    return TEST_END();
}
