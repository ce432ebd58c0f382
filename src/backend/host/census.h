/* Records which processes use this machine's devices, how much device memory they use, and what
 * their threads are busy with.
 *
 * A process that allocates device memory or creates a stream joins the census. The census is a file
 * of each user, /dev/shm/geoid-3-UID with mode 0600, with a place for each process
 * (census_table.h). A process owns its place while it holds a lock on the place's first byte. The
 * system releases the lock when the process ends or executes another program, so no cleanup is
 * needed, and a place without a lock is ignored. A child has no place until it uses a device
 * itself.
 *
 * Counts of CPUs belong to no process, so they remain when processes end. Counting
 * starts with the first query and stops ten minutes after the last one (exec/thread/busy.h).
 *
 * If the file cannot be used (no /dev/shm, no space, a file of another user), the process is not in
 * the census. Everything else works as usual. */
#ifndef GEO_BACKEND_HOST_CENSUS_H
#define GEO_BACKEND_HOST_CENSUS_H

#include "backend/host/device.h"
#include "exec/thread/busy.h"

#define GEO_CENSUS_PLACES 256u
/* Counting continues this long after a query. */
#define GEO_CENSUS_WATCH_NS (UINT64_C(600) * GEO_NS_PER_SEC)

/* A process's use of one root device. */
struct geo_census_user {
    uint32_t pid;
    uint32_t engines;      /* kinds of queue groups of its streams: COMPUTE, or COPY only */
    uint64_t memory_bytes; /* device memory allocated by the process */
    uint64_t shared_bytes; /* device memory of other processes that it maps */
};

/* Returns the root device of a device that executes work, or NULL. */
static inline struct geo_backend_device *geo_census_root(struct geo_backend_device *device)
{
    struct geo_backend_device *root = device && device->info.parent ? device->info.parent : device;
    return root && root->info.executes ? root : NULL;
}

/* (any thread) Updates the process's memory use of a root device. */
void geo_census_memory(struct geo_backend_device *root);

/* (any thread) Records that the process has a stream of a queue group with these flags. A group
 * that computes counts as a compute engine only. */
void geo_census_engines(struct geo_backend_device *root, uint32_t flags);

/* Lists the processes that use a device, from the censuses that this process may read below a
 * folder ("": the real machine). Each process appears once. Fills at most `room` entries and
 * returns the total number. The files' contents are untrusted. */
uint32_t geo_census_read_list(const char *folder, const uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE],
                              struct geo_census_user *users, uint32_t room);

/* Returns whether there can be censuses below a folder. */
bool geo_census_read_possible(const char *folder);

/* Sums the busy times of all processes, up to `now_ns` (CLOCK_MONOTONIC): ns[i] becomes the time in
 * nanoseconds for which CPU cpus[i] ran kernels, or copies. The numbers in `cpus` must ascend. The
 * sums are untrusted, and decrease when a process ends in the middle of work, so only increases
 * between two queries have a meaning. Returns false when memory or descriptors ran out; the sums
 * are invalid then. */
bool geo_census_read_busy(const char *folder, enum geo_busy_kind kind, uint64_t now_ns,
                          const uint16_t *cpus, uint64_t *ns, uint32_t count);

#endif
