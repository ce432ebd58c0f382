/* Descriptors that a library keeps from one call of the API to the next.
 *
 * The table of descriptors belongs to the program. It may close numbers that it does not know
 * (closefrom, daemons do) and then has files of its own under them. So whoever keeps a descriptor
 * keeps beside it which file it is, and asks geo_fd_get for the number before each use:
 *
 *     struct geo_fd file = geo_fd_keep(open(...));
 *     int fd = geo_fd_get(&file);       -1: the program has closed it, there is nothing to write to
 *     geo_fd_close(&file);              closes only what is still this file
 *
 * A program that closes a number between the check and the use, in another thread, is not noticed.
 */
#ifndef GEO_BASE_FD_H
#define GEO_BASE_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct geo_fd {
    int number; /* -1: none */
    mode_t type;
    uint64_t device, inode;
    uint64_t serial; /* of an eventfd, which all have one inode; else 0 */
};

#define GEO_FD_NONE ((struct geo_fd){.number = -1})

/* Takes a descriptor over, or -1. errno is kept. */
struct geo_fd geo_fd_keep(int number);

/* Returns the number while it is the file that was kept; -1 with EBADF when it is lost or none. */
int geo_fd_get(const struct geo_fd *file);

/* Returns true when a descriptor was kept and the program has closed it since. */
bool geo_fd_lost(const struct geo_fd *file);

/* Closes the descriptor unless it is lost, and sets it to GEO_FD_NONE. errno is kept. */
void geo_fd_close(struct geo_fd *file);

#endif
