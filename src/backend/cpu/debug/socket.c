/* Sockets of the debugging channel. See socket.h. */
#include "backend/cpu/debug/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 8

static socklen_t name_fill(struct sockaddr_un *name, uint32_t pid)
{
    memset(name, 0, sizeof(*name));
    name->sun_family = AF_UNIX;
    int length = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "geoid-debug-1-%u", pid);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int socket_make(void)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

/* Closes a descriptor and returns -1 with the error of before. */
static int socket_drop(int fd, int reason)
{
    close(fd);
    errno = reason;
    return -1;
}

int geo_cpu_debug_socket_listen(void)
{
    struct sockaddr_un name;
    const socklen_t length = name_fill(&name, (uint32_t)getpid());
    int fd = socket_make();
    if (fd >= 0 && (bind(fd, (const struct sockaddr *)&name, length) != 0 ||
                    listen(fd, BACKLOG) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0)) {
        return socket_drop(fd, errno);
    }
    return fd;
}

/* Returns the number of a process in its own PID namespace, by which it named its socket. */
static uint32_t pid_inside(uint32_t pid)
{
    char path[64], text[2048]; /* the line is in the first half */
    snprintf(path, sizeof(path), "/proc/%u/status", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, "\nNSpid:");
    if (!line) {
        return pid;
    }
    char *end = (char *)(uintptr_t)line + strlen("\nNSpid:");
    uint32_t inside = pid;
    while (*end == '\t') {
        inside = (uint32_t)strtoul(end + 1, &end, 10);
    }
    return inside;
}

struct ucred geo_cpu_debug_socket_peer(int fd)
{
    struct ucred peer = {.pid = 0};
    socklen_t length = sizeof(peer);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
        peer = (struct ucred){.pid = 0, .uid = (uid_t)-1, .gid = (gid_t)-1};
    }
    return peer;
}

int geo_cpu_debug_socket_connect(uint32_t pid)
{
    struct sockaddr_un name;
    const socklen_t length = name_fill(&name, pid_inside(pid));
    int fd = socket_make();
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&name, length) != 0) {
        return socket_drop(fd, errno);
    }
    if (fd >= 0 && (uint32_t)geo_cpu_debug_socket_peer(fd).pid != pid) {
        return socket_drop(fd, EPERM);
    }
    return fd;
}

bool geo_cpu_debug_socket_send(int fd, const void *head, size_t head_bytes, const void *data,
                               size_t bytes, int passed)
{
    struct iovec parts[2] = {{(void *)(uintptr_t)head, head_bytes},
                             {(void *)(uintptr_t)data, bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = bytes ? 2 : 1};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    if (passed >= 0) {
        memset(&control, 0, sizeof(control));
        message.msg_control = &control;
        message.msg_controllen = sizeof(control);
        struct cmsghdr *right = CMSG_FIRSTHDR(&message);
        right->cmsg_level = SOL_SOCKET;
        right->cmsg_type = SCM_RIGHTS;
        right->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(right), &passed, sizeof(passed));
    }
    ssize_t sent;
    do {
        sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)(head_bytes + bytes);
}

/* Takes the descriptor out of a message, and closes any that nobody wants. */
static void descriptors_take(struct msghdr *message, int *passed)
{
    struct cmsghdr *part = CMSG_FIRSTHDR(message);
    for (; part; part = CMSG_NXTHDR(message, part)) {
        const size_t bytes = part->cmsg_len - CMSG_LEN(0);
        for (size_t i = 0; part->cmsg_type == SCM_RIGHTS && i < bytes / sizeof(int); i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(fd));
            if (passed && *passed < 0) {
                *passed = fd;
            } else {
                close(fd);
            }
        }
    }
}

ssize_t geo_cpu_debug_socket_receive(int fd, void *head, size_t head_bytes, void *data,
                                     size_t bytes, int *passed)
{
    struct iovec parts[2] = {{head, head_bytes}, {data, bytes}};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = data ? 2 : 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    ssize_t length;
    if (passed) {
        *passed = -1;
    }
    do {
        length = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (length < 0 && errno == EINTR);
    if (length >= 0) {
        descriptors_take(&message, passed);
    }
    if (length >= 0 && message.msg_flags & MSG_TRUNC) {
        errno = EMSGSIZE;
        return -1;
    }
    return length;
}
