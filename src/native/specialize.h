/* Specialisation constants written into the SPIR-V module itself: all that reads it later finds
 * them, the compiler as well as who asks whether the same was built before. */
#ifndef GEO_NATIVE_SPECIALIZE_H
#define GEO_NATIVE_SPECIALIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The universal limit of the SPIR-V specification. */
#define GEO_SPIRV_MAX_ID_BOUND (UINT32_C(1) << 22)

struct geo_spirv_constant {
    uint32_t id;       /* SpecId */
    const void *value; /* of the constant's own size */
};

/* The specialisation constants of a module (words aligned to 4 bytes) get the given values as
 * defaults, in place. Nobody has looked at it yet: what is no module does not become one. False
 * when memory ran out. */
bool geo_spirv_specialize(void *words, size_t bytes, const struct geo_spirv_constant *constants,
                          uint32_t constant_count);

#endif
