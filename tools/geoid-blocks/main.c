/* geoid-blocks PROGRAM: runs a program that uses Level Zero and counts the basic blocks of its
 * kernels. This file only sets the environment; the layer does the work (layer.c). */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAYER "geoid/libgeoid_blocks_layer.so"

static const char usage[] =
    "usage: geoid-blocks [-o FILE] PROGRAM [ARGUMENT...]\n"
    "Runs PROGRAM and counts how often each basic block of its kernels runs. A block runs once "
    "for\n"
    "all work-items in the lanes of a vector. Prints a table to standard error when the program\n"
    "ends, with source lines if its modules have debug information.\n"
    "\n"
    "  -o FILE   append the table to FILE\n"
    "  --version print the version\n"
    "  --help    print this help\n"
    "\n"
    "Exit status: that of PROGRAM, 126 if the layer is missing, 127 if PROGRAM cannot run, and 2 "
    "for\n"
    "wrong usage.\n";

static int wrong(const char *what, const char *value)
{
    fprintf(stderr, "geoid-blocks: %s%s\n%s", what, value, usage);
    return 2;
}

/* Finds the layer relative to this program. */
static bool layer_path(char path[PATH_MAX])
{
    static const char *const folders[] = {GEOID_LIBRARY_FOLDERS};
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length <= 0) {
        return false;
    }
    self[length] = '\0';
    for (int i = 0; i < 2; i++) { /* the name, and the folder's */
        char *slash = strrchr(self, '/');
        if (!slash) {
            return false;
        }
        *slash = '\0';
    }
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const int written = snprintf(path, PATH_MAX, "%s/%s/" LAYER, self, folders[i]);
        if (written > 0 && written < PATH_MAX && access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* Puts the layer below those that the environment has. */
static bool layer_add(const char *path)
{
    const char *before = getenv("GEOID_LAYERS");
    char *both = NULL;
    if (strchr(path, ',') ||
        asprintf(&both, "%s%s%s", before ? before : "", before && *before ? "," : "", path) < 0) {
        return false;
    }
    const bool added = setenv("GEOID_LAYERS", both, 1) == 0;
    free(both);
    return added;
}

int main(int argc, char **argv)
{
    char path[PATH_MAX];
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--version") == 0) {
            puts("geoid-blocks (Geoid) " GEOID_VERSION);
            return 0;
        }
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (strcmp(argv[i], "-o") != 0) {
            return wrong("unknown option ", argv[i]);
        }
        if (++i == argc) {
            return wrong("a value is missing after ", "-o");
        }
        setenv("GEOID_BLOCKS_OUTPUT", argv[i], 1);
    }
    if (i >= argc) {
        return wrong("no program is given", "");
    }
    if (!layer_path(path) || !layer_add(path)) {
        fputs("geoid-blocks: the layer " LAYER " is missing, or its path has a comma\n", stderr);
        return 126;
    }
    setenv("ZET_ENABLE_PROGRAM_INSTRUMENTATION", "1", 1);
    execvp(argv[i], argv + i);
    fprintf(stderr, "geoid-blocks: %s cannot run: %s\n", argv[i], strerror(errno));
    return 127;
}
