/* Writes specialisation constants into the SPIR-V module itself, so that all later readers see
 * them: the compiler, and the look-up of earlier builds in the cache. */
#ifndef GEO_NATIVE_SPECIALIZE_H
#define GEO_NATIVE_SPECIALIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Universal limit of the SPIR-V specification. */
#define GEO_SPIRV_MAX_ID_BOUND (UINT32_C(1) << 22)

/* The value of one specialisation constant. */
struct geo_spirv_constant {
    uint32_t id;       /* SpecId */
    const void *value; /* the value, of the constant's own size */
};

/* Sets the defaults of a module's specialisation constants to the given values, in place. `words`
 * is aligned to 4 bytes. The module is not validated yet; an invalid module is left invalid.
 * Returns false when memory runs out. */
bool geo_spirv_specialize(void *words, size_t bytes, const struct geo_spirv_constant *constants,
                          uint32_t constant_count);

#endif
