/* Handles fork for sysman: the lock is taken, and a child begins without thresholds, registrations
 * and listeners. Its handles are those of the parent. */
#include "base/fork.h"
#include "driver/core/inventory.h"
#include "driver/sysman/event.h"
#include "driver/sysman/threshold.h"

static void fork_child(void)
{
    for (uint32_t i = 0; i < geo_inventory_count(); i++) {
        const struct geo_driver *driver = geo_inventory_driver(i);
        for (uint32_t k = 0; k < driver->device_count; k++) {
            struct geo_sysman_root *root = atomic_load(&driver->devices[k].sysman);
            if (root) {
                geo_thresholds_forget(root);
                geo_events_forget(root);
            }
        }
    }
    geo_sysman_unlock();
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_SYSMAN,
    .prepare = geo_sysman_lock,
    .parent = geo_sysman_unlock,
    .child = fork_child,
};
GEO_FORK_AT_LOAD(fork_handler)
