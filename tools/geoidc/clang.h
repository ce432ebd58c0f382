/* OpenCL C for geoidc, by a clang that is found at run time (src/clang). */
#ifndef GEOIDC_CLANG_H
#define GEOIDC_CLANG_H

#include "file.h"
#include "clang/clang.h"

/* Compiles a source. Prints clang's messages and ours to standard error. Returns an exit status of
 * geoidc. */
enum geoidc_exit clang_compile(const struct geo_clang_source *wanted, struct file *spirv);

#endif
