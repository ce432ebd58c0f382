/* What a build depends on, as bytes: two builds with the same key give the same code and log. */
#ifndef GEO_DRIVER_COMPILE_KEY_H
#define GEO_DRIVER_COMPILE_KEY_H

#include "compiler/compiler.h"

#include <stdbool.h>

struct geo_build_key {
    uint8_t *bytes; /* malloc */
    size_t count, capacity;
};

/* For the compiler of this identity. False: something is not known, or there is no memory. Finish
 * it in any case. */
bool geo_build_key_make(const struct geo_compiler_request *request, const char *compiler,
                        struct geo_build_key *key);
void geo_build_key_finish(struct geo_build_key *key);

#endif
