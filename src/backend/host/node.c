/* Placement of memory on the nodes of the machine, by the system call itself: the library for it
 * would be one more to install. See node.h. */
#include "backend/host/node.h"

#include <limits.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NODES     1024
#define WORD_BITS (sizeof(unsigned long) * CHAR_BIT)

bool geo_node_prefer(void *base, uint64_t bytes, int32_t node)
{
    unsigned long mask[NODES / WORD_BITS] = {0};
    if (node < 0 || node >= NODES) {
        return false;
    }
    mask[(unsigned)node / WORD_BITS] = 1ul << ((unsigned)node % WORD_BITS);
    return syscall(SYS_mbind, base, bytes, MPOL_PREFERRED, mask, (unsigned long)NODES, 0) == 0;
}
