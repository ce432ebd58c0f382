/* Compiles OpenCL C to SPIR-V by clang. See clang.h. */
#include "clang/clang.h"

#include "clang/convert.h"

#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Versions of clang whose SPIR-V back end is good enough, and those with a translator beside them. */
#define NEWEST        22
#define OLDEST_DIRECT 20
#define OLDEST_PAIR   14

#define ARGUMENTS_MAX 24u
#define FOLDER_BYTES  1024u
#define PATH_BYTES    (FOLDER_BYTES + 16u)
#define FILE_BYTES    ((size_t)512 << 20)

/* A folder for intermediate files, and the programs. */
struct tools {
    char folder[FOLDER_BYTES];
    /* files in it */
    char output[PATH_BYTES], bitcode[PATH_BYTES], messages[PATH_BYTES], convert[PATH_BYTES];
    bool converts;            /* the file `convert` is read before the source */
    char *clang, *translator; /* paths; translator NULL: clang's own back end */
    struct geo_strbuf *log;
    const char *prefix; /* of messages that are not clang's */
};

/* Appends a message of ours to the log. */
__attribute__((format(printf, 2, 3))) static void say(struct tools *tools, const char *format, ...)
{
    va_list args;
    geo_strbuf_printf(tools->log, "%s", tools->prefix);
    va_start(args, format);
    geo_strbuf_vprintf(tools->log, format, args);
    va_end(args);
}

/* ---- programs ---- */

/* Returns the path of a program in PATH, or NULL. */
static char *program_find(const char *name)
{
    const char *path = getenv("PATH");
    char *found = NULL;
    if (strchr(name, '/')) {
        return access(name, X_OK) == 0 ? strdup(name) : NULL;
    }
    for (const char *at = path ? path : "/usr/local/bin:/usr/bin"; *at && !found;) {
        size_t length = strcspn(at, ":");
        struct stat status;
        if (length && asprintf(&found, "%.*s/%s", (int)length, at, name) >= 0 &&
            (access(found, X_OK) != 0 || stat(found, &status) != 0 || !S_ISREG(status.st_mode))) {
            free(found);
            found = NULL;
        }
        at += length + (at[length] == ':');
    }
    return found;
}

static char *versioned_find(const char *name, int version)
{
    char full[64];
    snprintf(full, sizeof(full), "%s-%d", name, version);
    return program_find(full);
}

char *geo_clang_find(const char *name)
{
    char *found = NULL;
    if (name) {
        return program_find(name);
    }
    for (int version = NEWEST; version >= OLDEST_DIRECT && !found; version--) {
        found = versioned_find("clang", version);
    }
    return found ? found : program_find("clang");
}

/* Finds the programs. Sources with lines are translated by llvm-spirv of clang's version. */
static bool tools_find(const struct geo_clang_source *source, struct tools *tools)
{
    if (source->clang) {
        tools->clang = program_find(source->clang);
        if (!tools->clang) {
            say(tools, "%s: %s is not a program that can be run\n", source->option, source->clang);
        }
        return tools->clang != NULL;
    }
    for (int version = NEWEST; version >= OLDEST_PAIR && source->debug && !tools->translator;
         version--) {
        char *clang = versioned_find("clang", version);
        char *translator = clang ? versioned_find("llvm-spirv", version) : NULL;
        tools->clang = translator ? clang : NULL;
        tools->translator = translator;
        free(translator ? NULL : clang);
    }
    if (tools->translator) {
        return true;
    }
    tools->clang = geo_clang_find(NULL);
    if (!tools->clang) {
        say(tools,
            "OpenCL C needs clang %d or later with the target SPIR-V, and none is in PATH. "
            "Debian's and Ubuntu's package is clang-%d; %s names another one. SPIR-V "
            "needs no clang\n",
            OLDEST_DIRECT, NEWEST, source->option);
    } else if (source->debug) {
        say(tools, "note: source lines need llvm-spirv with a clang of its version "
                   "(Debian 12 has packages llvm-spirv-15 and clang-15, Debian 13 llvm-spirv-19 "
                   "and clang-19); the output lacks them\n");
    }
    return tools->clang != NULL;
}

static bool folder_make(struct tools *tools)
{
    const char *parent = getenv("TMPDIR");
    parent = parent && *parent ? parent : "/tmp";
    int length = snprintf(tools->folder, sizeof(tools->folder), "%s/geoid.XXXXXX", parent);
    if (length >= (int)sizeof(tools->folder) || !mkdtemp(tools->folder)) {
        say(tools, "cannot make a folder for intermediate files in %s: %s\n", parent,
            strerror(errno));
        tools->folder[0] = '\0';
        return false;
    }
    snprintf(tools->output, PATH_BYTES, "%s/out.spv", tools->folder);
    snprintf(tools->bitcode, PATH_BYTES, "%s/out.bc", tools->folder);
    snprintf(tools->messages, PATH_BYTES, "%s/log", tools->folder);
    snprintf(tools->convert, PATH_BYTES, "%s/convert.h", tools->folder);
    return true;
}

/* Removes the folder and the files that clang and the translator may have left. */
static void tools_finish(struct tools *tools)
{
    if (tools->folder[0]) {
        unlink(tools->output);
        unlink(tools->bitcode);
        unlink(tools->messages);
        unlink(tools->convert);
        rmdir(tools->folder);
    }
    free(tools->clang);
    free(tools->translator);
    free(tools);
}

/* Reads a file as a whole. *bytes is from malloc, and a zero byte follows. */
static bool file_read(const char *path, uint8_t **bytes, size_t *count)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *bytes = NULL;
    *count = 0;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        (uint64_t)status.st_size <= FILE_BYTES) {
        *bytes = malloc((size_t)status.st_size + 1);
        ssize_t got = 1;
        while (*bytes && got > 0 && *count < (size_t)status.st_size) {
            got = read(fd, *bytes + *count, (size_t)status.st_size - *count);
            *count += got > 0 ? (size_t)got : 0;
        }
        if (*bytes) {
            (*bytes)[*count] = 0;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return *bytes != NULL;
}

/* Waits for a child. Returns its status, or -1 if the status is lost, as it is in programs that
 * ignore SIGCHLD. */
static int child_wait(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return status;
}

/* Runs a program, waits for it, and appends what it prints to the log unless `quiet`. */
static enum geo_clang_result program_run(struct tools *tools, const char *path,
                                         char *const *arguments, bool quiet)
{
    posix_spawn_file_actions_t actions;
    uint8_t *text;
    size_t length;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, tools->messages,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    int failed = posix_spawn(&child, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        say(tools, "cannot run %s: %s\n", path, strerror(failed));
        return GEO_CLANG_MISSING;
    }
    int status = child_wait(child);
    if (!quiet && file_read(tools->messages, &text, &length)) {
        geo_strbuf_add(tools->log, (const char *)text, strlen((const char *)text));
        free(text);
    }
    if (status >= 0 && WIFSIGNALED(status) && !quiet) {
        say(tools, "%s was ended by signal %d\n", path, WTERMSIG(status));
    }
    /* If the status is lost, the output says whether it succeeded. */
    return status < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0) ? GEO_CLANG_OK
                                                                         : GEO_CLANG_FAILED;
}

/* ---- arguments ---- */

bool geo_clang_takes(const char *argument, bool *more)
{
    static const char *const attached[] = {"-D", "-U", "-I", "-W", "-std=", "-cl-std="};
    static const char *const words[] = {
        "-w",
        "-cl-fast-relaxed-math",
        "-cl-finite-math-only",
        "-cl-unsafe-math-optimizations",
        "-cl-mad-enable",
        "-cl-no-signed-zeros",
        "-cl-single-precision-constant",
        "-cl-denorms-are-zero",
        "-cl-fp32-correctly-rounded-divide-sqrt",
        "-cl-uniform-work-group-size",
        "-cl-kernel-arg-info",
    };
    *more = strcmp(argument, "-D") == 0 || strcmp(argument, "-U") == 0 ||
            strcmp(argument, "-I") == 0 || strcmp(argument, "-include") == 0;
    bool takes = *more;
    for (size_t i = 0; i < sizeof(attached) / sizeof(attached[0]) && !takes; i++) {
        takes = strncmp(argument, attached[i], strlen(attached[i])) == 0;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !takes; i++) {
        takes = strcmp(argument, words[i]) == 0;
    }
    return takes;
}

/* Appends words to a list of arguments, which has room for them. */
static void words_add(const char **list, size_t *count, size_t words, const char *const *items)
{
    for (size_t i = 0; i < words; i++) {
        list[(*count)++] = items[i];
    }
}

static bool has_standard(const struct geo_clang_source *source)
{
    for (size_t i = 0; i < source->argument_count; i++) {
        if (strncmp(source->arguments[i], "-cl-std=", 8) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns whether an argument may name a conversion. */
static bool argument_names(const char *argument)
{
    return strstr(argument, "convert_") || strcmp(argument, "-include") == 0;
}

/* Writes the file of replacements for conversions if the source may use some. A source that
 * includes files, or that can be read only once, may use all. Returns false if the file cannot be
 * written. */
static bool convert_write(struct tools *tools, const struct geo_clang_source *source)
{
    struct geo_strbuf out;
    uint8_t *bytes = NULL;
    size_t count;
    const char *program = file_read(source->path, &bytes, &count) ? (const char *)bytes : NULL;
    bool all = !program || strstr(program, "include");
    for (size_t i = 0; i < source->argument_count && !all; i++) {
        all = argument_names(source->arguments[i]);
    }
    tools->converts = all || strstr(program, "convert_");
    bool good = true;
    if (tools->converts) {
        geo_strbuf_init(&out, 0);
        geo_clang_convert(&out, all ? NULL : program);
        good = !out.truncated && geo_output_file(tools->convert, geo_strbuf_text(&out), out.length);
        geo_strbuf_finish(&out);
    }
    if (!good) {
        say(tools, "cannot write %s: %s\n", tools->convert, strerror(errno));
    }
    free(bytes);
    return good;
}

/* Compiles the source to `output`: SPIR-V, or LLVM's bitcode with debug information for the
 * translator. Without -replexitval=never, clang computes the sums of some loops in integers of 33
 * or 65 bits, which SPIR-V lacks. Without -disable-vector-combine, it loads the part of a vector
 * that a shuffle uses, such as 7 of 8 elements for `.even`; SPIR-V has no such vectors. */
static enum geo_clang_result clang_run(struct tools *tools, const struct geo_clang_source *source,
                                       bool optimize, const char *debug, const char *output)
{
    const char **list = calloc(source->argument_count + ARGUMENTS_MAX, sizeof(*list));
    size_t count = 0;
    if (!list) {
        return GEO_CLANG_NO_MEMORY;
    }
    if (tools->translator) {
        words_add(list, &count, 10,
                  (const char *const[]){tools->clang, "-target", "spir64-unknown-unknown", "-x",
                                        "cl", "-Xclang", "-finclude-default-header", "-emit-llvm",
                                        debug, "-Wno-unused-command-line-argument"});
    } else {
        words_add(list, &count, 9,
                  (const char *const[]){tools->clang, "-target", "spirv64", "-x", "cl", "-mllvm",
                                        "-replexitval=never", "-mllvm", "-disable-vector-combine"});
    }
    if (!has_standard(source)) {
        list[count++] = tools->translator ? "-cl-std=CL2.0" : "-cl-std=CL3.0";
    }
    if (tools->converts) {
        words_add(list, &count, 2, (const char *const[]){"-include", tools->convert});
    }
    list[count++] = optimize ? "-O2" : "-O0";
    words_add(list, &count, source->argument_count, source->arguments);
    words_add(list, &count, 4, (const char *const[]){"-c", source->path, "-o", output});
    enum geo_clang_result result =
        program_run(tools, tools->clang, (char *const *)(uintptr_t)list, false);
    free(list);
    return result;
}

/* Compiles to bitcode and translates it. Some debug information of optimised code makes the
 * translator abort. Then the source is compiled again with lines alone. */
static enum geo_clang_result pair_run(struct tools *tools, const struct geo_clang_source *source)
{
    static const char *const debug[] = {"-g", "-gline-tables-only"};
    enum geo_clang_result result = GEO_CLANG_FAILED;
    char *const arguments[] = {tools->translator, (char *)(uintptr_t)"--spirv-max-version=1.2",
                               tools->bitcode,    (char *)(uintptr_t)"-o",
                               tools->output,     NULL};
    for (size_t i = 0; i < sizeof(debug) / sizeof(debug[0]) && result != GEO_CLANG_OK; i++) {
        result = clang_run(tools, source, source->optimize, debug[i], tools->bitcode);
        if (result != GEO_CLANG_OK) {
            return result; /* clang has said why */
        }
        result = program_run(tools, tools->translator, arguments, i == 0);
    }
    return result;
}

/* Compiles by clang's own back end. If the back end cannot write what the optimiser made, such as
 * integers of odd widths, the source is compiled again without optimisation. */
static enum geo_clang_result direct_run(struct tools *tools, const struct geo_clang_source *source)
{
    size_t before = tools->log->length;
    enum geo_clang_result result = clang_run(tools, source, source->optimize, NULL, tools->output);
    if (result == GEO_CLANG_FAILED && source->optimize &&
        strstr(geo_strbuf_text(tools->log) + before, "error in backend")) {
        tools->log->length = before;
        tools->log->text[before] = '\0';
        result = clang_run(tools, source, false, NULL, tools->output);
    }
    return result;
}

enum geo_clang_result geo_clang_compile(const struct geo_clang_source *source,
                                        struct geo_strbuf *log, uint8_t **spirv, size_t *count)
{
    struct tools *tools = calloc(1, sizeof(*tools));
    enum geo_clang_result result = GEO_CLANG_MISSING;
    *spirv = NULL;
    *count = 0;
    if (!tools) {
        return GEO_CLANG_NO_MEMORY;
    }
    tools->log = log;
    tools->prefix = source->prefix;
    if (tools_find(source, tools)) {
        result = folder_make(tools) ? GEO_CLANG_OK : GEO_CLANG_FILE;
    }
    if (result == GEO_CLANG_OK && !tools->translator) {
        result = convert_write(tools, source) ? GEO_CLANG_OK : GEO_CLANG_FILE;
    }
    if (result == GEO_CLANG_OK) {
        result = tools->translator ? pair_run(tools, source) : direct_run(tools, source);
    }
    if (result == GEO_CLANG_OK && !file_read(tools->output, spirv, count)) {
        say(tools, "cannot read what clang wrote: %s\n", strerror(errno));
        result = GEO_CLANG_FILE;
    }
    tools_finish(tools);
    return result;
}
