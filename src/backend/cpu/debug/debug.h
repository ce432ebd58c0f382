/* Debugging of CPU devices: both sides. A debugger's process uses the operations (debug.c). The
 * debugged process tells what it loads and creates; without ZET_ENABLE_PROGRAM_DEBUGGING=1 these
 * functions do nothing. state.h has the files of the debugged process. */
#ifndef GEO_BACKEND_CPU_DEBUG_DEBUG_H
#define GEO_BACKEND_CPU_DEBUG_DEBUG_H

#include "backend/cpu/debug/cell.h"
#include "backend/debug.h"

struct geo_cpu_debug_code;

extern const struct geo_debug_ops geo_cpu_debug_ops;

/* Streams that debuggers learn of; otherwise those of the host. */
extern const struct geo_stream_ops geo_cpu_debug_stream_ops;

/* Switches debugging on if the environment says so. */
void geo_cpu_debug_open(const struct geo_cpu_debug_desc *desc);

/* Returns whether it is on. */
bool geo_cpu_debug_is_on(void);

/* Tells of a loaded module: its code, and the native binary, which stays in memory. Waits until an
 * attached debugger has acknowledged it. Returns its record, or NULL if debugging is off. */
struct geo_cpu_debug_code *geo_cpu_debug_load(const struct geo_backend_device *device,
                                              const void *code, size_t code_bytes,
                                              const void *binary, size_t bytes);
/* Tells that a module is about to be unloaded. Accepts NULL. */
void geo_cpu_debug_unload(struct geo_cpu_debug_code *code);

#endif
