/* What a child process that builds may still do. See sandbox.h. */
#include "compiler/facade/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef GEOID_SANITIZED /* shadows of memory need more addresses than any limit leaves */
#define ADDRESSES_ARE_MEMORY false
#else
#define ADDRESSES_ARE_MEMORY true
#endif

/* What is mapped now. */
static uint64_t mapped_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%llu", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool geo_sandbox_limit(uint64_t memory_bytes)
{
    uint64_t now = ADDRESSES_ARE_MEMORY ? mapped_bytes() : 0;
    struct rlimit limit = {now + memory_bytes, now + memory_bytes};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    return memory_bytes && now && setrlimit(RLIMIT_AS, &limit) == 0;
}

#define ALLOW(name)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)__NR_##name, 0, 1),                              \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

void geo_sandbox_close(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        /* talk */
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
        /* locks, time, chance */
        ALLOW(futex),
        ALLOW(sched_yield),
        ALLOW(nanosleep),
        ALLOW(clock_nanosleep),
        ALLOW(clock_gettime),
        ALLOW(gettimeofday),
        ALLOW(setitimer),
        ALLOW(getrandom),
        /* signals, the end */
        ALLOW(rt_sigaction),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigreturn),
        ALLOW(sigaltstack),
        ALLOW(restart_syscall),
        ALLOW(getpid),
        ALLOW(gettid),
        ALLOW(tgkill),
        ALLOW(exit),
        ALLOW(exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    }
}
