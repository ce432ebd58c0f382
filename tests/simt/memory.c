/* The memories: objects of the global space, the shared memory of a group, the local memory of a
 * work-item. See internal.h for addresses. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static const char *space_name(uint32_t space)
{
    return space == SPACE_GLOBAL   ? "global"
           : space == SPACE_SHARED ? "shared"
           : space == SPACE_CONST  ? "constant"
           : space == SPACE_LOCAL  ? "local"
           : space == SPACE_PARAM  ? "parameter"
                                   : "generic";
}

static uint32_t window_of(uint32_t space)
{
    return space == SPACE_SHARED  ? WINDOW_SHARED
           : space == SPACE_LOCAL ? WINDOW_LOCAL
                                  : WINDOW_GLOBAL;
}

uint64_t memory_cast(uint64_t address, uint32_t from, uint32_t to)
{
    return address + ((uint64_t)window_of(from) << SIMT_WINDOW_SHIFT) -
           ((uint64_t)window_of(to) << SIMT_WINDOW_SHIFT);
}

/* Returns the memory of an object of the global space. */
static uint8_t *global_at(struct item *item, uint64_t address, uint32_t space, uint64_t bytes,
                          bool write)
{
    const struct simt *simt = item->group->run->simt;
    uint64_t index = (address >> 32) - 1, offset = address & UINT32_MAX;
    if (address >> 32 == 0 || index >= simt->object_count) {
        run_fail(item, "the address 0x%llx is in no object of the %s space",
                 (unsigned long long)address, space_name(space));
        return NULL;
    }
    const struct object *object = &simt->objects[index];
    if (offset < object->first || bytes > object->bytes ||
        offset - object->first > object->bytes - bytes) {
        run_fail(item, "%llu bytes at offset %lld are outside of an object of %llu bytes",
                 (unsigned long long)bytes, (long long)offset - (long long)object->first,
                 (unsigned long long)object->bytes);
        return NULL;
    }
    if (write && object->constant) {
        run_fail(item, "it writes to a constant");
        return NULL;
    }
    return object->memory + (offset - object->first);
}

static uint8_t *shared_at(struct item *item, uint64_t offset, uint64_t bytes)
{
    uint64_t size = item->group->run->shared_bytes;
    if (offset > size || bytes > size - offset) {
        run_fail(item, "%llu bytes at 0x%llx are outside of the shared memory of %llu bytes",
                 (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)size);
        return NULL;
    }
    return item->group->shared + offset;
}

static uint8_t *local_at(struct item *item, uint64_t offset, uint64_t bytes)
{
    bool good = offset <= item->local_bytes && bytes <= item->local_bytes - offset;
    for (uint64_t i = 0; good && i < bytes; i++) {
        good = item->valid[offset + i];
    }
    if (!good) {
        run_fail(item, "%llu bytes at 0x%llx are outside of the objects of the local memory",
                 (unsigned long long)bytes, (unsigned long long)offset);
        return NULL;
    }
    return item->local + offset;
}

uint8_t *memory_at(struct item *item, uint64_t address, uint32_t space, uint64_t bytes,
                   uint32_t align, bool write)
{
    if (align > 1 && address % align) {
        run_fail(item, "the address 0x%llx is not aligned to %u bytes", (unsigned long long)address,
                 align);
        return NULL;
    }
    if (space != SPACE_GENERIC && space != SPACE_PARAM && address >> SIMT_WINDOW_SHIFT) {
        run_fail(item, "the address 0x%llx is not in the %s space", (unsigned long long)address,
                 space_name(space));
        return NULL;
    }
    uint64_t generic = memory_cast(address, space, SPACE_GENERIC);
    uint64_t offset = generic & ((UINT64_C(1) << SIMT_WINDOW_SHIFT) - 1);
    switch (generic >> SIMT_WINDOW_SHIFT) {
    case WINDOW_GLOBAL:
        return global_at(item, generic, space, bytes, write);
    case WINDOW_SHARED:
        return shared_at(item, offset, bytes);
    case WINDOW_LOCAL:
        return local_at(item, offset, bytes);
    default:
        run_fail(item, "the address 0x%llx is in no space", (unsigned long long)address);
        return NULL;
    }
}

uint64_t memory_local(struct item *item, uint64_t bytes, uint32_t align)
{
    uint64_t gap = 16; /* so that an access beyond an object meets no other object */
    uint64_t start =
        item->local_bytes < SIMT_LOCAL_FIRST ? SIMT_LOCAL_FIRST : item->local_bytes + gap;
    start = (start + align - 1) / align * align;
    uint64_t end = start + bytes;
    if (end > item->local_capacity) {
        size_t capacity = end * 2;
        item->local = realloc(item->local, capacity);
        item->valid = realloc(item->valid, capacity);
        if (!item->local || !item->valid) {
            abort();
        }
        item->local_capacity = capacity;
    }
    memset(item->valid + item->local_bytes, 0, end - item->local_bytes);
    memset(item->valid + start, 1, bytes);
    memset(item->local + start, 0x5a, bytes);
    item->local_bytes = end;
    return start;
}

uint64_t simt_buffer_add(struct simt *simt, void *memory, size_t bytes, size_t align)
{
    if (simt->object_count == simt->object_capacity) {
        simt->object_capacity = simt->object_capacity * 2 + 16;
        simt->objects = realloc(simt->objects, simt->object_capacity * sizeof(*simt->objects));
        if (!simt->objects) {
            abort();
        }
    }
    simt->objects[simt->object_count++] =
        (struct object){.memory = memory, .first = align, .bytes = bytes};
    return ((uint64_t)simt->object_count << 32) + align;
}

void simt_buffers_clear(struct simt *simt)
{
    simt->object_count = simt->variable_count;
}
