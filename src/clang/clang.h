/* Compiles OpenCL C to SPIR-V by programs that are found at run time:
 *
 *     clang-N                     its SPIR-V back end, which writes no source lines
 *     clang-N and llvm-spirv-N    for source lines and variables
 *
 * The offline compiler and the OpenCL driver use it. It links nothing of LLVM. */
#ifndef GEO_CLANG_CLANG_H
#define GEO_CLANG_CLANG_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum geo_clang_result {
    GEO_CLANG_OK,
    GEO_CLANG_FAILED,    /* the source does not compile */
    GEO_CLANG_MISSING,   /* no program was found that can do it */
    GEO_CLANG_FILE,      /* an intermediate file cannot be written or read */
    GEO_CLANG_NO_MEMORY, /* memory ran out */
};

/* A source to compile. */
struct geo_clang_source {
    const char *path;   /* a file; "-": standard input */
    const char *clang;  /* program to use; NULL: found in PATH */
    const char *option; /* how the user names another clang: --clang or GEOID_CLANG */
    const char *prefix; /* of messages in the log that are not clang's */
    bool debug;         /* source lines and variables are wanted */
    bool optimize;
    const char *const *arguments; /* further arguments, such as -D and -I */
    size_t argument_count;
};

/* Returns whether clang takes an argument of build options: a preprocessor option or a language
 * option. *more: the value is the next word. */
bool geo_clang_takes(const char *argument, bool *more);

/* Finds the clang that a source is compiled with. Returns its path, which the caller frees, or
 * NULL. */
char *geo_clang_find(const char *name);

/* Compiles a source. `log` gets clang's messages and ours, also when it succeeds. On success
 * *spirv is from malloc. */
enum geo_clang_result geo_clang_compile(const struct geo_clang_source *source,
                                        struct geo_strbuf *log, uint8_t **spirv, size_t *count);

#endif
