/* How long a work-group may run on a device, as somebody has set it for all processes of a user: a
 * word of the census' file for each root device, which whoever launches reads (exec/limit.h). */
#ifndef GEO_BACKEND_HOST_WATCHDOG_H
#define GEO_BACKEND_HOST_WATCHDOG_H

#include "backend/host/roster.h"
#include "exec/limit.h"

/* The same in all processes that have the device, however many they make of the machine. */
static inline uint32_t geo_watchdog_place(const struct geo_backend_device *root)
{
    return root->info.uuid[GEO_ROSTER_UUID_ROOT] % GEO_LIMITS;
}
_Static_assert(GEO_ROSTER_DEVICES <= GEO_LIMITS, "every root device has a word");

/* Without anybody's setting: that of this process, GEO_LIMIT_NONE. */
static inline uint64_t geo_watchdog_default_us(void)
{
    return geo_limit_option_us();
}

/* Below a folder ("": the real machine), in the file of this process's user. */
uint64_t geo_watchdog_read_us(const char *folder, const struct geo_backend_device *root);

/* The same, and in those of others that may be written. us: not 0. False: not even the first can be
 * written. */
bool geo_watchdog_set_us(const char *folder, const struct geo_backend_device *root, uint64_t us);

/* Whether there is a place for it. */
bool geo_watchdog_settable(const char *folder);

#endif
