/* A call of an import, taken apart: shared by the imports*.c files. */
#ifndef GEO_COMPILER_BUILTINS_IMPORT_H
#define GEO_COMPILER_BUILTINS_IMPORT_H

#include "compiler/builtins/write.h"

/* A mangled name taken apart as far as built-ins need it. */
struct geo_import {
    char base[64];          /* "atomic_min" */
    const char *parameters; /* "PU3AS1Vii" */
    bool is_unsigned;       /* the first scalar type named is unsigned */
};

/* False: neither a C identifier nor a C++ name, or too long for a built-in. */
bool geo_import_parse(const char *name, struct geo_import *import);
/* Argument i of the call; NULL when it has fewer. */
struct geo_ir_value *geo_import_argument(const struct geo_ir_inst *call, uint32_t i);
uint32_t geo_import_argument_count(const struct geo_ir_inst *call);
/* Puts `value` in the place of the call, unless the call's types make it malformed: then nothing
 * has happened. */
bool geo_import_replace(struct geo_ir_inst *call, struct geo_ir_value *value);

#endif
