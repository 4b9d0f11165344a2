/* zlib's own memory comes from the library's allocator, too: members of a z_stream. */
#ifndef MESH_ZLIB_MEMORY_H
#define MESH_ZLIB_MEMORY_H

#include "base/memory.h"

#include <zlib.h>

static inline voidpf zlib_alloc(voidpf opaque, uInt items, uInt size)
{
    (void)opaque;
    return mem_alloc(items, size);
}

static inline void zlib_free(voidpf opaque, voidpf address)
{
    (void)opaque;
    mem_free(address);
}

#endif
