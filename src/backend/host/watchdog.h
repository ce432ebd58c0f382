/* The time that a work-group may run on a device, set for all processes of a user. It is a word in
 * the census file for each root device. Each process that launches kernels reads it
 * (exec/job/limit.h). */
#ifndef GEO_BACKEND_HOST_WATCHDOG_H
#define GEO_BACKEND_HOST_WATCHDOG_H

#include "backend/host/roster.h"
#include "exec/job/limit.h"

/* Returns the index of a device's word, which is the same in all processes, independent of how they
 * divide the machine. */
static inline uint32_t geo_watchdog_place(const struct geo_backend_device *root)
{
    return root->info.uuid[GEO_ROSTER_UUID_ROOT] % GEO_LIMITS;
}
_Static_assert(GEO_ROSTER_DEVICES <= GEO_LIMITS, "every root device has a word");

/* Returns the limit without a setting: this process's option, or GEO_LIMIT_NONE. */
static inline uint64_t geo_watchdog_default_us(void)
{
    return geo_limit_option_us();
}

/* Reads the limit from the file of this process's user below a folder ("": the real machine). */
uint64_t geo_watchdog_read_us(const char *folder, const struct geo_backend_device *root);

/* Writes the limit to this user's file, and to those of other users that may be written. us: not 0.
 * Returns false when this user's file cannot be written. */
bool geo_watchdog_set_us(const char *folder, const struct geo_backend_device *root, uint64_t us);

/* Returns whether the limit can be stored. */
bool geo_watchdog_settable(const char *folder);

#endif
