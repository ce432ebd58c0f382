/* Which processes use the devices of this machine, and how much of their memory.
 *
 * A process that takes device memory or makes a stream is in the census from then on. The census is
 * a file of its user, /dev/shm/geoid-UID, mode 0600: places of a page each,
 *
 *     [ place 0 ][ place 1 ] ... [ place 255 ]
 *
 * A process has a place while it holds the lock of its first byte, and the system takes that away
 * when the process ends, however it does, or becomes another program. So nobody cleans up, and a
 * place without a lock says nothing. A child has none of its own until it uses a device itself.
 *
 * Where the file cannot be had (no /dev/shm, no room, somebody else's file) the process is in no
 * census, and all else goes on as ever. */
#ifndef GEO_BACKEND_HOST_CENSUS_H
#define GEO_BACKEND_HOST_CENSUS_H

#include "backend/host/device.h"

#define GEO_CENSUS_PLACES 256u

/* What a process uses of one root device. */
struct geo_census_user {
    uint32_t pid;
    uint32_t engines;      /* kinds of queue groups it has streams of: COMPUTE, or COPY alone */
    uint64_t memory_bytes; /* of the device's memory */
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

#endif
