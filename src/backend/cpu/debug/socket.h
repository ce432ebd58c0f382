/* The sockets of the debugging channel. Their names are abstract, so nothing is left in the file
 * system. Anybody may take a name: both sides look at the other's credentials. */
#ifndef GEO_BACKEND_CPU_DEBUG_SOCKET_H
#define GEO_BACKEND_CPU_DEBUG_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Creates the socket of this process that debuggers connect to. Returns -1 with errno. */
int geo_cpu_debug_socket_listen(void);

/* Connects to the socket of a process, and checks that this process owns it. `pid` is its number
 * here, also if it is in a PID namespace of its own. Returns -1 with errno: ECONNREFUSED if it has
 * no such socket, EPERM if the socket belongs to another process. */
int geo_cpu_debug_socket_connect(uint32_t pid);

/* Returns the credentials of the other side. pid 0: unknown. */
struct ucred geo_cpu_debug_socket_peer(int fd);

/* Sends a head and data as one packet, with a descriptor unless `passed` is -1. Does not block for
 * long. Returns false if it was not sent. */
bool geo_cpu_debug_socket_send(int fd, const void *head, size_t head_bytes, const void *data,
                               size_t bytes, int passed);

/* Receives a packet without waiting, up to head_bytes and then up to `bytes` of data. Returns its
 * size; 0: the other side is gone; -1 with EAGAIN: nothing is there. A larger packet is an error,
 * EMSGSIZE. `passed` gets a descriptor of the packet, or -1; NULL: none is accepted. */
ssize_t geo_cpu_debug_socket_receive(int fd, void *head, size_t head_bytes, void *data,
                                     size_t bytes, int *passed);

#endif
