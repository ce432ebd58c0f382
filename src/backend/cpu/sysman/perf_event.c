/* System calls of performance events, for which the C library has no functions. See
 * perf_event.h. */
#include "backend/cpu/sysman/perf_event.h"

#include "backend/cpu/sysman/tree.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool geo_perf_event_allowed(const struct geo_tree *tree)
{
    return tree->root[0] == '\0';
}

int geo_perf_event_open(uint32_t type, uint64_t config, int cpu, uint64_t *id)
{
    struct perf_event_attr attributes = {
        .type = type,
        .size = sizeof(attributes),
        .config = config,
    };
    int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, id) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* Checks that the descriptor is still this counter. Another file may have the number by now, and
 * reading would consume its data. */
static bool is_counter(int fd, uint64_t id)
{
    uint64_t now;
    return ioctl(fd, PERF_EVENT_IOC_ID, &now) == 0 && now == id;
}

bool geo_perf_event_read(int fd, uint64_t id, uint64_t *value)
{
    return is_counter(fd, id) && read(fd, value, sizeof(*value)) == (ssize_t)sizeof(*value);
}

void geo_perf_event_close(int fd, uint64_t id)
{
    if (is_counter(fd, id)) {
        close(fd);
    }
}
