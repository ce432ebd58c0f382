/* Gives this process and its children an empty /dev/shm, without the files of other processes. */
#ifndef TESTS_HARNESS_OWN_SHM_H
#define TESTS_HARNESS_OWN_SHM_H

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static inline bool own_shm_say(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool said = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) {
        close(fd);
    }
    return said;
}

/* Mounts an empty /dev/shm in a new mount namespace. The process must have one thread. A user other
 * than root needs a user namespace. Returns false if the system refuses. */
static inline bool own_shm(void)
{
    char map[64];
    snprintf(map, sizeof(map), "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    if (unshare(CLONE_NEWNS) != 0 &&
        (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !own_shm_say("/proc/self/uid_map", map))) {
        return false;
    }
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, NULL) == 0;
}

#endif
