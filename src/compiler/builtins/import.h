/* Parses calls of imports. The imports*.c files use it. */
#ifndef GEO_COMPILER_BUILTINS_IMPORT_H
#define GEO_COMPILER_BUILTINS_IMPORT_H

#include "compiler/builtins/write.h"

/* A mangled name, parsed as far as built-ins need it. */
struct geo_import {
    char base[64];          /* for example "atomic_min" */
    const char *parameters; /* for example "PU3AS1Vii" */
    bool is_unsigned;       /* the first scalar parameter type is unsigned */
};

/* Parses a name. Returns false if it is neither a C identifier nor a mangled C++ name, or too long
 * for a built-in. */
bool geo_import_parse(const char *name, struct geo_import *import);
/* Returns argument i of the call, or NULL if it has fewer. */
struct geo_ir_value *geo_import_argument(const struct geo_ir_inst *call, uint32_t i);
uint32_t geo_import_argument_count(const struct geo_ir_inst *call);
/* Replaces the call by `value`. Returns false and changes nothing if the types do not fit. */
bool geo_import_replace(struct geo_ir_inst *call, struct geo_ir_value *value);

#endif
