#include "output/gl.h"

#include "base/library.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gl_functions gl_table;

/* What is used of GL/osmesa.h and EGL/egl.h: neither header is needed to build. */
enum {
    OSMESA_FORMAT = 0x22,
    OSMESA_PROFILE = 0x33,
    OSMESA_CORE_PROFILE = 0x34,
    OSMESA_CONTEXT_MAJOR_VERSION = 0x36,
    OSMESA_CONTEXT_MINOR_VERSION = 0x37,
    EGL_NONE = 0x3038,
    EGL_SURFACE_TYPE = 0x3033,
    EGL_RENDERABLE_TYPE = 0x3040,
    EGL_OPENGL_BIT = 0x0008,
    EGL_OPENGL_API = 0x30A2,
    EGL_CONTEXT_MAJOR_VERSION = 0x3098,
    EGL_CONTEXT_MINOR_VERSION = 0x30FB,
    EGL_CONTEXT_OPENGL_PROFILE_MASK = 0x30FD,
    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT = 1,
    EGL_PLATFORM_SURFACELESS_MESA = 0x31DD,
};

typedef void (*any_function)(void);

typedef struct osmesa_functions {
    void *(*CreateContextAttribs)(const int *attributes, void *share);
    unsigned char (*MakeCurrent)(void *context, void *buffer, unsigned type, int width, int height);
    void (*DestroyContext)(void *context);
} osmesa_functions;

typedef struct egl_functions {
    any_function (*GetProcAddress)(const char *name);
    void *(*GetPlatformDisplay)(unsigned platform, void *native, const intptr_t *attributes);
    unsigned (*Initialize)(void *display, int *major, int *minor);
    unsigned (*BindAPI)(unsigned api);
    unsigned (*ChooseConfig)(void *display, const int *attributes, void **configs, int size,
                             int *count);
    void *(*CreateContext)(void *display, void *config, void *share, const int *attributes);
    unsigned (*MakeCurrent)(void *display, void *draw, void *read, void *context);
    unsigned (*DestroyContext)(void *display, void *context);
} egl_functions;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static library mesa, egl_library;
static osmesa_functions osmesa;
static egl_functions egl;
static void *egl_display;
static bool use_egl;

struct gl_context {
    void *context;
    unsigned char screen[4 * 16 * 16]; /* OSMesa wants one; everything goes to textures */
};

/* ---- OSMesa ---- */

static void load_osmesa(void)
{
    library_open(&mesa, "libOSMesa.so.8", "libOSMesa.so");
    library_need(&mesa, "OSMesaCreateContextAttribs", &osmesa.CreateContextAttribs);
    library_need(&mesa, "OSMesaMakeCurrent", &osmesa.MakeCurrent);
    library_need(&mesa, "OSMesaDestroyContext", &osmesa.DestroyContext);
#define GL_FETCH(name) library_need(&mesa, #name, &gl_table.name##_);
    GL_FUNCTIONS(GL_FETCH)
#undef GL_FETCH
}

static void *osmesa_create(void)
{
    static const int wanted[] = {OSMESA_FORMAT,
                                 GL_RGBA,
                                 OSMESA_PROFILE,
                                 OSMESA_CORE_PROFILE,
                                 OSMESA_CONTEXT_MAJOR_VERSION,
                                 3,
                                 OSMESA_CONTEXT_MINOR_VERSION,
                                 3,
                                 0};
    return osmesa.CreateContextAttribs(wanted, NULL);
}

/* ---- EGL ---- */

static void egl_fail(const char *reason)
{
    if (!egl_library.failure[0])
        snprintf(egl_library.failure, sizeof egl_library.failure, "%s", reason);
}

static void fetch_by_egl(const char *name, void *slot)
{
    any_function found = egl.GetProcAddress(name);
    if (!found) egl_fail("it has no OpenGL 3.3");
    memcpy(slot, &found, sizeof found);
}

static void load_egl(void)
{
    library_open(&egl_library, "libEGL.so.1", "libEGL.so");
    library_need(&egl_library, "eglGetProcAddress", &egl.GetProcAddress);
    library_need(&egl_library, "eglGetPlatformDisplay", &egl.GetPlatformDisplay);
    library_need(&egl_library, "eglInitialize", &egl.Initialize);
    library_need(&egl_library, "eglBindAPI", &egl.BindAPI);
    library_need(&egl_library, "eglChooseConfig", &egl.ChooseConfig);
    library_need(&egl_library, "eglCreateContext", &egl.CreateContext);
    library_need(&egl_library, "eglMakeCurrent", &egl.MakeCurrent);
    library_need(&egl_library, "eglDestroyContext", &egl.DestroyContext);
    if (egl_library.failure[0]) return;
    egl_display = egl.GetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    if (!egl_display || !egl.Initialize(egl_display, NULL, NULL)) {
        egl_fail("it has no display without a screen");
        return;
    }
#define GL_FETCH(name) fetch_by_egl(#name, &gl_table.name##_);
    GL_FUNCTIONS(GL_FETCH)
#undef GL_FETCH
}

static void *egl_create(void)
{
    static const int any[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const int wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 3,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 3,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE};
    void *config = NULL;
    int count = 0;
    if (!egl.BindAPI(EGL_OPENGL_API)) return NULL;
    if (!egl.ChooseConfig(egl_display, any, &config, 1, &count) || count < 1) return NULL;
    return egl.CreateContext(egl_display, config, NULL, wanted);
}

/* ---- either ---- */

static void load_all(void)
{
    const char *choice = getenv("ABUT_GL");
    use_egl = choice && strcmp(choice, "egl") == 0;
    if (!use_egl) load_osmesa();
    if (choice && strcmp(choice, "osmesa") == 0) {
        snprintf(egl_library.failure, sizeof egl_library.failure, "ABUT_GL is osmesa");
        return;
    }
    if (use_egl) snprintf(mesa.failure, sizeof mesa.failure, "ABUT_GL is egl");
    if (!mesa.failure[0]) return;
    use_egl = true;
    load_egl();
}

bool gl_context_use(gl_context *c)
{
    if (use_egl) return egl.MakeCurrent(egl_display, NULL, NULL, c->context);
    return osmesa.MakeCurrent(c->context, c->screen, GL_UNSIGNED_BYTE, 16, 16);
}

abut_status gl_context_open(gl_context **out, abut_error *err)
{
    *out = NULL;
    pthread_once(&once, load_all);
    if (mesa.failure[0] && egl_library.failure[0])
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "render",
                         "pictures need OSMesa (%s) or EGL (%s)", mesa.failure,
                         egl_library.failure);
    gl_context *c = mem_calloc(1, sizeof *c);
    if (!c) return error_memory(err, "starting OpenGL");
    c->context = use_egl ? egl_create() : osmesa_create();
    if (c->context && gl_context_use(c)) {
        *out = c;
        return ABUT_OK;
    }
    gl_context_close(c);
    return error_set(err, ABUT_ERROR_UNSUPPORTED, use_egl ? "EGL" : "OSMesa",
                     "cannot start OpenGL 3.3");
}

void gl_context_close(gl_context *c)
{
    if (!c) return;
    if (c->context && use_egl) {
        egl.MakeCurrent(egl_display, NULL, NULL, NULL);
        egl.DestroyContext(egl_display, c->context);
    } else if (c->context) {
        osmesa.MakeCurrent(NULL, NULL, 0, 0, 0);
        osmesa.DestroyContext(c->context);
    }
    mem_free(c);
}
