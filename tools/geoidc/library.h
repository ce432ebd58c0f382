/* Opens the compiler's library. */
#ifndef GEOIDC_LIBRARY_H
#define GEOIDC_LIBRARY_H

#include "geoidc.h"

#include "compiler/compiler.h"

/* Returns the compiler's functions. The library is GEOID_COMPILER, or the one that is installed
 * with this program. Reports an error and returns NULL if it cannot be used. */
const struct geo_compiler_ops *library_open(void);

#endif
