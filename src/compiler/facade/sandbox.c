/* Limits what a child process may do. See sandbox.h. */
#include "compiler/facade/sandbox.h"

#include "machine/machine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ADDRESS_END (UINT64_C(1) << 57) /* larger than any address space */
#define PRECISION   ((uint64_t)1 << 20)

#ifdef GEOID_SANITIZED /* shadow memory needs more addresses than any limit allows */
#define ADDRESSES_ARE_MEMORY false
#else
#define ADDRESSES_ARE_MEMORY true
#endif

/* Returns whether one more page can be mapped if the address space is limited to so many bytes. */
static bool addresses_suffice(struct rlimit limit, uint64_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    limit.rlim_cur = bytes;
    if (setrlimit(RLIMIT_AS, &limit) != 0) {
        return false;
    }
    void *probe = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return probe != MAP_FAILED && munmap(probe, page) == 0;
}

/* Returns the size of all mappings, rounded up to a megabyte. It searches for the smallest limit
 * that permits another mapping, since /proc may be missing. No other thread may map memory
 * meanwhile. */
static uint64_t mapped_bytes(struct rlimit limit)
{
    uint64_t low = 0, high = limit.rlim_max < ADDRESS_END ? limit.rlim_max : ADDRESS_END;
    while (high - low > PRECISION) {
        uint64_t middle = low + (high - low) / 2;
        if (addresses_suffice(limit, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

bool geo_sandbox_limit(uint64_t memory_bytes)
{
    struct rlimit limit;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!memory_bytes || !ADDRESSES_ARE_MEMORY || getrlimit(RLIMIT_AS, &limit) != 0) {
        return false;
    }
    uint64_t end = mapped_bytes(limit) + memory_bytes;
    limit.rlim_max = end < limit.rlim_max ? end : limit.rlim_max;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_AS, &limit) == 0;
}

/* The low half of a system call's first argument. Process ids fit in it. */
#define FIRST_ARGUMENT offsetof(struct seccomp_data, args[0])

#define ALLOW(name)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)__NR_##name, 0, 1),                              \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Allows a call with this first argument only. On a mismatch the filter reloads the call's number
 * and continues. */
#define ALLOW_FIRST(name, value)                                                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)__NR_##name, 0, 4),                              \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIRST_ARGUMENT),                                        \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),                                          \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),                                              \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))

void geo_sandbox_close(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, GEO_MACHINE_AUDIT, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        /* messages */
        ALLOW(read),
        ALLOW(write),
        ALLOW(recvfrom),
        ALLOW(sendto),
        /* memory */
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(mprotect),
        ALLOW(madvise),
        ALLOW(brk),
        /* locks, time, random numbers */
        ALLOW(futex),
        ALLOW(sched_yield),
        ALLOW(nanosleep),
        ALLOW(clock_nanosleep),
        ALLOW(clock_gettime),
        ALLOW(gettimeofday),
        ALLOW(setitimer),
        ALLOW(getrandom),
        /* made by the C library in a new thread */
        ALLOW(rseq),
        ALLOW(set_robust_list),
        /* signals, exit */
        ALLOW(rt_sigaction),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigreturn),
        ALLOW(sigaltstack),
        ALLOW(restart_syscall),
        ALLOW(getpid),
        ALLOW(gettid),
        ALLOW_FIRST(tgkill, (uint32_t)getpid()), /* for abort: this process only */
        ALLOW(exit),
        ALLOW(exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    }
}
