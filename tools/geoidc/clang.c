/* Compiles OpenCL C to SPIR-V by clang. See clang.h. */
#include "clang.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
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

/* A folder for intermediate files, and the programs. */
struct tools {
    char folder[4096];
    char *clang, *translator; /* paths; translator NULL: clang's own back end */
};

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

/* Finds the programs. Sources with lines are translated by llvm-spirv of clang's version. */
static bool tools_find(const struct clang_source *source, struct tools *tools)
{
    if (source->clang) {
        tools->clang = program_find(source->clang);
        if (!tools->clang) {
            geoidc_error("--clang: %s is not a program that can be run", source->clang);
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
    for (int version = NEWEST; version >= OLDEST_DIRECT && !tools->clang; version--) {
        tools->clang = versioned_find("clang", version);
    }
    tools->clang = tools->clang ? tools->clang : program_find("clang");
    if (!tools->clang) {
        geoidc_error(
            "OpenCL C needs clang %d or later with the target SPIR-V, and none is in PATH. "
            "Debian's and Ubuntu's package is clang-%d; --clang names another one. SPIR-V "
            "needs no clang",
            OLDEST_DIRECT, NEWEST);
    } else if (source->debug) {
        geoidc_error("note: source lines need llvm-spirv with a clang of its version (packages "
                     "llvm-spirv-15 and clang-15); the output lacks them");
    }
    return tools->clang != NULL;
}

static bool folder_make(struct tools *tools)
{
    const char *parent = getenv("TMPDIR");
    int length = snprintf(tools->folder, sizeof(tools->folder), "%s/geoidc.XXXXXX",
                          parent && *parent ? parent : "/tmp");
    if (length >= (int)sizeof(tools->folder) || !mkdtemp(tools->folder)) {
        geoidc_error("cannot make a folder for intermediate files in %s: %s",
                     parent && *parent ? parent : "/tmp", strerror(errno));
        tools->folder[0] = '\0';
        return false;
    }
    return true;
}

/* Removes the folder and the files that clang and the translator may have left. */
static void tools_finish(struct tools *tools)
{
    static const char *const names[] = {"out.spv", "out.bc"};
    char path[4200];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && tools->folder[0]; i++) {
        snprintf(path, sizeof(path), "%s/%s", tools->folder, names[i]);
        unlink(path);
    }
    if (tools->folder[0]) {
        rmdir(tools->folder);
    }
    free(tools->clang);
    free(tools->translator);
}

/* Runs a program and waits for it. `quiet`: what it prints is lost. */
static enum geoidc_exit program_run(const char *path, char *const *arguments, bool quiet)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    if (quiet) {
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    int failed = posix_spawn(&child, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        geoidc_error("cannot run %s: %s", path, strerror(failed));
        return GEOIDC_MISSING;
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            geoidc_error("cannot wait for %s: %s", path, strerror(errno));
            return GEOIDC_FAILED;
        }
    }
    if (WIFSIGNALED(status) && !quiet) {
        geoidc_error("%s was ended by signal %d", path, WTERMSIG(status));
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? GEOIDC_OK : GEOIDC_FAILED;
}

/* ---- arguments ---- */

bool clang_takes(const char *argument, bool *more)
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

static bool has_standard(const struct clang_source *source)
{
    for (size_t i = 0; i < source->argument_count; i++) {
        if (strncmp(source->arguments[i], "-cl-std=", 8) == 0) {
            return true;
        }
    }
    return false;
}

/* Compiles the source to `output`: SPIR-V, or LLVM's bitcode with debug information for the
 * translator. */
static enum geoidc_exit clang_run(const struct tools *tools, const struct clang_source *source,
                                  const char *debug, const char *output)
{
    const char **list = calloc(source->argument_count + ARGUMENTS_MAX, sizeof(*list));
    size_t count = 0;
    if (!list) {
        return GEOIDC_MEMORY;
    }
    if (tools->translator) {
        words_add(list, &count, 10,
                  (const char *const[]){tools->clang, "-target", "spir64-unknown-unknown", "-x",
                                        "cl", "-Xclang", "-finclude-default-header", "-emit-llvm",
                                        debug, "-Wno-unused-command-line-argument"});
    } else {
        words_add(list, &count, 5,
                  (const char *const[]){tools->clang, "-target", "spirv64", "-x", "cl"});
    }
    if (!has_standard(source)) {
        list[count++] = tools->translator ? "-cl-std=CL2.0" : "-cl-std=CL3.0";
    }
    list[count++] = source->optimize ? "-O2" : "-O0";
    words_add(list, &count, source->argument_count, source->arguments);
    words_add(list, &count, 4, (const char *const[]){"-c", source->path, "-o", output});
    enum geoidc_exit status = program_run(tools->clang, (char *const *)(uintptr_t)list, false);
    free(list);
    return status;
}

/* Compiles to bitcode and translates it. Some debug information of optimised code makes the
 * translator abort. Then the source is compiled again with lines alone. */
static enum geoidc_exit pair_run(const struct tools *tools, const struct clang_source *source,
                                 const char *output)
{
    static const char *const debug[] = {"-g", "-gline-tables-only"};
    enum geoidc_exit status = GEOIDC_FAILED;
    char bitcode[4200];
    snprintf(bitcode, sizeof(bitcode), "%s/out.bc", tools->folder);
    char *const arguments[] = {tools->translator,
                               (char *)(uintptr_t)"--spirv-max-version=1.2",
                               bitcode,
                               (char *)(uintptr_t)"-o",
                               (char *)(uintptr_t)output,
                               NULL};
    for (size_t i = 0; i < sizeof(debug) / sizeof(debug[0]) && status != GEOIDC_OK; i++) {
        status = clang_run(tools, source, debug[i], bitcode);
        if (status != GEOIDC_OK) {
            return status; /* clang has said why */
        }
        status = program_run(tools->translator, arguments, i == 0);
    }
    return status;
}

enum geoidc_exit clang_compile(const struct clang_source *source, struct file *spirv)
{
    struct tools tools = {0};
    char output[4200];
    enum geoidc_exit status = GEOIDC_MISSING;
    if (tools_find(source, &tools)) {
        status = folder_make(&tools) ? GEOIDC_OK : GEOIDC_FILE;
    }
    snprintf(output, sizeof(output), "%s/out.spv", tools.folder);
    if (status == GEOIDC_OK) {
        status = tools.translator ? pair_run(&tools, source, output)
                                  : clang_run(&tools, source, NULL, output);
    }
    if (status == GEOIDC_OK && !file_read(output, spirv)) {
        status = GEOIDC_FILE;
    }
    tools_finish(&tools);
    return status;
}
