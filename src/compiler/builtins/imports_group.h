/* Imports that name a group function of OpenCL C or, as __spirv_Group..., a group instruction. */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_GROUP_H
#define GEO_COMPILER_BUILTINS_IMPORTS_GROUP_H

#include "compiler/builtins/import.h"

/* Replaces the call by the instruction. False: not such a name, or not with these types. */
bool geo_builtins_group(struct geo_writer *writer, struct geo_ir_inst *call,
                        const struct geo_import *import);

#endif
