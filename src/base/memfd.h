/* Memory files: files without a name that back memory which other processes may map.
 *
 * A process that maps a file dies from SIGBUS when someone else truncates it. A descriptor number
 * in another process's message may refer to any file of this process. Therefore:
 *
 *   - A file is mapped only when its seals forbid shrinking it (geo_memfd_holds). Files that
 *     the application passes in are sealed on that occasion if possible.
 *   - A file that another process's handle names must also be shared memory of this driver
 *     (geo_memfd_shared): sealed to a fixed size, and marked by its mode at its first export.
 *
 * The mark excludes sealed files of other programs, and memory of ours that was never exported,
 * such as slabs. The seals are read first, because that call never blocks. A malicious file server
 * can delay the answer to any other call. */
#ifndef GEO_BASE_MEMFD_H
#define GEO_BASE_MEMFD_H

#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define GEO_PAGE_BYTES 4096u

/* Creates a memory file with the fixed size `bytes`, which nobody can shrink or grow. Returns its
 * descriptor, or -1 with errno. Fails with EFBIG beyond RLIMIT_FSIZE, where the system would raise
 * a signal. */
int geo_memfd_create(const char *name, uint64_t bytes);

/* Returns the result code for a failed creation of a descriptor, by errno. OUT_OF_HOST_MEMORY means
 * that memory or descriptors ran out. UNSUPPORTED_FEATURE means that limits or filters forbid such
 * descriptors in this process. */
ze_result_t geo_memfd_result(void);

/* Marks a memory file as shared, so that other processes may map it through a handle. Seals a file
 * of the application. Returns false when the file cannot be sealed or marked. */
bool geo_memfd_share(int fd);

/* Returns whether an untrusted descriptor is a memory file that geo_memfd_share marked, and stores
 * the result of fstat in `status`. */
bool geo_memfd_shared(int fd, struct stat *status);

/* Returns whether an untrusted descriptor is a memory file that contains the range and can never
 * shrink below it. Seals the file if needed. */
bool geo_memfd_holds(int fd, uint64_t offset, uint64_t bytes);

/* Returns the device number of all memory files of this machine, or 0 when none can be created. */
uint64_t geo_memfd_device(void);

#endif
