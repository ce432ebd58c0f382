/* Modules: the loaded native binaries of the debugged process, what a debugger wrote into their
 * code, and threads that wait until a debugger has seen a new one. */
#ifndef GEO_BACKEND_CPU_DEBUG_CODE_H
#define GEO_BACKEND_CPU_DEBUG_CODE_H

#include "backend/cpu/debug/state.h"

#include <level_zero/zet_api.h>

/* A module. Its memory is never freed, because signal handlers may read it: a new module reuses
 * one that is not used. The lock protects it. */
struct geo_cpu_debug_code {
    struct geo_cpu_debug_code *next;         /* of all; never changes */
    const struct geo_backend_device *device; /* NULL: not used */
    _Atomic uintptr_t begin, end;            /* its code; both 0: not used */
    uint64_t binary, binary_bytes;           /* the native binary */
    uint8_t *original;        /* its code before a debugger wrote to it; NULL: nobody has */
    _Atomic uint32_t awaited; /* futex: 1 while the loading thread awaits a debugger */
};

/* Adds and removes a module. `end - begin` is not 0. Returns NULL if memory is short. */
struct geo_cpu_debug_code *geo_cpu_debug_code_add_locked(const struct geo_backend_device *device,
                                                         uintptr_t begin, uintptr_t end,
                                                         const void *binary, size_t bytes);
void geo_cpu_debug_code_remove_locked(struct geo_cpu_debug_code *code);

/* Returns the first module; `next` leads to the others, which may be unused. */
struct geo_cpu_debug_code *geo_cpu_debug_code_first(void);

/* (signal handlers) Returns whether an address is in the code of a module. */
bool geo_cpu_debug_code_has(uintptr_t address);

/* Returns the module whose code contains a range, or the one whose binary contains it. NULL: none. */
struct geo_cpu_debug_code *geo_cpu_debug_code_find_locked(uint64_t address, uint64_t bytes);
struct geo_cpu_debug_code *geo_cpu_debug_code_binary_locked(uint64_t address, uint64_t bytes);

/* Writes to a module's code, and keeps what was there. Returns false if the system or memory does
 * not allow it. */
bool geo_cpu_debug_code_write_locked(struct geo_cpu_debug_code *code, uint64_t address,
                                     const void *bytes, size_t count);
/* Returns whether a debugger wrote the breakpoint instruction at an address. */
bool geo_cpu_debug_code_is_written_locked(uintptr_t address);
/* Undoes what debuggers wrote into a module. */
void geo_cpu_debug_code_restore_locked(struct geo_cpu_debug_code *code);

/* Fills in an event about a module. */
void geo_cpu_debug_code_event(const struct geo_cpu_debug_code *code, zet_debug_event_t *event);

/* Waits until the agent calls the other function. The lock is not held. */
void geo_cpu_debug_code_await(struct geo_cpu_debug_code *code);
void geo_cpu_debug_code_acknowledge(struct geo_cpu_debug_code *code);

/* Forgets waiting threads in the child after fork. */
void geo_cpu_debug_code_after_fork(void);

#endif
