/* Wakes the listeners of a device. See seat.h. */
#include "driver/sysman/seat.h"

#include <unistd.h>

void geo_seats_wake(const struct geo_sysman_root *root)
{
    const uint64_t one = 1;
    GEO_ASSERT(geo_sysman_lock_held());
    for (const struct geo_seat *seat = root->seats; seat; seat = seat->next) {
        GEO_ASSERT(seat->root == root && seat->wake);
        int wake = geo_fd_get(seat->wake);
        if (wake >= 0) {
            ssize_t ignored = write(wake, &one, sizeof(one));
            (void)ignored; /* a full counter wakes the listener as well */
        }
    }
}
