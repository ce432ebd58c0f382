/* Very many inputs for one target (fuzz.h), in processes: a death costs one input.
 *
 *     many_<target> [--count N] [--first N] [--seed S] [--jobs J] [--seconds T] [--keep FOLDER]
 *                   [--seeds FILE_OR_FOLDER]...
 *     many_<target> FILE...            runs these, one after the other, and says where each ends
 *
 * What goes wrong is told with its number, and kept in the folder (default: what-fails) as a file
 * that can be run by name; the same seed, seeds and number make it again. The last lines say how
 * many inputs there were, how many went wrong in which way, and where the others ended. Ends with 0
 * when all came to an end as they should.
 *
 * The supervisor starts a process for each block of inputs (fuzz_target.block) and looks after it
 * through shared memory: which input it is at, and the input itself. */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STALL_S    3600u /* on one input: no busy machine takes as long */
#define TOLD_MAX   40u
#define FILE_MAX   (UINT64_C(16) << 20)
#define NOT_OPENED 3 /* exit status of a process that could not begin */

enum { TEXT_BYTES = 400 };

static const char *const fault_names[FUZZ_FAULTS] = {
    [FUZZ_DEATH] = "death", [FUZZ_WRONG] = "wrong", [FUZZ_OVER] = "over budget"};

/* A process and its inputs; shared with it. */
struct worker {
    pid_t pid; /* 0: none */
    _Atomic uint64_t number, end;
    _Atomic size_t size; /* of the input, which follows the workers */
    uint64_t seen;       /* the supervisor's: number, and when it changed */
    time_t seen_at;
    uint64_t ends[FUZZ_ENDS_MAX];
    uint64_t faults[FUZZ_FAULTS], done;
};

static struct {
    uint64_t first, count, seed, jobs, seconds;
    const char *keep;
} wanted = {.count = 1000, .jobs = 1, .keep = "what-fails"};

/* Everything that processes share. */
static struct shared {
    _Atomic bool stop;
    _Atomic unsigned told;
    struct worker workers[];
} *shared;
static uint8_t *inputs; /* [jobs][max_bytes] */
static struct worker *own;

static uint8_t *input_of(const struct worker *worker)
{
    return inputs + (size_t)(worker - shared->workers) * fuzz_target.max_bytes;
}

/* ---- what goes wrong ---- */

static void fault_keep(const struct worker *worker, char *path, size_t bytes)
{
    (void)mkdir(wanted.keep, 0777);
    snprintf(path, bytes, "%s/%s-%llu-%llu", wanted.keep, fuzz_target.name,
             (unsigned long long)wanted.seed, (unsigned long long)worker->number);
    FILE *file = fopen(path, "wb");
    size_t size = atomic_load(&worker->size);
    if (!file || fwrite(input_of(worker), 1, size, file) != size || fclose(file) != 0) {
        snprintf(path, bytes, "nowhere: %s", strerror(errno));
    }
}

static void fault_note(struct worker *worker, enum fuzz_fault fault, const char *text)
{
    char path[512];
    worker->faults[fault]++;
    if (atomic_fetch_add(&shared->told, 1) >= TOLD_MAX) {
        return;
    }
    fault_keep(worker, path, sizeof(path));
    printf("%s: input %llu: %s: %.*s; kept as %s\n", fuzz_target.name,
           (unsigned long long)worker->number, fault_names[fault], (int)strcspn(text, "\n"), text,
           path);
    fflush(stdout);
}

void fuzz_found(enum fuzz_fault fault, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fault_note(own, fault, text);
}

/* ---- a process ---- */

static void input_make(struct worker *worker)
{
    struct fuzz_random random = {wanted.seed};
    uint8_t *bytes = input_of(worker);
    random.state = fuzz_next(&random) ^ (worker->number * UINT64_C(0xD1342543DE82EF95));
    size_t size = fuzz_target.seed(&random, bytes, fuzz_target.max_bytes);
    if (fuzz_target.mutate && !fuzz_one_in(&random, 16)) {
        size = fuzz_target.mutate(&random, bytes, size, fuzz_target.max_bytes);
    } else {
        size = fuzz_mutate_bytes(&random, bytes, size, fuzz_target.max_bytes);
    }
    atomic_store_explicit(&worker->size, size, memory_order_relaxed);
}

/* Where nothing follows: what reads beyond the end of an input faults. It begins where anything may
 * begin. */
static const uint8_t *input_place(const struct worker *worker)
{
    static uint8_t *end;
    if (!end) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        size_t bytes = (fuzz_target.max_bytes + page - 1) & ~(page - 1);
        end = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (end == MAP_FAILED || mprotect(end + bytes, page, PROT_NONE) != 0) {
            perror(fuzz_target.name);
            _exit(NOT_OPENED);
        }
        end += bytes;
    }
    return memcpy(end - ((worker->size + 15) & ~(size_t)15), input_of(worker), worker->size);
}

static void *inputs_run(void *unused)
{
    for (; own->number < own->end; own->number++) {
        if (atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
            break;
        }
        input_make(own);
        own->ends[fuzz_target.run(input_place(own), own->size)]++;
        own->done++;
    }
    return unused;
}

static void *file_run(void *path)
{
    unsigned end = fuzz_target.run(input_place(own), own->size);
    printf("%s: %s: %s\n", fuzz_target.name, (const char *)path, fuzz_target.ends[end]);
    return path;
}

/* On a stack as small as a caller's may be. */
static int thread_run(void *(*main)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (fuzz_target.stack_bytes) {
        pthread_attr_setstacksize(&attributes, fuzz_target.stack_bytes);
    }
    int failed = pthread_create(&thread, &attributes, main, argument);
    pthread_attr_destroy(&attributes);
    return failed ? failed : pthread_join(thread, NULL);
}

_Noreturn static void process_main(struct worker *worker, void *(*main)(void *), void *argument)
{
    own = worker;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no longer than who started it */
    if (fuzz_target.quiet) {
        static char text[1 << 16];
        setvbuf(stderr, text, _IOFBF, sizeof(text));
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    }
    bool good = !fuzz_target.open || fuzz_target.open(worker->number);
    good = good && thread_run(main, argument) == 0;
    fflush(stdout);
    _exit(good ? 0 : NOT_OPENED);
}

static bool process_start(struct worker *worker, void *(*main)(void *), void *argument)
{
    fflush(NULL);
    worker->seen = worker->number;
    worker->seen_at = time(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        process_main(worker, main, argument);
    }
    if (pid < 0) {
        perror(fuzz_target.name);
    }
    worker->pid = pid > 0 ? pid : 0; /* here alone: the memory is the child's too */
    return pid > 0;
}

/* What came of it; false: it could not begin. */
static bool process_judge(struct worker *worker, int status)
{
    char text[TEXT_BYTES];
    worker->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return true;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_OPENED) {
        fprintf(stderr, "%s: cannot be opened\n", fuzz_target.name);
        return false;
    }
    bool killed = WIFSIGNALED(status);
    snprintf(text, sizeof(text), killed ? "ended by signal %d" : "ended with %d",
             killed ? WTERMSIG(status) : WEXITSTATUS(status));
    fault_note(worker, killed && WTERMSIG(status) == SIGKILL ? FUZZ_OVER : FUZZ_DEATH, text);
    worker->done++;
    return true;
}

/* ---- all of them ---- */

static uint64_t next_number; /* not yet given out */

/* The rest of a block, or another one; false: there is no more. */
static bool block_give(struct worker *worker)
{
    uint64_t last = wanted.first + wanted.count;
    if (worker->number + 1 < worker->end && worker->done != 0) {
        worker->number++; /* it died at that one */
        return true;
    }
    if (next_number >= last) {
        return false;
    }
    uint64_t end = next_number - next_number % fuzz_target.block + fuzz_target.block;
    worker->number = next_number;
    worker->end = next_number = end < last ? end : last;
    return true;
}

/* False: there is no more to do, or no process to do it, which is not good. */
static bool worker_start(struct worker *worker, bool *good)
{
    if (!block_give(worker)) {
        return false;
    }
    bool started = process_start(worker, inputs_run, NULL);
    *good = *good && started;
    return started;
}

static struct worker *worker_of(pid_t pid)
{
    struct worker *worker = shared->workers;
    while (worker < shared->workers + wanted.jobs && worker->pid != pid) {
        worker++;
    }
    return worker < shared->workers + wanted.jobs ? worker : NULL;
}

static void stalls_end(void)
{
    for (struct worker *worker = shared->workers; worker < shared->workers + wanted.jobs;
         worker++) {
        if (worker->pid && worker->seen != worker->number) {
            worker->seen = worker->number;
            worker->seen_at = time(NULL);
        } else if (worker->pid && time(NULL) - worker->seen_at > STALL_S) {
            kill(worker->pid, SIGKILL);
        }
    }
}

/* One that has ended, or NULL after a second. */
static struct worker *process_wait(const sigset_t *child, int *status)
{
    const struct timespec second = {.tv_sec = 1};
    pid_t pid = waitpid(-1, status, WNOHANG);
    if (pid == 0) {
        (void)sigtimedwait(child, NULL, &second);
        pid = waitpid(-1, status, WNOHANG);
    }
    return pid > 0 ? worker_of(pid) : NULL;
}

static bool all_run(void)
{
    time_t begin = time(NULL);
    sigset_t child;
    unsigned running = 0;
    bool good = true;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    next_number = wanted.first;
    for (struct worker *worker = shared->workers; worker < shared->workers + wanted.jobs;
         worker++) {
        running += worker_start(worker, &good);
    }
    while (running != 0) {
        int status;
        struct worker *worker = process_wait(&child, &status);
        stalls_end();
        if (wanted.seconds && (uint64_t)(time(NULL) - begin) >= wanted.seconds) {
            atomic_store(&shared->stop, true);
        }
        if (worker) {
            good = process_judge(worker, status) && good;
            bool more = good && !atomic_load(&shared->stop) && worker_start(worker, &good);
            running -= !more;
        }
    }
    return good;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The line for who counts, and where inputs ended. */
static bool all_tell(double seconds)
{
    struct worker sum = {0};
    for (const struct worker *worker = shared->workers; worker < shared->workers + wanted.jobs;
         worker++) {
        sum.done += worker->done;
        for (unsigned i = 0; i < FUZZ_FAULTS; i++) {
            sum.faults[i] += worker->faults[i];
        }
        for (unsigned i = 0; i < FUZZ_ENDS_MAX; i++) {
            sum.ends[i] += worker->ends[i];
        }
    }
    printf("%s: %llu inputs from %llu (seed %llu), %llu deaths, %llu wrong, %llu over budget, "
           "%.0f s, %.0f a second\n%s: ends:",
           fuzz_target.name, (unsigned long long)sum.done, (unsigned long long)wanted.first,
           (unsigned long long)wanted.seed, (unsigned long long)sum.faults[FUZZ_DEATH],
           (unsigned long long)sum.faults[FUZZ_WRONG], (unsigned long long)sum.faults[FUZZ_OVER],
           seconds, (double)sum.done / (seconds > 0.001 ? seconds : 0.001), fuzz_target.name);
    for (unsigned i = 0; fuzz_target.ends[i]; i++) {
        printf(" %s %.1f%%", fuzz_target.ends[i],
               sum.done ? 100.0 * (double)sum.ends[i] / (double)sum.done : 0.0);
    }
    printf("\n");
    return sum.done != 0 &&
           sum.faults[FUZZ_DEATH] + sum.faults[FUZZ_WRONG] + sum.faults[FUZZ_OVER] == 0;
}

/* ---- files ---- */

static uint8_t *file_read(const char *path, size_t *size)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    *size = 0;
    if (file && fstat(fileno(file), &status) == 0 && (uint64_t)status.st_size <= FILE_MAX) {
        bytes = malloc((size_t)status.st_size + 1);
        *size = bytes ? fread(bytes, 1, (size_t)status.st_size, file) : 0;
    }
    if (file) {
        fclose(file);
    }
    return bytes;
}

static bool seed_take(const char *path)
{
    size_t size;
    uint8_t *bytes = file_read(path, &size);
    bool good = bytes && fuzz_target.take(bytes, size);
    free(bytes);
    return good;
}

/* A file, or those of a folder, in order of their names: what a number means must not depend on
 * the folder's own order. */
static bool seeds_take(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    bool good = true;
    if (!fuzz_target.take || count < 0) {
        return fuzz_target.take && seed_take(path);
    }
    for (int i = 0; i < count; i++) {
        char full[4096];
        if (entries[i]->d_name[0] != '.') {
            snprintf(full, sizeof(full), "%s/%s", path, entries[i]->d_name);
            good = seed_take(full) && good;
        }
        free(entries[i]);
    }
    free(entries);
    return good;
}

/* In a process of its own; true: as it should be. */
static bool file_try(char *path)
{
    size_t size;
    int status;
    struct worker *worker = shared->workers;
    uint8_t *bytes = file_read(path, &size);
    if (!bytes || size > fuzz_target.max_bytes) {
        fprintf(stderr, "%s: %s cannot be read\n", fuzz_target.name, path);
        free(bytes);
        return false;
    }
    memcpy(input_of(worker), bytes, size);
    free(bytes);
    atomic_store(&worker->size, size);
    memset(worker->faults, 0, sizeof(worker->faults));
    if (!process_start(worker, file_run, path) || waitpid(worker->pid, &status, 0) != worker->pid ||
        !process_judge(worker, status)) {
        return false;
    }
    return worker->faults[FUZZ_DEATH] + worker->faults[FUZZ_WRONG] + worker->faults[FUZZ_OVER] == 0;
}

/* ---- command line ---- */

static int usage(void)
{
    fprintf(stderr,
            "usage: many_%s [--count N] [--first N] [--seed S] [--jobs J] [--seconds T] "
            "[--keep FOLDER] [--seeds FILE_OR_FOLDER]... | FILE...\n",
            fuzz_target.name);
    return 2;
}

/* How many arguments are options; -1: one is not understood. */
static int options_read(int argc, char **argv)
{
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {
        {"--count", &wanted.count}, {"--first", &wanted.first},     {"--seed", &wanted.seed},
        {"--jobs", &wanted.jobs},   {"--seconds", &wanted.seconds},
    };
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        bool known = false;
        if (at + 1 == argc) {
            return -1;
        }
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
            if (strcmp(argv[at], numbers[i].name) == 0) {
                *numbers[i].number = strtoull(argv[at + 1], NULL, 10);
                known = true;
            }
        }
        if (strcmp(argv[at], "--keep") == 0) {
            wanted.keep = argv[at + 1];
        } else if (strcmp(argv[at], "--seeds") == 0 ? !seeds_take(argv[at + 1]) : !known) {
            return -1;
        }
    }
    return at;
}

static bool share(void)
{
    size_t own_bytes = sizeof(struct shared) + wanted.jobs * sizeof(struct worker);
    own_bytes = (own_bytes + 4095) & ~(size_t)4095;
    void *memory = mmap(NULL, own_bytes + wanted.jobs * fuzz_target.max_bytes,
                        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = memory;
    inputs = (uint8_t *)memory + own_bytes;
    return memory != MAP_FAILED;
}

int main(int argc, char **argv)
{
    int files = options_read(argc, argv);
    if (files < 0 || wanted.jobs == 0 || wanted.jobs > 1024) {
        return usage();
    }
    if (!share()) {
        perror(fuzz_target.name);
        return 2;
    }
    bool good = true;
    if (files < argc) {
        for (; files < argc; files++) {
            good = file_try(argv[files]) && good;
        }
        return good ? 0 : 1;
    }
    if (fuzz_target.prepare && !fuzz_target.prepare()) {
        fprintf(stderr, "%s: no seeds\n", fuzz_target.name);
        return 2;
    }
    double begin = seconds_now();
    good = all_run();
    return all_tell(seconds_now() - begin) && good ? 0 : 1;
}
