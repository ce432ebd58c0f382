/* The content of a memory file that Geoid imports as an external timeline semaphore, a semaphore
 * with a value. Pass the file's descriptor to zeDeviceImportExternalSemaphoreExt, with the flag
 * VK_TIMELINE_SEMAPHORE_FD or OPAQUE_FD. Any process that maps the file may signal and wait.
 *
 *     int fd = memfd_create("semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
 *     ftruncate(fd, sizeof(geoid_semaphore_t));
 *     fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
 *     geoid_semaphore_t *semaphore = mmap(NULL, sizeof(*semaphore), PROT_READ | PROT_WRITE,
 *                                         MAP_SHARED, fd, 0);
 *
 * A file of zeros is a semaphore with the value 0. Accesses are atomic and sequentially consistent.
 * The futexes are shared ones, without FUTEX_PRIVATE_FLAG, on the low half of `value`:
 *
 *   signal to N   set value to the larger of value and N; then, if sleepers is not 0, wake all
 *                 waiters with FUTEX_WAKE
 *   wait for N    until value >= N: add 1 to sleepers, read value again, FUTEX_WAIT with the low
 *                 half that was read; at the end subtract 1 from sleepers
 *
 * A signaller may also call FUTEX_WAKE every time, without reading `sleepers`. */
#ifndef GEOID_SEMAPHORE_H
#define GEOID_SEMAPHORE_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct geoid_semaphore {
    uint64_t value;    /* never decreases; below 2^62; aligned to 64 bytes, as the mapping is */
    uint32_t sleepers; /* the number of waiters that may sleep */
    uint32_t shared;   /* drivers write it when they import the file; peers leave it alone */
    uint64_t reserved[6];
} geoid_semaphore_t;

#if defined(__cplusplus)
}
#endif

#endif
