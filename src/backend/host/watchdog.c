/* Time limits of work-groups, stored in the census. See watchdog.h. */
#include "backend/host/watchdog.h"

#include "backend/host/census_table.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct watchdog {
    uint32_t place;
    uint64_t us;
    bool found; /* the file of this user exists */
};

static void table_read(struct geo_census_table *table, void *data)
{
    struct watchdog *watchdog = data;
    struct geo_census_head head;
    if (table->user == geteuid() && geo_census_read_table(table, &head, sizeof(head), 0)) {
        watchdog->us = atomic_load(&head.limits_us[watchdog->place]);
    }
}

uint64_t geo_watchdog_read_us(const char *folder, const struct geo_backend_device *root)
{
    struct watchdog watchdog = {.place = geo_watchdog_place(root)};
    (void)geo_census_read_tables(folder, false, table_read, &watchdog);
    return watchdog.us ? watchdog.us : geo_watchdog_default_us();
}

static void table_write(struct geo_census_table *table, void *data)
{
    struct watchdog *watchdog = data;
    const off_t at = (off_t)(offsetof(struct geo_census_head, limits_us) +
                             watchdog->place * sizeof(watchdog->us));
    if (table->writable && geo_census_write(table->fd, &watchdog->us, sizeof(watchdog->us), at) &&
        table->user == geteuid()) {
        watchdog->found = true;
    }
}

bool geo_watchdog_set_us(const char *folder, const struct geo_backend_device *root, uint64_t us)
{
    struct watchdog watchdog = {.place = geo_watchdog_place(root), .us = us};
    geo_census_make(folder);
    (void)geo_census_read_tables(folder, true, table_write, &watchdog);
    return watchdog.found;
}

bool geo_watchdog_settable(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s" GEO_CENSUS_FOLDER, folder);
    return geo_census_read_possible(folder) && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}
