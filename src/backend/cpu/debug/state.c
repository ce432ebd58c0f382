/* Shared state of debugging. See state.h. */
#include "backend/cpu/debug/state.h"

#include "base/fd.h"
#include "base/fork.h"
#include "base/lock.h"

#include <sys/eventfd.h>
#include <unistd.h>

struct geo_cpu_debug_desc geo_cpu_debug_state_desc;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct geo_fd kick = {.number = -1};
static void (*child)(void);

void geo_cpu_debug_state_lock(void)
{
    pthread_mutex_lock(&lock);
}

void geo_cpu_debug_state_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

bool geo_cpu_debug_state_locked(void)
{
    return geo_mutex_held(&lock);
}

void geo_cpu_debug_state_kick(void)
{
    const uint64_t one = 1;
    const int fd = geo_fd_get(&kick);
    if (fd >= 0) {
        ssize_t written = write(fd, &one, sizeof(one));
        (void)written;
    }
}

int geo_cpu_debug_state_kick_fd(void)
{
    int fd = geo_fd_get(&kick);
    if (fd < 0) {
        kick = geo_fd_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        fd = kick.number;
    }
    return fd;
}

void geo_cpu_debug_state_kicked(void)
{
    uint64_t count;
    const int fd = geo_fd_get(&kick);
    if (fd >= 0) {
        ssize_t got = read(fd, &count, sizeof(count));
        (void)got;
    }
}

/* The child closes its copy: it shares the counter with the parent. */
static void fork_child(void)
{
    geo_fd_close(&kick);
    child();
    pthread_mutex_unlock(&lock);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_DEBUG,
    .prepare = geo_cpu_debug_state_lock,
    .parent = geo_cpu_debug_state_unlock,
    .child = fork_child,
};

void geo_cpu_debug_state_open(const struct geo_cpu_debug_desc *desc, void (*after_fork)(void))
{
    geo_cpu_debug_state_desc = *desc;
    child = after_fork;
    geo_fork_register(&fork_handler);
}
