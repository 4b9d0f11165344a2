#include "remesh/memory.h"

#include "base/memory.h"

#include <string.h>

void remesh_memory_free(remesh_memory *m)
{
    array_free(&m->slots);
    m->count = 0;
}

static remembered *slot_of(const remesh_memory *m, uint64_t key)
{
    size_t mask = m->slots.count - 1, at = (size_t)(key ^ key >> 32) & mask;
    while (m->slots.data[at].key != 0 && m->slots.data[at].key != key) at = (at + 1) & mask;
    return &m->slots.data[at];
}

const double *remesh_memory_find(remesh_memory *m, uint64_t key)
{
    if (m->count == 0) return NULL;
    remembered *found = slot_of(m, key);
    if (found->key == 0) return NULL;
    found->seen = true;
    return &found->strength;
}

/* Makes the table anew with room for `count`, only what was seen if asked for. */
static abut_status remake(remesh_memory *m, size_t count, bool seen_only, abut_error *err)
{
    remesh_memory next = {0};
    size_t slots = 64;
    while (slots < 2 * count) slots *= 2;
    if (!array_resize(&next.slots, slots)) return error_memory(err, "remeshing");
    memset(next.slots.data, 0, slots * sizeof *next.slots.data);
    for (size_t i = 0; i < m->slots.count; i++) {
        const remembered *old = &m->slots.data[i];
        if (old->key == 0 || (seen_only && !old->seen)) continue;
        *slot_of(&next, old->key) = *old;
        next.count++;
    }
    array_free(&m->slots);
    *m = next;
    return ABUT_OK;
}

abut_status remesh_memory_put(remesh_memory *m, uint64_t key, double strength, abut_error *err)
{
    if (2 * (m->count + 1) > m->slots.count) TRY(remake(m, 2 * (m->count + 1), false, err));
    remembered *to = slot_of(m, key);
    m->count += to->key == 0;
    *to = (remembered){key, strength, true};
    return ABUT_OK;
}

void remesh_memory_begin(remesh_memory *m)
{
    for (size_t i = 0; i < m->slots.count; i++) m->slots.data[i].seen = false;
}

abut_status remesh_memory_end(remesh_memory *m, abut_error *err)
{
    return m->count > 0 ? remake(m, m->count, true, err) : ABUT_OK;
}

abut_status remesh_memory_write(const remesh_memory *m, remesh_memory_list *out, abut_error *err)
{
    array_clear(&out->keys);
    array_clear(&out->strengths);
    for (size_t i = 0; i < m->slots.count; i++) {
        const remembered *e = &m->slots.data[i];
        if (e->key != 0 &&
            (!array_push(&out->keys, (int64_t)e->key) || !array_push(&out->strengths, e->strength)))
            return error_memory(err, "writing a checkpoint");
    }
    return ABUT_OK;
}
