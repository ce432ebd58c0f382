/* Compiles OpenCL C to SPIR-V by programs that are found at run time:
 *
 *     clang-N                     its SPIR-V back end, which writes no source lines
 *     clang-N and llvm-spirv-N    for source lines and variables (-g) */
#ifndef GEOIDC_CLANG_H
#define GEOIDC_CLANG_H

#include "file.h"

/* A source to compile. */
struct clang_source {
    const char *path;  /* "-": standard input */
    const char *clang; /* program to use; NULL: found in PATH */
    bool debug;        /* source lines and variables are wanted */
    bool optimize;
    const char *const *arguments; /* further arguments, such as -D and -I */
    size_t argument_count;
};

/* Returns whether clang takes an argument of build options: a preprocessor option or a language
 * option. *more: the value is the next word. */
bool clang_takes(const char *argument, bool *more);

/* Compiles a source. clang prints its own messages to standard error. Returns an exit status of
 * geoidc. */
enum geoidc_exit clang_compile(const struct clang_source *source, struct file *spirv);

#endif
