/* Descriptors that a library keeps between API calls.
 *
 * The descriptor table belongs to the program. The program may close numbers that it did not open
 * (closefrom, daemons) and reuse them for its own files. Therefore the library stores which file a
 * descriptor refers to, and calls geo_fd_get before each use:
 *
 *     struct geo_fd file = geo_fd_keep(open(...));
 *     int fd = geo_fd_get(&file);         -1: the program has closed it
 *     geo_fd_close(&file);                closes the number only if it is still this file
 *
 * A close by another thread between the check and the use is not detected. */
#ifndef GEO_BASE_FD_H
#define GEO_BASE_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct geo_fd {
    int number; /* -1: none */
    mode_t type;
    uint64_t device, inode;
    uint64_t serial; /* kernel's id of an eventfd, as all eventfds share one inode; else 0 */
};

#define GEO_FD_NONE ((struct geo_fd){.number = -1})

/* Takes ownership of a descriptor and records which file it is. -1 is allowed. Preserves errno. */
struct geo_fd geo_fd_keep(int number);

/* Returns the descriptor number while it still refers to the recorded file. Otherwise returns -1
 * with EBADF. */
int geo_fd_get(const struct geo_fd *file);

/* Returns true when the program has closed the recorded descriptor. */
bool geo_fd_lost(const struct geo_fd *file);

/* Closes the descriptor if it still refers to the recorded file, and sets the number to -1.
 * Preserves errno. */
void geo_fd_close(struct geo_fd *file);

#endif
