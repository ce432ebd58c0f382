/* Replaces imports that name a group function of OpenCL C, or a group instruction
 * (__spirv_Group...). */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_GROUP_H
#define GEO_COMPILER_BUILTINS_IMPORTS_GROUP_H

#include "compiler/builtins/import.h"

/* Replaces the call by the instruction. Returns false if the name is unknown or the types do not
 * fit. */
bool geo_builtins_imports_group(struct geo_writer *writer, struct geo_ir_inst *call,
                                const struct geo_import *import);

#endif
