/* Limits what a child process may do: memory and system calls. */
#ifndef GEO_COMPILER_FACADE_SANDBOX_H
#define GEO_COMPILER_FACADE_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/* Limits the process to `memory_bytes` more than it uses now (0: no limit), and disables core
 * dumps. Returns whether memory is limited. */
bool geo_sandbox_limit(uint64_t memory_bytes);

/* Restricts all threads of this process to computing, messages over open descriptors, and memory.
 * Every other system call fails with EPERM from now on. */
void geo_sandbox_close(void);

#endif
