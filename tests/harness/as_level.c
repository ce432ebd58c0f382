/* Runs a program and its child processes as on a processor of a lower level:
 *
 *     as_level x86-64-v2|x86-64-v3|x86-64-v4 COMMAND ARGUMENT...
 *
 * Every CPUID instruction faults (arch_prctl(ARCH_CPUID)). This tracer answers it with the values
 * of the machine, without the features that the level lacks. So the C library, LLVM and Geoid
 * choose code as on such a processor, at full speed. Instructions that the level lacks do not trap;
 * under qemu-user they do, but programs run slowly (docs/dev/testing.md).
 *
 * Exits with the command's status, or with 77 if the system or the processor cannot make CPUID
 * fault. */
#include <cpuid.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARCH_CPUID 0x1012ul

enum { SKIPPED = 77 };

/* Bits of CPUID that a level lacks and the next higher level has. */
struct mask {
    uint32_t leaf, sub;
    uint32_t eax, ebx, ecx, edx;
};

static const struct mask beyond_v4[] = {
    {7, 0, 0, 0, 0x00005842, 0x03c0010c}, /* VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ; FP16, AMX */
    {7, 1, 0x008000b0, 0, 0, 0x00080030}, /* VNNI of AVX, BF16, IFMA of AVX; AVX10 */
    {0xd, 0, 0x00060000, 0, 0, 0},        /* AMX's states */
};
static const struct mask beyond_v3[] = {
    {7, 0, 0, 0xdc230000, 0, 0}, /* all of AVX-512 */
    {0xd, 0, 0x000000e0, 0, 0, 0},
};
static const struct mask beyond_v2[] = {
    {1, 0, 0, 0, 0x3c401000, 0},          /* AVX, F16C, FMA, MOVBE, XSAVE */
    {7, 0, 0, 0x00000128, 0x00000700, 0}, /* AVX2, BMI1, BMI2; GFNI, VAES, VPCLMULQDQ */
    {0xd, 0, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
    {0xd, 1, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
    {0x80000001u, 0, 0, 0, 0x00000020, 0}, /* LZCNT */
};

#define COUNT(masks) (sizeof(masks) / sizeof((masks)[0]))

static const struct level {
    const char *name;
    uint32_t signature; /* family and model of a processor of this level */
    int depth;          /* how many of the lists of masks apply */
} levels[] = {{"x86-64-v4", 0x50654, 1}, {"x86-64-v3", 0x306c3, 2}, {"x86-64-v2", 0x106a5, 3}};

static void masks_apply(const struct mask *masks, size_t count, uint32_t leaf, uint32_t sub,
                        uint32_t words[4])
{
    for (size_t i = 0; i < count; i++) {
        if (masks[i].leaf == leaf && masks[i].sub == sub) {
            words[0] &= ~masks[i].eax;
            words[1] &= ~masks[i].ebx;
            words[2] &= ~masks[i].ecx;
            words[3] &= ~masks[i].edx;
        }
    }
}

/* Sets `words` to the values that CPUID returns at this level. */
static void cpuid_answer(const struct level *level, uint32_t leaf, uint32_t sub, uint32_t words[4])
{
    bool many = leaf == 7 || leaf == 0xd; /* leaves whose sub-leaves matter here */
    memset(words, 0, 4 * sizeof(words[0]));
    if (leaf >= 0x14 && leaf <= 0x24 && leaf != 0x15 && leaf != 0x16 && leaf != 0x1f) {
        return; /* traces, key locker, AMX, AVX10 */
    }
    __cpuid_count(leaf, sub, words[0], words[1], words[2], words[3]);
    masks_apply(beyond_v4, COUNT(beyond_v4), leaf, many ? sub : 0, words);
    if (level->depth > 1) {
        masks_apply(beyond_v3, COUNT(beyond_v3), leaf, many ? sub : 0, words);
    }
    if (level->depth > 2) {
        masks_apply(beyond_v2, COUNT(beyond_v2), leaf, many ? sub : 0, words);
    }
    if (leaf == 1) {
        words[0] = level->signature;
    }
}

/* Lets a thread go on until its next trap and returns its status, which is that of its end if it is
 * killed before. Adds signals that arrive meanwhile to `held`, instead of delivering them. */
static int trap_await(pid_t thread, enum __ptrace_request request, uint64_t *held)
{
    int status = 0;
    for (;;) {
        ptrace(request, thread, NULL, NULL);
        if (waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status)) {
            return status;
        }
        if (status >> 16 == 0 && WSTOPSIG(status) == SIGTRAP) {
            return status;
        }
        if (status >> 16 == 0) {
            *held |= UINT64_C(1) << (WSTOPSIG(status) - 1);
        }
    }
}

/* Makes a thread that is stopped at the entry of a program call arch_prctl(ARCH_CPUID, 0). This is
 * needed after each exec, which switches the faults off. Sets `status` to that of the thread's end
 * if somebody kills it meanwhile. Returns false if the call fails. */
static bool faults_enable(pid_t thread, int *status)
{
    struct user_regs_struct kept, regs;
    uint64_t held = 0;
    int seen = trap_await(thread, PTRACE_SYSCALL, &held); /* to the end of exec, which sets rax */
    if (!WIFSTOPPED(seen)) {
        *status = seen;
        return true;
    }
    ptrace(PTRACE_GETREGS, thread, NULL, &kept);
    errno = 0;
    long text = ptrace(PTRACE_PEEKTEXT, thread, (void *)kept.rip, NULL);
    if (errno != 0) {
        return errno == ESRCH; /* killed: its end is reported later */
    }
    ptrace(PTRACE_POKETEXT, thread, (void *)kept.rip, (text & ~0xffffL) | 0x050f); /* syscall */
    regs = kept;
    regs.rax = SYS_arch_prctl;
    regs.rdi = ARCH_CPUID;
    regs.rsi = 0;
    regs.orig_rax = (unsigned long long)-1;
    ptrace(PTRACE_SETREGS, thread, NULL, &regs);
    seen = trap_await(thread, PTRACE_SINGLESTEP, &held);
    if (!WIFSTOPPED(seen)) {
        *status = seen;
        return true;
    }
    errno = 0;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &regs) != 0) {
        return errno == ESRCH;
    }
    ptrace(PTRACE_POKETEXT, thread, (void *)kept.rip, text);
    ptrace(PTRACE_SETREGS, thread, NULL, &kept);
    for (int signal = 1; signal <= 64; signal++) {
        if (held >> (signal - 1) & 1) {
            syscall(SYS_tgkill, thread, thread,
                    signal); /* after exec the thread leads its process */
        }
    }
    return regs.rax == 0;
}

/* Emulates the CPUID at which a thread has stopped. Returns false for other instructions. */
static bool fault_answer(const struct level *level, pid_t thread)
{
    struct user_regs_struct regs;
    uint32_t words[4];
    ptrace(PTRACE_GETREGS, thread, NULL, &regs);
    errno = 0;
    long text = ptrace(PTRACE_PEEKTEXT, thread, (void *)regs.rip, NULL);
    if (errno != 0 || (text & 0xffff) != 0xa20f) {
        return false;
    }
    cpuid_answer(level, (uint32_t)regs.rax, (uint32_t)regs.rcx, words);
    regs.rax = words[0];
    regs.rbx = words[1];
    regs.rcx = words[2];
    regs.rdx = words[3];
    regs.rip += 2;
    ptrace(PTRACE_SETREGS, thread, NULL, &regs);
    return true;
}

static bool stops_groups(int signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* Handles one stop of a traced thread and lets it go on. Returns the thread's status, which is that
 * of its end if it is killed meanwhile. */
static int stop_handle(const struct level *level, pid_t thread, int status)
{
    int signal = WSTOPSIG(status), event = status >> 16;
    if (event == PTRACE_EVENT_STOP && stops_groups(signal)) {
        ptrace(PTRACE_LISTEN, thread, NULL, NULL);
        return status;
    }
    if (event == PTRACE_EVENT_EXEC && !faults_enable(thread, &status)) {
        fprintf(stderr, "as_level: CPUID cannot be made to fault on this machine\n");
        exit(SKIPPED); /* PTRACE_O_EXITKILL ends the rest */
    }
    if (!WIFSTOPPED(status)) {
        return status;
    }
    bool answered = event == 0 && signal == SIGSEGV && fault_answer(level, thread);
    ptrace(PTRACE_CONT, thread, NULL, (void *)(long)(event != 0 || answered ? 0 : signal));
    return status;
}

static pid_t program_start(char **command)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 1) {
            close(ends[0]);
            execvp(command[0], command);
            perror(command[0]);
        }
        _exit(127);
    }
    long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    bool traced = child > 0 && ptrace(PTRACE_SEIZE, child, NULL, (void *)options) == 0 &&
                  write(ends[1], "", 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return traced ? child : -1;
}

int main(int argc, char **argv)
{
    const struct level *level = NULL;
    int status, result = 1;
    for (size_t i = 0; argc > 2 && i < COUNT(levels); i++) {
        level = strcmp(argv[1], levels[i].name) == 0 ? &levels[i] : level;
    }
    if (!level) {
        fprintf(stderr, "usage: as_level x86-64-v2|x86-64-v3|x86-64-v4 COMMAND ARGUMENT...\n");
        return 2;
    }
    pid_t first = program_start(argv + 2);
    if (first < 0) {
        perror("as_level: tracing the command");
        return SKIPPED;
    }
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == ECHILD) {
            return result;
        }
        if (thread > 0 && WIFSTOPPED(status)) {
            status = stop_handle(level, thread, status);
        }
        if (thread == first && WIFEXITED(status)) {
            result = WEXITSTATUS(status);
        } else if (thread == first && WIFSIGNALED(status)) {
            result = 128 + WTERMSIG(status);
        }
    }
}
