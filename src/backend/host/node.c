/* Places memory on the machine's nodes with system calls, which avoids a dependency on libnuma. See
 * node.h. */
#include "backend/host/node.h"

#include <limits.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NODES     1024
#define WORD_BITS (sizeof(unsigned long) * CHAR_BIT)

static bool node_choose(void *base, uint64_t bytes, int32_t node, unsigned long flags)
{
    unsigned long mask[NODES / WORD_BITS] = {0};
    if (node < 0 || node >= NODES) {
        return false;
    }
    mask[(unsigned)node / WORD_BITS] = 1ul << ((unsigned)node % WORD_BITS);
    return syscall(SYS_mbind, base, bytes, MPOL_PREFERRED, mask, (unsigned long)NODES, flags) == 0;
}

bool geo_node_prefer(void *base, uint64_t bytes, int32_t node)
{
    return node_choose(base, bytes, node, 0);
}

bool geo_node_move(void *base, uint64_t bytes, int32_t node)
{
    return node_choose(base, bytes, node, MPOL_MF_MOVE);
}

bool geo_node_forget(void *base, uint64_t bytes)
{
    return syscall(SYS_mbind, base, bytes, MPOL_DEFAULT, NULL, 0ul, 0ul) == 0;
}
