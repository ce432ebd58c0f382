/* What a memory file holds that Geoid imports as an external semaphore with a value (a timeline):
 * zeDeviceImportExternalSemaphoreExt with the flag VK_TIMELINE_SEMAPHORE_FD or OPAQUE_FD and the
 * file's descriptor. Any process that maps the file may signal and wait.
 *
 *     int fd = memfd_create("semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
 *     ftruncate(fd, sizeof(geoid_semaphore_t));
 *     fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
 *     geoid_semaphore_t *semaphore = mmap(NULL, sizeof(*semaphore), PROT_READ | PROT_WRITE,
 *                                         MAP_SHARED, fd, 0);
 *
 * All zeros is a semaphore at 0. Accesses are atomic and sequentially consistent:
 *
 *   signal to N   value becomes the larger of value and N; then, when sleepers is not 0,
 *                 FUTEX_WAKE of everybody at &value (its low half), not private
 *   wait for N    until value >= N: add 1 to sleepers, look again, FUTEX_WAIT at &value with the
 *                 low half that was seen, not private; at the end take 1 from sleepers
 *
 * Who signals may wake always and leave sleepers alone. */
#ifndef GEOID_SEMAPHORE_H
#define GEOID_SEMAPHORE_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct geoid_semaphore {
    uint64_t value; /* never becomes smaller; below 2^62. Aligned to 64 bytes, as the file is */
    uint32_t sleepers;
    uint32_t shared; /* not for peers: drivers write it when they import */
    uint64_t reserved[6];
} geoid_semaphore_t;

#if defined(__cplusplus)
}
#endif

#endif
