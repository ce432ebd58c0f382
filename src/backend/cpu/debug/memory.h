/* Reads and writes memory of this process at addresses that a debugger gives. A bad address is an
 * error and never a fault: the system copies through a pipe, which works wherever the process
 * itself can read and write, with any sandbox. */
#ifndef GEO_BACKEND_CPU_DEBUG_MEMORY_H
#define GEO_BACKEND_CPU_DEBUG_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* (the agent's thread) Copies all bytes and returns true, or returns false. After a failed read the
 * buffer has unspecified contents; a failed write has changed nothing. */
bool geo_cpu_debug_memory_read(uint64_t address, void *buffer, size_t bytes);
bool geo_cpu_debug_memory_write(uint64_t address, const void *buffer, size_t bytes);

/* Writes to code, which is executable and cannot be written by the process itself. */
bool geo_cpu_debug_memory_write_code(uint64_t address, const void *buffer, size_t bytes);

#endif
