/* Looks into SPIR-V modules, which are untrusted. */
#ifndef GEOIDC_SPIRV_H
#define GEOIDC_SPIRV_H

#include "geoidc.h"

/* Returns whether a file begins as SPIR-V, in either byte order. */
bool spirv_is(const void *bytes, size_t count);

/* The type of a specialisation constant. */
enum spirv_kind {
    SPIRV_BOOL,
    SPIRV_INT,
    SPIRV_FLOAT,
};

/* A specialisation constant. */
struct spirv_constant {
    uint32_t id; /* SpecId */
    enum spirv_kind kind;
    uint32_t width; /* bits; 8 for SPIRV_BOOL */
};

/* Lists the specialisation constants of a module, in the order of their declarations. Returns their
 * number; *out is from malloc. Stops at the first malformed instruction. */
size_t spirv_constants(const void *bytes, size_t count, struct spirv_constant **out);

/* Converts a value of the command line to the bytes of a constant. Returns NULL, or the reason why
 * it is not a value of that type. */
const char *spirv_value(const struct spirv_constant *constant, const char *text, uint64_t *out);

#endif
