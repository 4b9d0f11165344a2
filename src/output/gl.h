/* OpenGL without a display, by OSMesa or, where that is not installed, by EGL. It is loaded when
 * the first picture is drawn: it brings a compiler of some 50 MB along, which a simulation does not
 * need in memory. Functions keep their own names through the macros. */
#ifndef OUTPUT_GL_H
#define OUTPUT_GL_H

#include "base/status.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define GL_FUNCTIONS(X)                                                                            \
    X(glActiveTexture)                                                                             \
    X(glAttachShader)                                                                              \
    X(glBindBuffer)                                                                                \
    X(glBindFramebuffer)                                                                           \
    X(glBindTexture)                                                                               \
    X(glBindVertexArray)                                                                           \
    X(glBlendFunc)                                                                                 \
    X(glBufferData)                                                                                \
    X(glClear)                                                                                     \
    X(glClearColor)                                                                                \
    X(glCompileShader)                                                                             \
    X(glCreateProgram)                                                                             \
    X(glCreateShader)                                                                              \
    X(glDeleteShader)                                                                              \
    X(glDisable)                                                                                   \
    X(glDrawArrays)                                                                                \
    X(glDrawBuffer)                                                                                \
    X(glEnable)                                                                                    \
    X(glEnableVertexAttribArray)                                                                   \
    X(glFramebufferTexture2D)                                                                      \
    X(glGenBuffers)                                                                                \
    X(glGenFramebuffers)                                                                           \
    X(glGenTextures)                                                                               \
    X(glGenVertexArrays)                                                                           \
    X(glGetError)                                                                                  \
    X(glGetProgramiv)                                                                              \
    X(glGetShaderInfoLog)                                                                          \
    X(glGetShaderiv)                                                                               \
    X(glGetUniformLocation)                                                                        \
    X(glLinkProgram)                                                                               \
    X(glPolygonOffset)                                                                             \
    X(glReadBuffer)                                                                                \
    X(glReadPixels)                                                                                \
    X(glShaderSource)                                                                              \
    X(glTexImage2D)                                                                                \
    X(glTexParameteri)                                                                             \
    X(glUniform1f)                                                                                 \
    X(glUniform1i)                                                                                 \
    X(glUniform3f)                                                                                 \
    X(glUniformMatrix4fv)                                                                          \
    X(glUseProgram)                                                                                \
    X(glVertexAttribPointer)                                                                       \
    X(glViewport)

typedef struct gl_functions {
#define GL_MEMBER(name) __typeof__(name) *name##_;
    GL_FUNCTIONS(GL_MEMBER)
#undef GL_MEMBER
} gl_functions;

extern gl_functions gl_table;

/* OpenGL 3.3, core profile. */
typedef struct gl_context gl_context;

/* Makes a context and makes it the present one; the table is filled on first use. The environment
 * variable ABUT_GL ("osmesa" or "egl") chooses one; else OSMesa is tried first.
 * ABUT_ERROR_UNSUPPORTED when neither works, with the reasons. */
abut_status gl_context_open(gl_context **out, abut_error *err);
bool gl_context_use(gl_context *c);
void gl_context_close(gl_context *c);

#define glActiveTexture (gl_table.glActiveTexture_)
#define glAttachShader (gl_table.glAttachShader_)
#define glBindBuffer (gl_table.glBindBuffer_)
#define glBindFramebuffer (gl_table.glBindFramebuffer_)
#define glBindTexture (gl_table.glBindTexture_)
#define glBindVertexArray (gl_table.glBindVertexArray_)
#define glBlendFunc (gl_table.glBlendFunc_)
#define glBufferData (gl_table.glBufferData_)
#define glClear (gl_table.glClear_)
#define glClearColor (gl_table.glClearColor_)
#define glCompileShader (gl_table.glCompileShader_)
#define glCreateProgram (gl_table.glCreateProgram_)
#define glCreateShader (gl_table.glCreateShader_)
#define glDeleteShader (gl_table.glDeleteShader_)
#define glDisable (gl_table.glDisable_)
#define glDrawArrays (gl_table.glDrawArrays_)
#define glDrawBuffer (gl_table.glDrawBuffer_)
#define glEnable (gl_table.glEnable_)
#define glEnableVertexAttribArray (gl_table.glEnableVertexAttribArray_)
#define glFramebufferTexture2D (gl_table.glFramebufferTexture2D_)
#define glGenBuffers (gl_table.glGenBuffers_)
#define glGenFramebuffers (gl_table.glGenFramebuffers_)
#define glGenTextures (gl_table.glGenTextures_)
#define glGenVertexArrays (gl_table.glGenVertexArrays_)
#define glGetError (gl_table.glGetError_)
#define glGetProgramiv (gl_table.glGetProgramiv_)
#define glGetShaderInfoLog (gl_table.glGetShaderInfoLog_)
#define glGetShaderiv (gl_table.glGetShaderiv_)
#define glGetUniformLocation (gl_table.glGetUniformLocation_)
#define glLinkProgram (gl_table.glLinkProgram_)
#define glPolygonOffset (gl_table.glPolygonOffset_)
#define glReadBuffer (gl_table.glReadBuffer_)
#define glReadPixels (gl_table.glReadPixels_)
#define glShaderSource (gl_table.glShaderSource_)
#define glTexImage2D (gl_table.glTexImage2D_)
#define glTexParameteri (gl_table.glTexParameteri_)
#define glUniform1f (gl_table.glUniform1f_)
#define glUniform1i (gl_table.glUniform1i_)
#define glUniform3f (gl_table.glUniform3f_)
#define glUniformMatrix4fv (gl_table.glUniformMatrix4fv_)
#define glUseProgram (gl_table.glUseProgram_)
#define glVertexAttribPointer (gl_table.glVertexAttribPointer_)
#define glViewport (gl_table.glViewport_)

#endif
