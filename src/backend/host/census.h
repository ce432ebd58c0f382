/* Which processes use the devices of this machine, how much of their memory, and what their
 * threads are busy with.
 *
 * A process that takes device memory or makes a stream is in the census from then on. The census is
 * a file of its user, /dev/shm/geoid-3-UID, mode 0600, with a place for each process
 * (census_table.h). A process has a place while it holds the lock of its first byte, and the system
 * takes that away when the process ends, however it does, or becomes another program. So nobody
 * cleans up, and a place without a lock says nothing. A child has none of its own until it uses a
 * device itself.
 *
 * What was counted of CPUs belongs to no process: it stays when those that did it end. It is
 * counted from the first look on, until nobody has looked for ten minutes (exec/busy.h).
 *
 * Where the file cannot be had (no /dev/shm, no room, somebody else's file) the process is in no
 * census, and all else goes on as ever. */
#ifndef GEO_BACKEND_HOST_CENSUS_H
#define GEO_BACKEND_HOST_CENSUS_H

#include "backend/host/device.h"
#include "exec/busy.h"

#define GEO_CENSUS_PLACES   256u
#define GEO_CENSUS_WATCH_NS (UINT64_C(600) * GEO_NS_PER_SEC) /* after a look */

/* What a process uses of one root device. */
struct geo_census_user {
    uint32_t pid;
    uint32_t engines;      /* kinds of queue groups it has streams of: COMPUTE, or COPY alone */
    uint64_t memory_bytes; /* of the device's memory, allocated by it */
    uint64_t shared_bytes; /* of the device's memory, allocated by others and mapped by it */
};

/* The root device of a device that counts: one that executes. NULL: none. */
static inline struct geo_backend_device *geo_census_root(struct geo_backend_device *device)
{
    struct geo_backend_device *root = device && device->info.parent ? device->info.parent : device;
    return root && root->info.executes ? root : NULL;
}

/* (any thread) What the process uses of a root device's memory has changed. */
void geo_census_memory(struct geo_backend_device *root);

/* (any thread) The process has a stream of a root device, of a group with these flags: of engines
 * that compute where it can, else of those for what it can. */
void geo_census_engines(struct geo_backend_device *root, uint32_t flags);

/* Users of the device with this identifier, in the censuses that this process may read below a
 * folder ("": the real machine). Fills `room` and returns how many there are, each process
 * once. What the files say is untrusted. */
uint32_t geo_census_list(const char *folder, const uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE],
                         struct geo_census_user *users, uint32_t room);

/* Whether there can be censuses below a folder at all. */
bool geo_census_possible(const char *folder);

/* Looks at what was counted in the same censuses, up to `now_ns` (CLOCK_MONOTONIC), of kernels or
 * of copies, of the CPUs with these numbers, which rise. The sums are untrusted, and fall where a
 * process ended in the middle of something: only how they grow from one look to the next means
 * anything. False: memory or descriptors ran out, and the sums say nothing. */
bool geo_census_busy(const char *folder, enum geo_busy_kind kind, uint64_t now_ns,
                     const uint16_t *cpus, uint64_t *ns, uint32_t count);

#endif
