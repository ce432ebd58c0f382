/* The inputs of a build as bytes: builds with the same key give the same code and log. */
#ifndef GEO_DRIVER_COMPILE_KEY_H
#define GEO_DRIVER_COMPILE_KEY_H

#include "compiler/compiler.h"

#include <stdbool.h>

/* A key; geo_build_key_finish frees it. */
struct geo_build_key {
    uint8_t *bytes; /* malloc */
    size_t count, capacity;
};

/* Computes the key of a request to the compiler with this identity. Returns false if an input is
 * unknown or memory is short. Call geo_build_key_finish in any case. */
bool geo_build_key_make(const struct geo_compiler_request *request, const char *compiler,
                        struct geo_build_key *key);
void geo_build_key_finish(struct geo_build_key *key);

#endif
