/* What a child process that builds may still do. */
#ifndef GEO_COMPILER_FACADE_SANDBOX_H
#define GEO_COMPILER_FACADE_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/* From now on memory ends after so many bytes more (0: no limit), and a crash leaves no file.
 * True: memory is bounded. */
bool geo_sandbox_limit(uint64_t memory_bytes);

/* From now on all threads of this process compute, talk over what is open, and take memory; every
 * other system call fails with EPERM. */
void geo_sandbox_close(void);

#endif
