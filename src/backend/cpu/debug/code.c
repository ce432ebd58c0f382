/* Modules of the debugged process. See code.h. */
#include "backend/cpu/debug/code.h"

#include "backend/cpu/debug/memory.h"
#include "base/assert.h"
#include "exec/thread/sync.h"
#include "machine/registers.h"

#include <stdlib.h>
#include <string.h>

static _Atomic(struct geo_cpu_debug_code *) first;

struct geo_cpu_debug_code *geo_cpu_debug_code_first(void)
{
    return atomic_load(&first);
}

/* Returns a module that is not used, or makes one. */
static struct geo_cpu_debug_code *code_take(void)
{
    struct geo_cpu_debug_code *code = atomic_load(&first);
    while (code && code->device) {
        code = code->next;
    }
    if (!code && (code = calloc(1, sizeof(*code))) != NULL) {
        code->next = atomic_load(&first);
        atomic_store(&first, code);
    }
    return code;
}

struct geo_cpu_debug_code *geo_cpu_debug_code_add_locked(const struct geo_backend_device *device,
                                                         uintptr_t begin, uintptr_t end,
                                                         const void *binary, size_t bytes)
{
    GEO_ASSERT(geo_cpu_debug_state_locked() && begin < end);
    struct geo_cpu_debug_code *code = code_take();
    if (code) {
        code->device = device;
        code->binary = (uint64_t)(uintptr_t)binary;
        code->binary_bytes = bytes;
        atomic_store(&code->begin, begin);
        atomic_store(&code->end, end);
    }
    return code;
}

void geo_cpu_debug_code_remove_locked(struct geo_cpu_debug_code *code)
{
    GEO_ASSERT(geo_cpu_debug_state_locked() && code->device);
    atomic_store(&code->end, 0);
    atomic_store(&code->begin, 0);
    free(code->original);
    code->original = NULL;
    code->device = NULL;
}

bool geo_cpu_debug_code_has(uintptr_t address)
{
    const struct geo_cpu_debug_code *code = atomic_load(&first);
    while (code && !(address >= atomic_load(&code->begin) && address < atomic_load(&code->end))) {
        code = code->next;
    }
    return code != NULL;
}

static bool range_has(uint64_t begin, uint64_t end, uint64_t address, uint64_t bytes)
{
    return address >= begin && address <= end && bytes <= end - address;
}

struct geo_cpu_debug_code *geo_cpu_debug_code_find_locked(uint64_t address, uint64_t bytes)
{
    GEO_ASSERT(geo_cpu_debug_state_locked());
    struct geo_cpu_debug_code *code = atomic_load(&first);
    while (code && !(code->device && range_has(atomic_load(&code->begin), atomic_load(&code->end),
                                               address, bytes))) {
        code = code->next;
    }
    return code;
}

struct geo_cpu_debug_code *geo_cpu_debug_code_binary_locked(uint64_t address, uint64_t bytes)
{
    GEO_ASSERT(geo_cpu_debug_state_locked());
    struct geo_cpu_debug_code *code = atomic_load(&first);
    while (code && !(code->device &&
                     range_has(code->binary, code->binary + code->binary_bytes, address, bytes))) {
        code = code->next;
    }
    return code;
}

/* ---- writes ---- */

bool geo_cpu_debug_code_write_locked(struct geo_cpu_debug_code *code, uint64_t address,
                                     const void *bytes, size_t count)
{
    const uintptr_t begin = atomic_load(&code->begin), end = atomic_load(&code->end);
    GEO_ASSERT(geo_cpu_debug_state_locked() && range_has(begin, end, address, count));
    if (!code->original) {
        code->original = malloc(end - begin);
        if (!code->original) {
            return false;
        }
        memcpy(code->original, (const void *)begin, end - begin);
    }
    return count == 0 || geo_cpu_debug_memory_write_code(address, bytes, count);
}

/* The debugger may have removed the breakpoint meanwhile. */
bool geo_cpu_debug_code_is_written_locked(uintptr_t address)
{
    const struct geo_cpu_debug_code *code = geo_cpu_debug_code_find_locked(address, 1);
    return code && code->original &&
           !geo_machine_registers_is_breakpoint(code->original +
                                                (address - atomic_load(&code->begin)));
}

void geo_cpu_debug_code_restore_locked(struct geo_cpu_debug_code *code)
{
    GEO_ASSERT(geo_cpu_debug_state_locked());
    const uintptr_t begin = atomic_load(&code->begin), end = atomic_load(&code->end);
    const uint8_t *now = (const uint8_t *)begin;
    for (size_t i = 0; code->original && i < end - begin;) {
        size_t count = 0;
        while (i + count < end - begin && now[i + count] != code->original[i + count]) {
            count++;
        }
        if (count != 0) {
            (void)geo_cpu_debug_memory_write_code(begin + i, code->original + i, count);
        }
        i += count ? count : 1;
    }
}

/* ---- events ---- */

void geo_cpu_debug_code_event(const struct geo_cpu_debug_code *code, zet_debug_event_t *event)
{
    event->info.module = (zet_debug_event_info_module_t){
        .format = ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF,
        .moduleBegin = code->binary,
        .moduleEnd = code->binary + code->binary_bytes,
        .load = atomic_load(&code->begin),
    };
}

void geo_cpu_debug_code_await(struct geo_cpu_debug_code *code)
{
    while (atomic_load(&code->awaited)) {
        (void)geo_futex_wait(&code->awaited, 1, GEO_WAIT_FOREVER, false);
    }
}

void geo_cpu_debug_code_acknowledge(struct geo_cpu_debug_code *code)
{
    if (atomic_exchange(&code->awaited, 0)) {
        geo_futex_wake(&code->awaited, UINT32_MAX, false);
    }
}

void geo_cpu_debug_code_after_fork(void)
{
    for (struct geo_cpu_debug_code *code = atomic_load(&first); code; code = code->next) {
        atomic_store(&code->awaited, 0);
    }
}
