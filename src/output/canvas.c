#include "output/canvas.h"

#include "output/gl.h"

#include <stddef.h>
#include <string.h>

/* ---- shaders ---- */

static const char depth_vertex[] = "#version 330 core\n"
                                   "layout(location = 0) in vec3 position;\n"
                                   "uniform mat4 matrix;\n"
                                   "void main() { gl_Position = matrix * vec4(position, 1.0); }\n";

static const char depth_fragment[] = "#version 330 core\nvoid main() {}\n";

static const char surface_vertex[] = "#version 330 core\n"
                                     "layout(location = 0) in vec3 position;\n"
                                     "layout(location = 1) in vec3 normal;\n"
                                     "layout(location = 2) in vec4 color;\n"
                                     "layout(location = 3) in vec4 outline;\n"
                                     "uniform mat4 matrix;\n"
                                     "out vec3 world, world_normal, paint, lines;\n"
                                     "void main() {\n"
                                     "    world = position;\n"
                                     "    world_normal = normal;\n"
                                     "    paint = pow(color.rgb, vec3(2.2));\n"
                                     "    lines = outline.xyz;\n"
                                     "    gl_Position = matrix * vec4(position, 1.0);\n"
                                     "}\n";

/* Light at a point: one direction of the sun, one of the sky, and a little from everywhere. */
static const char lighting[] =
    "#version 330 core\n"
    "uniform mat4 key_matrix, sky_matrix;\n"
    "uniform vec3 key_direction, sky_direction, up, eye;\n"
    "uniform float texel;\n"
    "uniform sampler2DShadow key_map, sky_map;\n"
    "float lit(sampler2DShadow map, mat4 matrix, vec3 p) {\n"
    "    vec3 c = (matrix * vec4(p, 1.0)).xyz * 0.5 + 0.5;\n"
    "    if (any(lessThan(c.xy, vec2(0.0))) || any(greaterThan(c.xy, vec2(1.0)))) return 1.0;\n"
    "    return texture(map, vec3(c.xy, min(c.z, 0.99999)));\n"
    "}\n"
    "vec3 light(vec3 p, vec3 n) {\n"
    "    vec3 raised = p + 1.5 * texel * n;\n"
    "    float key = max(dot(n, key_direction), 0.0);\n"
    "    if (key > 0.0) key *= lit(key_map, key_matrix, raised);\n"
    "    float sky = max(dot(n, sky_direction), 0.0);\n"
    "    if (sky > 0.0) sky *= lit(sky_map, sky_matrix, raised);\n"
    "    float below = 0.5 - 0.5 * dot(n, up);\n"
    "    return vec3(1.22, 1.15, 1.05) * key + 2.0 * vec3(0.45, 0.48, 0.53) * sky\n"
    "         + vec3(0.03) + below * vec3(0.16, 0.15, 0.14);\n"
    "}\n";

static const char surface_fragment[] =
    "in vec3 world, world_normal, paint, lines;\n"
    "uniform float line_strength;\n"
    "out vec4 pixel;\n"
    "void main() {\n"
    "    vec3 view = normalize(eye - world);\n"
    "    vec3 n = normalize(world_normal);\n"
    "    if (dot(n, view) < 0.0) n = -n;\n"
    "    vec3 steps = lines / max(fwidth(lines), vec3(1e-6));\n"
    "    float line = 1.0 - smoothstep(0.3, 1.2, min(steps.x, min(steps.y, steps.z)));\n"
    "    vec3 base = mix(paint, 0.18 * paint, line_strength * line);\n"
    "    vec3 middle = normalize(view + key_direction);\n"
    "    float shine = pow(max(dot(n, middle), 0.0), 48.0) * max(dot(n, key_direction), 0.0);\n"
    "    if (shine > 0.001) shine *= lit(key_map, key_matrix, world + 1.5 * texel * n);\n"
    "    float rim = pow(1.0 - max(dot(n, view), 0.0), 4.0);\n"
    "    pixel = vec4(base * light(world, n) + vec3(0.20 * shine + 0.05 * rim), 1.0);\n"
    "}\n";

static const char ground_vertex[] = "#version 330 core\n"
                                    "layout(location = 0) in vec3 position;\n"
                                    "uniform mat4 matrix;\n"
                                    "out vec3 world;\n"
                                    "void main() {\n"
                                    "    world = position;\n"
                                    "    gl_Position = matrix * vec4(position, 1.0);\n"
                                    "}\n";

/* Lines every `grid`, a stronger one every five. */
static const char ground_fragment[] =
    "in vec3 world;\n"
    "uniform vec3 side, front, center;\n"
    "uniform float grid, radius;\n"
    "out vec4 pixel;\n"
    "float grid_line(vec2 at, vec2 width) {\n"
    "    vec2 d = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));\n"
    "    vec2 line = (1.0 - smoothstep(0.5, 1.3, d)) * (1.0 - smoothstep(0.15, 0.5, width));\n"
    "    return max(line.x, line.y);\n"
    "}\n"
    "void main() {\n"
    "    vec2 at = vec2(dot(world, side), dot(world, front)) / grid;\n"
    "    vec2 width = fwidth(at);\n"
    "    float line = max(0.45 * grid_line(at, width), grid_line(at / 5.0, width / 5.0));\n"
    "    float away = length(world - center) / radius;\n"
    "    float cover = 1.0 - smoothstep(0.25, 1.0, away);\n"
    "    vec3 base = vec3(0.58) * (1.0 - 0.16 * line);\n"
    "    pixel = vec4(cover * base * light(world, up), cover);\n"
    "}\n";

static const char sum_vertex[] =
    "#version 330 core\n"
    "out vec2 at;\n"
    "void main() {\n"
    "    at = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);\n"
    "    gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);\n"
    "}\n";

static const char sum_fragment[] = "#version 330 core\n"
                                   "in vec2 at;\n"
                                   "uniform sampler2D pass;\n"
                                   "out vec4 pixel;\n"
                                   "void main() { pixel = texture(pass, at); }\n";

/* ---- the canvas ---- */

struct canvas {
    gl_context *context;
    int width, height, pass_count;
    GLsizei vertex_count;
    GLuint depth_program, surface_program, ground_program, sum_program;
    GLuint surface_array, surface_buffer, ground_array, ground_buffer, empty_array;
    GLuint shadow_maps[2], shadow_targets[2];
    GLuint pass_color, pass_depth, pass_target, sum_color, sum_target;
};

static abut_status compile(GLenum type, const char *first, const char *second, GLuint *out,
                           abut_error *err)
{
    const char *parts[2] = {first, second};
    *out = glCreateShader(type);
    glShaderSource(*out, 2, parts, NULL);
    glCompileShader(*out);
    GLint good = 0;
    glGetShaderiv(*out, GL_COMPILE_STATUS, &good);
    if (good) return ABUT_OK;
    char message[512] = "";
    glGetShaderInfoLog(*out, sizeof message, NULL, message);
    return error_set(err, ABUT_ERROR_INTERNAL, "OpenGL", "a shader does not compile: %s", message);
}

static abut_status link_program(const char *vertex, const char *common, const char *fragment,
                                GLuint *out, abut_error *err)
{
    GLuint parts[2];
    TRY(compile(GL_VERTEX_SHADER, vertex, "", &parts[0], err));
    TRY(compile(GL_FRAGMENT_SHADER, common, fragment, &parts[1], err));
    *out = glCreateProgram();
    for (int i = 0; i < 2; i++) glAttachShader(*out, parts[i]);
    glLinkProgram(*out);
    for (int i = 0; i < 2; i++) glDeleteShader(parts[i]);
    GLint good = 0;
    glGetProgramiv(*out, GL_LINK_STATUS, &good);
    if (good) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INTERNAL, "OpenGL", "the shaders do not fit together");
}

static GLuint make_texture(GLenum format, GLenum layout, GLenum type, int width, int height)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, layout, type, NULL);
    bool shadow = layout == GL_DEPTH_COMPONENT && width == height;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, shadow ? GL_LINEAR : GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, shadow ? GL_LINEAR : GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

static GLuint make_target(GLuint color, GLuint depth)
{
    GLuint target;
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    if (color)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    else
        glDrawBuffer(GL_NONE), glReadBuffer(GL_NONE);
    if (depth) glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    return target;
}

static void make_targets(canvas *c)
{
    for (int i = 0; i < 2; i++) {
        c->shadow_maps[i] = make_texture(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT,
                                         CANVAS_SHADOW_SIZE, CANVAS_SHADOW_SIZE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
        c->shadow_targets[i] = make_target(0, c->shadow_maps[i]);
    }
    c->pass_color = make_texture(GL_RGBA16F, GL_RGBA, GL_FLOAT, c->width, c->height);
    c->pass_depth =
        make_texture(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, c->width, c->height);
    c->pass_target = make_target(c->pass_color, c->pass_depth);
    c->sum_color = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, c->width, c->height);
    c->sum_target = make_target(c->sum_color, 0);
}

static void attribute(GLuint index, GLint size, GLenum type, GLboolean normalized, size_t offset)
{
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, size, type, normalized, sizeof(draw_vertex),
                          (const void *)offset); /* NOLINT: an offset by convention */
}

static void make_buffers(canvas *c)
{
    glGenVertexArrays(1, &c->empty_array);
    glGenVertexArrays(1, &c->surface_array);
    glBindVertexArray(c->surface_array);
    glGenBuffers(1, &c->surface_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, c->surface_buffer);
    attribute(0, 3, GL_FLOAT, GL_FALSE, offsetof(draw_vertex, position));
    attribute(1, 3, GL_FLOAT, GL_FALSE, offsetof(draw_vertex, normal));
    attribute(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(draw_vertex, color));
    attribute(3, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(draw_vertex, outline));
    glGenVertexArrays(1, &c->ground_array);
    glBindVertexArray(c->ground_array);
    glGenBuffers(1, &c->ground_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, c->ground_buffer);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
}

static abut_status check_errors(abut_error *err)
{
    GLenum code = glGetError();
    if (code == GL_NO_ERROR) return ABUT_OK;
    if (code == GL_OUT_OF_MEMORY) return error_memory(err, "drawing with OpenGL");
    return error_set(err, ABUT_ERROR_INTERNAL, "OpenGL", "error 0x%x while drawing", code);
}

static abut_status set_up(canvas *c, abut_error *err)
{
    TRY(gl_context_open(&c->context, err));
    TRY(link_program(depth_vertex, depth_fragment, "", &c->depth_program, err));
    TRY(link_program(surface_vertex, lighting, surface_fragment, &c->surface_program, err));
    TRY(link_program(ground_vertex, lighting, ground_fragment, &c->ground_program, err));
    TRY(link_program(sum_vertex, sum_fragment, "", &c->sum_program, err));
    make_targets(c);
    make_buffers(c);
    return check_errors(err);
}

abut_status canvas_create(canvas **out, int width, int height, abut_error *err)
{
    *out = NULL;
    canvas *c = mem_calloc(1, sizeof *c);
    if (!c) return error_memory(err, "starting OpenGL");
    c->width = width;
    c->height = height;
    abut_status status = set_up(c, err);
    if (status == ABUT_OK)
        *out = c;
    else
        canvas_free(c);
    return status;
}

void canvas_free(canvas *c)
{
    if (!c) return;
    gl_context_close(c->context);
    mem_free(c);
}

abut_status canvas_begin(canvas *c, const drawing *d, abut_error *err)
{
    if (!gl_context_use(c->context))
        return error_set(err, ABUT_ERROR_INTERNAL, "OpenGL", "cannot go on drawing");
    c->pass_count = 0;
    c->vertex_count = (GLsizei)d->vertices.count;
    glBindBuffer(GL_ARRAY_BUFFER, c->surface_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(d->vertices.count * sizeof(draw_vertex)),
                 d->vertices.data, GL_STATIC_DRAW);
    glBindFramebuffer(GL_FRAMEBUFFER, c->sum_target);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    return check_errors(err);
}

/* ---- one pass ---- */

static void set_matrix(GLuint program, const char *name, const matrix4 *value)
{
    glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, value->m);
}

static void set_vector(GLuint program, const char *name, vec3 v)
{
    glUniform3f(glGetUniformLocation(program, name), (float)v.x, (float)v.y, (float)v.z);
}

static void set_number(GLuint program, const char *name, double value)
{
    glUniform1f(glGetUniformLocation(program, name), (float)value);
}

static void draw_shadow(const canvas *c, int map, const matrix4 *matrix)
{
    glBindFramebuffer(GL_FRAMEBUFFER, c->shadow_targets[map]);
    glViewport(0, 0, CANVAS_SHADOW_SIZE, CANVAS_SHADOW_SIZE);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 2.0f);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUseProgram(c->depth_program);
    set_matrix(c->depth_program, "matrix", matrix);
    glBindVertexArray(c->surface_array);
    glDrawArrays(GL_TRIANGLES, 0, c->vertex_count);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

static void set_lighting(GLuint program, const canvas_pass *pass)
{
    glUseProgram(program);
    set_matrix(program, "matrix", &pass->camera);
    set_matrix(program, "key_matrix", &pass->key_matrix);
    set_matrix(program, "sky_matrix", &pass->sky_matrix);
    set_vector(program, "key_direction", pass->key_direction);
    set_vector(program, "sky_direction", pass->sky_direction);
    set_vector(program, "up", pass->up);
    set_vector(program, "eye", pass->eye);
    set_number(program, "texel", pass->texel);
    glUniform1i(glGetUniformLocation(program, "key_map"), 0);
    glUniform1i(glGetUniformLocation(program, "sky_map"), 1);
}

static void draw_ground(const canvas *c, const canvas_pass *pass)
{
    vec3 helper = fabs(pass->up.x) < 0.6 ? vec3_make(1, 0, 0) : vec3_make(0, 0, 1);
    vec3 front = vec3_normalize(vec3_cross(helper, pass->up)), side = vec3_cross(pass->up, front);
    vec3 center = vec3_scale(pass->ground_height, pass->up);
    float corners[4][3];
    for (int i = 0; i < 4; i++) {
        vec3 p = vec3_mul_add(center, i & 1 ? pass->ground_radius : -pass->ground_radius, side);
        p = vec3_mul_add(p, i & 2 ? pass->ground_radius : -pass->ground_radius, front);
        corners[i][0] = (float)p.x, corners[i][1] = (float)p.y, corners[i][2] = (float)p.z;
    }
    glBindVertexArray(c->ground_array);
    glBindBuffer(GL_ARRAY_BUFFER, c->ground_buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STREAM_DRAW);
    set_lighting(c->ground_program, pass);
    set_vector(c->ground_program, "side", side);
    set_vector(c->ground_program, "front", front);
    set_vector(c->ground_program, "center", center);
    set_number(c->ground_program, "grid", pass->grid);
    set_number(c->ground_program, "radius", pass->ground_radius);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_BLEND);
}

static void bind_maps(GLuint first, GLuint second)
{
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, second);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, first);
}

static void add_to_sum(canvas *c)
{
    bind_maps(c->pass_color, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, c->sum_target);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glUseProgram(c->sum_program);
    glUniform1i(glGetUniformLocation(c->sum_program, "pass"), 0);
    glBindVertexArray(c->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_BLEND);
    c->pass_count++;
}

void canvas_add_pass(canvas *c, const canvas_pass *pass)
{
    draw_shadow(c, 0, &pass->key_matrix);
    draw_shadow(c, 1, &pass->sky_matrix);
    bind_maps(c->shadow_maps[0], c->shadow_maps[1]);
    glBindFramebuffer(GL_FRAMEBUFFER, c->pass_target);
    glViewport(0, 0, c->width, c->height);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    set_lighting(c->surface_program, pass);
    set_number(c->surface_program, "line_strength", pass->edges ? 0.55 : 0.0);
    glBindVertexArray(c->surface_array);
    glDrawArrays(GL_TRIANGLES, 0, c->vertex_count);
    if (pass->ground) draw_ground(c, pass);
    add_to_sum(c);
}

abut_status canvas_end(canvas *c, float *rgba, abut_error *err)
{
    size_t count = 4 * (size_t)c->width * (size_t)c->height;
    glBindFramebuffer(GL_FRAMEBUFFER, c->sum_target);
    glReadPixels(0, 0, c->width, c->height, GL_RGBA, GL_FLOAT, rgba);
    float scale = c->pass_count > 0 ? 1.0f / (float)c->pass_count : 0.0f;
    for (size_t i = 0; i < count; i++) rgba[i] *= scale;
    return check_errors(err);
}
