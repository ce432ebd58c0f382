/* Moves memory to another file while threads read and write it. See move.h. */
#include "backend/host/move.h"

#include "exec/thread/fault.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Copies with a system call, which works while other threads write. */
static bool file_write(int fd, const uint8_t *from, uint64_t bytes)
{
    uint64_t done = 0;
    while (done < bytes) {
        long count = syscall(SYS_pwrite64, fd, from + done, bytes - done, done);
        if (count > 0) {
            done += (uint64_t)count;
        } else if (count == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Blocks all signals except faults: signal handlers of the application must not run in this thread
 * while writers wait for it. */
static void signals_block(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/* Maps the file over the pages. Calls the kernel directly, because a thread sanitizer would treat
 * mmap() as a write, and other threads write concurrently. */
static bool file_map(void *base, uint64_t bytes, int fd)
{
    long mapped = syscall(SYS_mmap, base, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                          (off_t)0);
    return mapped == (long)(intptr_t)base;
}

bool geo_move(void *base, uint64_t bytes, int fd)
{
    /* first copy without stopping writers: allocates the file's pages and shortens the second
     * copy */
    if (!file_write(fd, base, bytes)) {
        return false;
    }
    sigset_t before;
    signals_block(&before);
    geo_fault_hold_begin((uintptr_t)base, (uintptr_t)base + bytes);
    /* mprotect also splits the mapping at both ends, so that mmap needs no additional mappings */
    bool moved = mprotect(base, bytes, PROT_READ) == 0 && file_write(fd, base, bytes) &&
                 file_map(base, bytes, fd);
    if (!moved) {
        (void)mprotect(base, bytes, PROT_READ | PROT_WRITE);
    }
    geo_fault_hold_end();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return moved;
}
