/* The program zeinfo, --check: what the system permits: debuggers, counters, memory, limits. These
 * checks do not call Level Zero. See check.h. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)
/* Below these, programs are likely to fail. */
#define MEMORY_BYTES_LOW (512 * MIB)
#define FILES_LOW        256u
#define PROCESSES_LOW    256u

/* Reads the first line of a file. Returns false if it cannot. */
static bool line_read(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    const bool read = file && fgets(line, size, file);
    if (read) {
        line[strcspn(line, "\n")] = '\0';
    }
    if (file) {
        fclose(file);
    }
    return read;
}

/* ---- debuggers ---- */

/* Returns 0 if a debugger may trace the program that it starts, else the error number. */
static int trace_try(void)
{
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : errno & 0x7F);
    }
    if (child < 0) {
        return errno;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : ECANCELED;
}

static void debugger_check(struct check_list *list)
{
    char scope[32];
    const int failed = trace_try();
    if (failed) {
        check_add(list, "debugger", CHECK_NOTE,
                  "permit ptrace to use gdb (in containers --cap-add=SYS_PTRACE or another seccomp "
                  "profile). zedbg does not need it",
                  "ptrace is refused: %s", strerror(failed));
    } else if (line_read("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope)) &&
               strcmp(scope, "0") != 0) {
        check_add(list, "debugger", CHECK_OK, NULL,
                  "gdb can debug programs that it starts; attaching to others is restricted "
                  "(kernel.yama.ptrace_scope is %s)",
                  scope);
    } else {
        check_add(list, "debugger", CHECK_OK, NULL, "gdb can start programs and attach to them");
    }
}

/* ---- counters ---- */

static volatile unsigned spent;

static void instructions_spend(void)
{
    for (unsigned i = 0; i < 1000; i++) {
        spent += i;
    }
}

/* Counts instructions of this thread. Returns 0 and the count, or the error number. */
static int counter_try(uint64_t *count)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                         .size = sizeof(attributes),
                                         .config = PERF_COUNT_HW_INSTRUCTIONS,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    const int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    instructions_spend();
    const bool read_all = read(fd, count, sizeof(*count)) == (ssize_t)sizeof(*count);
    close(fd);
    return !read_all ? EIO : *count == 0 ? ENODATA : 0;
}

static void counters_check(struct check_list *list)
{
    char paranoid[32] = "unknown";
    uint64_t count = 0;
    const int failed = counter_try(&count);
    if (failed == 0) {
        check_add(list, "counters", CHECK_OK, NULL, "the processor's counters can be read");
        return;
    }
    (void)line_read("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
    const bool forbidden = failed == EACCES || failed == EPERM;
    check_add(list, "counters", CHECK_NOTE,
              forbidden ? "set kernel.perf_event_paranoid to 2 or less (in containers also "
                          "--cap-add=PERFMON), for metrics of the processor"
                        : "metrics of the processor are missing; many virtual machines have none",
              "the processor's counters cannot be read: %s (kernel.perf_event_paranoid is %s)",
              strerror(failed), paranoid);
}

/* ---- memory ---- */

static void shared_memory_check(struct check_list *list)
{
    const size_t bytes = MIB;
    const int fd = memfd_create("zeinfo", MFD_CLOEXEC);
    void *memory = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0) {
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    const int failed = memory == MAP_FAILED ? errno : 0;
    if (memory != MAP_FAILED) {
        munmap(memory, bytes);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (failed) {
        check_add(list, "shared memory", CHECK_FAILED,
                  "permit memfd_create in the seccomp profile of the container, and raise "
                  "`ulimit -f` and `ulimit -n`",
                  "memory files cannot be made: %s", strerror(failed));
    } else if (access("/dev/shm", W_OK) != 0) {
        check_add(list, "shared memory", CHECK_NOTE,
                  "mount /dev/shm, so that sysman lists the processes that use a device",
                  "memory files work, but /dev/shm cannot be written: %s", strerror(errno));
    } else {
        check_add(list, "shared memory", CHECK_OK, NULL,
                  "memory files work, and /dev/shm can be written");
    }
}

/* Returns the least memory limit of the control group and those above it; UINT64_MAX: no limit. */
static uint64_t group_bytes(void)
{
    char line[4096], group[2048] = "", path[4352];
    uint64_t least = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "0::/", 4) == 0) {
            snprintf(group, sizeof(group), "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
        }
    }
    if (file) {
        fclose(file);
    }
    for (;;) {
        char text[32];
        uint64_t bytes;
        snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group);
        if (line_read(path, text, sizeof(text)) && sscanf(text, "%ju", &bytes) == 1) {
            least = bytes < least ? bytes : least;
        }
        char *slash = strrchr(group, '/');
        if (!slash) {
            break;
        }
        *slash = '\0';
    }
    char text[32];
    uint64_t bytes;
    if (line_read("/sys/fs/cgroup/memory/memory.limit_in_bytes", text, sizeof(text)) &&
        sscanf(text, "%ju", &bytes) == 1) {
        least = bytes < least ? bytes : least;
    }
    return least;
}

/* Writes a limit in MiB, or "no limit". */
static const char *bytes_text(uint64_t bytes, char *text, size_t size)
{
    if (bytes >= UINT64_C(1) << 60) {
        snprintf(text, size, "no limit");
    } else {
        snprintf(text, size, "%llu MiB", (unsigned long long)(bytes / MIB));
    }
    return text;
}

static uint64_t limit_of(int resource)
{
    struct rlimit limit;
    return getrlimit((unsigned)resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY
               ? UINT64_MAX
               : (uint64_t)limit.rlim_cur;
}

static void memory_check(struct check_list *list)
{
    char installed[32], group[32], addresses[32], locked[32];
    const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t group_limit = group_bytes(), address_limit = limit_of(RLIMIT_AS);
    const bool low = all < MEMORY_BYTES_LOW || group_limit < MEMORY_BYTES_LOW;
    const bool bounded = address_limit != UINT64_MAX;
    check_add(list, "memory", low || bounded ? CHECK_NOTE : CHECK_OK,
              bounded ? "remove `ulimit -v`: devices reserve address space that they do not use"
              : low ? "builds of modules may need more: set GEOID_BUILD_MEMORY, so that they fail "
                      "with a message"
                    : NULL,
              "%s installed, control group: %s, ulimit -v: %s, ulimit -l: %s",
              bytes_text(all, installed, sizeof(installed)),
              bytes_text(group_limit, group, sizeof(group)),
              bytes_text(address_limit, addresses, sizeof(addresses)),
              bytes_text(limit_of(RLIMIT_MEMLOCK), locked, sizeof(locked)));
}

/* ---- limits ---- */

static const char *count_text(uint64_t count, char *text, size_t size)
{
    if (count == UINT64_MAX) {
        snprintf(text, size, "no limit");
    } else {
        snprintf(text, size, "%llu", (unsigned long long)count);
    }
    return text;
}

static void limits_check(struct check_list *list)
{
    char files[32], processes[32], size[32];
    const uint64_t file_count = limit_of(RLIMIT_NOFILE), process_count = limit_of(RLIMIT_NPROC);
    const uint64_t file_bytes = limit_of(RLIMIT_FSIZE);
    const bool few = file_count < FILES_LOW || process_count < PROCESSES_LOW;
    const bool bounded = file_bytes != UINT64_MAX;
    check_add(list, "limits", few || bounded ? CHECK_NOTE : CHECK_OK,
              bounded ? "remove `ulimit -f`: device memory lies in memory files"
              : few   ? "raise `ulimit -n` and `ulimit -u`: allocations use files, devices use a "
                        "thread for each CPU"
                      : NULL,
              "ulimit -n: %s, ulimit -u: %s, ulimit -f: %s",
              count_text(file_count, files, sizeof(files)),
              count_text(process_count, processes, sizeof(processes)),
              bytes_text(file_bytes, size, sizeof(size)));
}

static void cpus_check(struct check_list *list)
{
    cpu_set_t *set = CPU_ALLOC(4096);
    const size_t bytes = CPU_ALLOC_SIZE(4096);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const int allowed = set && sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : -1;
    CPU_FREE(set);
    check_add(list, "processors", CHECK_OK, NULL, "this process may use %d of %ld CPUs", allowed,
              online);
}

void check_system(struct check_list *list)
{
    debugger_check(list);
    counters_check(list);
    shared_memory_check(list);
    memory_check(list);
    limits_check(list);
    cpus_check(list);
}
