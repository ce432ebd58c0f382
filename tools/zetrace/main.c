/* zetrace PROGRAM: runs a program that uses Level Zero, and records its calls and what devices did.
 * The collector is preloaded into the program and writes records to a folder beside the trace. When
 * the program has ended, in whatever way, the records become the trace. */
#include "groups.h"
#include "make.h"
#include "tools/zetrace/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COLLECTOR "geoid/libzetrace_collector.so"

static const char usage[] =
    "usage: zetrace [-o FILE] [--quiet] [--limit SIZE] [--metrics GROUP] PROGRAM...\n"
    "       zetrace [-o FILE] [--quiet] --from FOLDER\n"
    "       zetrace --list-metrics\n"
    "Runs PROGRAM and records its Level Zero calls and what devices did. Writes a trace for\n"
    "Chrome or Perfetto, and prints a table to standard error.\n"
    "\n"
    "  -o FILE        write the trace to FILE; default zetrace.json\n"
    "  --quiet        print no table\n"
    "  --limit SIZE   stop recording after SIZE bytes (100K, 100M, 10G). The program goes on.\n"
    "                 The trace is about three times as large\n"
    "  --metrics GROUP\n"
    "                 measure a group of metrics for each kernel, in the trace and the table\n"
    "  --metrics-interval TIME\n"
    "                 measure them over time instead, once in TIME (100us, 1ms, 1s)\n"
    "  --roofline FILE.svg\n"
    "                 run PROGRAM twice, and draw operations and bytes of its kernels below the\n"
    "                 limits of the processors\n"
    "  --list-metrics list the groups of metrics of the devices\n"
    "  --from FOLDER  make the trace from the records that an earlier zetrace left in FOLDER\n"
    "  --version      print the version\n"
    "  --help         print this help\n"
    "\n"
    "Exit status: that of PROGRAM, 128 plus the signal that killed it, 127 if it cannot run, 1 if\n"
    "the trace cannot be written, and 2 for wrong usage.\n";

struct options {
    const char *output;
    const char *from;
    const char *metrics;  /* group; NULL: none */
    uint64_t interval_ns; /* between samples; 0: kernels are measured */
    const char *roofline; /* file; NULL: no picture */
    char **program;       /* NULL with `from` */
    bool quiet;
    uint64_t limit; /* bytes */
};

static volatile sig_atomic_t child; /* the program while it runs, else 0 */

/* --- the command line --- */

/* Reads a size such as "64M". Returns false for any other text. */
static bool size_read(const char *text, uint64_t *size)
{
    static const char units[] = "KMG";
    char *end = NULL;
    if (*text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    *size = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (errno != 0 || *size > UINT64_MAX >> shift) {
        return false;
    }
    *size <<= shift;
    return unit ? end[1] == '\0' : *end == '\0';
}

/* Reads a time such as "10us". Returns false for any other text, and for times that no sampling has
 * room for. */
static bool time_read(const char *text, uint64_t *ns)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    char *end = NULL;
    if (*text < '0' || *text > '9') {
        return false;
    }
    const uint64_t number = strtoull(text, &end, 10);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].unit) == 0 && number > 0 && number <= UINT32_MAX / units[i].ns) {
            *ns = number * units[i].ns;
            return true;
        }
    }
    return false;
}

static bool wrong(const char *what, const char *value)
{
    fprintf(stderr, "zetrace: %s%s\n%s", what, value, usage);
    return false;
}

/* Takes one option that has a value; false if the value is wrong. */
static bool value_take(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "-o") == 0) {
        options->output = value;
    } else if (strcmp(name, "--from") == 0) {
        options->from = value;
    } else if (strcmp(name, "--metrics") == 0) {
        options->metrics = value;
    } else if (strcmp(name, "--roofline") == 0) {
        options->roofline = value;
    } else if (strcmp(name, "--metrics-interval") == 0) {
        return time_read(value, &options->interval_ns) ||
               wrong("--metrics-interval must be a time such as 100us, 1ms or 1s, at most 4s, not ",
                     value);
    } else if (!size_read(value, &options->limit)) {
        return wrong("--limit must be a number of bytes such as 500000, 100K, 100M or 10G, not ",
                     value);
    }
    return true;
}

static bool has_value(const char *name)
{
    static const char *const names[] = {
        "-o", "--from", "--limit", "--metrics", "--metrics-interval", "--roofline"};
    size_t i = 0;
    while (i < sizeof(names) / sizeof(names[0]) && strcmp(name, names[i]) != 0) {
        i++;
    }
    return i < sizeof(names) / sizeof(names[0]);
}

static bool options_read(struct options *options, int argc, char **argv)
{
    int i = 1;
    *options = (struct options){.output = "zetrace.json", .limit = UINT64_MAX};
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (has_value(argv[i])) {
            if (i + 1 == argc) {
                return wrong("a value is missing after ", argv[i]);
            }
            if (!value_take(options, argv[i], argv[i + 1])) {
                return false;
            }
            i++;
        } else if (strcmp(argv[i], "--quiet") == 0) {
            options->quiet = true;
        } else if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        } else {
            return wrong("unknown option ", argv[i]);
        }
    }
    options->program = argv + i;
    if (options->interval_ns && !options->metrics) {
        return wrong("--metrics-interval needs --metrics GROUP", "");
    }
    if (options->roofline && (options->metrics || options->from)) {
        return wrong("--roofline goes neither with --metrics nor with --from", "");
    }
    if (options->from && options->metrics) {
        return wrong("--from does not measure: unexpected option --metrics", "");
    }
    if (options->from && i < argc) {
        return wrong("--from does not run a program: unexpected argument ", argv[i]);
    }
    return options->from || i < argc || wrong("no program is given", "");
}

/* --- the program --- */

/* Finds the collector, in the folder of libraries that this program was installed with. */
static bool collector_path(char *path, size_t size)
{
    static const char *const folders[] = {GEOID_LIBRARY_FOLDERS};
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length <= 0) {
        return false;
    }
    for (int cut = 0; cut < 2; cut++) { /* the name, and the folder's */
        self[cut == 0 ? length : (ssize_t)strlen(self)] = '\0';
        char *slash = strrchr(self, '/');
        if (!slash) {
            return false;
        }
        *slash = '\0';
    }
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const int written = snprintf(path, size, "%s/%s/" COLLECTOR, self, folders[i]);
        if (written > 0 && (size_t)written < size && access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* Puts a path before those that a variable has. */
static void path_prepend(const char *variable, const char *path)
{
    const char *before = getenv(variable);
    char *both = NULL;
    if (asprintf(&both, "%s%s%s", path, before && *before ? ":" : "", before ? before : "") > 0) {
        setenv(variable, both, 1);
    }
    free(both);
}

/* LD_PRELOAD is divided at blanks, too: a path with one is given as name and folder. */
static void environment_set(const struct options *options, char *collector, const char *folder)
{
    char *slash = strrchr(collector, '/'), interval[24];
    if (strpbrk(collector, " \t\n")) {
        *slash = '\0';
        path_prepend("LD_LIBRARY_PATH", collector);
        collector = slash + 1;
    }
    path_prepend("LD_PRELOAD", collector);
    setenv("ZE_ENABLE_TRACING_LAYER", "1", 1);
    setenv(ZETRACE_SPOOL, folder, 1);
    unsetenv(ZETRACE_METRICS);
    unsetenv(ZETRACE_INTERVAL);
    if (options->metrics) {
        setenv(ZETRACE_METRICS, options->metrics, 1);
        setenv("ZET_ENABLE_METRICS", "1", 1);
    }
    if (options->interval_ns) {
        snprintf(interval, sizeof(interval), "%llu", (unsigned long long)options->interval_ns);
        setenv(ZETRACE_INTERVAL, interval, 1);
    }
}

static void signal_pass_on(int number)
{
    if (child > 0) {
        kill((pid_t)child, number);
    }
}

/* Signals of writing that fails, whose handling the program inherits from zetrace's caller. Zetrace
 * ignores them: it has a folder to remove, or to name, when its output cannot be written. */
static const int of_writes[] = {SIGPIPE, SIGXFSZ};
static struct sigaction of_writes_before[sizeof(of_writes) / sizeof(of_writes[0])];

static void signals_ignore(void)
{
    for (size_t i = 0; i < sizeof(of_writes) / sizeof(of_writes[0]); i++) {
        sigaction(of_writes[i], &(struct sigaction){.sa_handler = SIG_IGN}, &of_writes_before[i]);
    }
}

static void signals_restore(void)
{
    for (size_t i = 0; i < sizeof(of_writes) / sizeof(of_writes[0]); i++) {
        sigaction(of_writes[i], &of_writes_before[i], NULL);
    }
}

/* Its exit status, 128 and the signal that killed it, or 127. The terminal's signals reach it by
 * themselves, others are passed on: this program stays to write the trace. */
static int program_run(const struct options *options, char *collector, const char *folder)
{
    char **program = options->program;
    static const int others[] = {SIGTERM, SIGHUP};
    int status = 0;
    child = fork();
    if (child == 0) {
        environment_set(options, collector, folder);
        signals_restore();
        execvp(program[0], program);
        fprintf(stderr, "zetrace: cannot run %s: %s\n", program[0], strerror(errno));
        _exit(127);
    }
    if (child < 0) {
        fprintf(stderr, "zetrace: cannot start a process for %s: %s\n", program[0],
                strerror(errno));
        return 127;
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        sigaction(others[i],
                  &(struct sigaction){.sa_handler = signal_pass_on, .sa_flags = SA_RESTART}, NULL);
    }
    while (waitpid((pid_t)child, &status, 0) < 0 && errno == EINTR) {
    }
    child = 0; /* its number may be another process's from now on */
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- the folder --- */

static void folder_remove(const char *folder)
{
    DIR *list = opendir(folder);
    for (const struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
        if (entry->d_name[0] != '.' || strcmp(entry->d_name, ZETRACE_ROOM) == 0) {
            unlinkat(dirfd(list), entry->d_name, 0);
        }
    }
    if (list) {
        closedir(list);
    }
    rmdir(folder);
}

/* How much may be recorded, for the processes to share. */
static bool room_make(const char *folder, uint64_t limit)
{
    const struct zetrace_room room = {.left = limit, .limit = limit};
    char path[PATH_MAX + 16];
    snprintf(path, sizeof(path), "%s/%s", folder, ZETRACE_ROOM);
    FILE *file = fopen(path, "wxe");
    bool good = file && fwrite(&room, sizeof(room), 1, file) == 1;
    good = file && fclose(file) == 0 && good;
    if (!good) {
        fprintf(stderr, "zetrace: cannot write %s: %s\n", path, strerror(errno));
    }
    return good;
}

/* Makes the folder: beside the trace, where there is room for it, or among temporary files when the
 * trace is to be written into a device or a pipe. */
static bool folder_make(const char *output, char *folder, size_t size)
{
    const char *temporary = getenv("TMPDIR");
    struct stat status;
    const bool beside = stat(output, &status) != 0 || S_ISREG(status.st_mode);
    const int length = beside ? snprintf(folder, size, "%s.XXXXXX", output)
                              : snprintf(folder, size, "%s/zetrace.XXXXXX",
                                         temporary && *temporary ? temporary : "/tmp");
    errno = ENAMETOOLONG;
    return length >= 0 && (size_t)length < size && mkdtemp(folder);
}

/* Runs the program and makes the trace. Returns its exit status, or 1. */
static int program_trace(const struct options *options, char *collector, struct roofline *times,
                         struct roofline *operations)
{
    char folder[PATH_MAX], absolute[PATH_MAX];
    if (!folder_make(options->output, folder, sizeof(folder)) || !realpath(folder, absolute)) {
        fprintf(stderr, "zetrace: cannot create the folder %s for records: %s\n", folder,
                strerror(errno));
        return 1;
    }
    if (!room_make(absolute, options->limit)) {
        folder_remove(absolute);
        return 1;
    }
    const int status = program_run(options, collector, absolute);
    const bool good = trace_make(absolute, options->output, !options->quiet, times, operations);
    if (good) {
        folder_remove(absolute);
    } else {
        fprintf(stderr,
                "zetrace: the records stay in %s\n"
                "zetrace: `zetrace -o FILE --from %s` makes a trace from them\n",
                absolute, absolute);
    }
    return good || status ? status : 1;
}

/* Runs the program twice, because code that counts its operations is slower. The first run gives
 * the trace and the times, the second one the operations. */
static int roofline_run(const struct options *options, const char *collector)
{
    struct options counted = *options;
    struct roofline *roofline = roofline_create();
    struct peaks peaks;
    char path[PATH_MAX + 64];
    counted.metrics = ROOFLINE_METRICS;
    counted.output = "/dev/null";
    counted.quiet = true;
    strcpy(path, collector); /* a run may change it */
    int status = roofline ? program_trace(options, path, roofline, NULL) : 1;
    if (status == 0) {
        strcpy(path, collector);
        status = program_trace(&counted, path, NULL, roofline);
    }
    if (status == 0 && !peaks_measure(&peaks)) {
        fprintf(stderr, "zetrace: no picture: the limits of the processors were not measured\n");
        status = 1;
    } else if (status == 0 && !roofline_write(roofline, &peaks, options->roofline,
                                              options->quiet ? NULL : stderr)) {
        status = 1;
    }
    roofline_destroy(roofline);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    char collector[PATH_MAX + 64];
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    signals_ignore();
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("zetrace (Geoid) " GEOID_VERSION);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--list-metrics") == 0) {
        return groups_list(stdout) ? 0 : 1;
    }
    if (!options_read(&options, argc, argv)) {
        return 2;
    }
    if (options.from) {
        return trace_make(options.from, options.output, !options.quiet, NULL, NULL) ? 0 : 1;
    }
    if (!collector_path(collector, sizeof(collector))) {
        fprintf(stderr,
                "zetrace: the library %s is missing: zetrace must stay in its folder beside the "
                "libraries of Geoid\n",
                collector);
        return 1;
    }
    const char *group = options.roofline ? ROOFLINE_METRICS : options.metrics;
    if (group && !groups_have(group, options.interval_ns != 0)) {
        return 2;
    }
    return options.roofline ? roofline_run(&options, collector)
                            : program_trace(&options, collector, NULL, NULL);
}
