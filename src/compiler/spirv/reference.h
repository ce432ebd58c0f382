/* Ids that are used before they mean something: operands filled in later, labels ahead. */
#ifndef GEO_COMPILER_SPIRV_REFERENCE_H
#define GEO_COMPILER_SPIRV_REFERENCE_H

#include "compiler/spirv/state.h"

/* The block that a label names, made when it is first spoken of. */
struct geo_ir_block *spirv_block(struct spirv_reader *reader, uint32_t id);
/* *slot becomes the value of this id when the list is resolved: at the end of the function
 * (reader->fixups) or, of functions, of the module (reader->calls). */
bool spirv_fixup_add(struct spirv_reader *reader, struct spirv_fixup **list,
                     struct geo_ir_value **slot, uint32_t id);
bool spirv_fixups_resolve(struct spirv_reader *reader, struct spirv_fixup *list);
bool spirv_function_later(struct spirv_reader *reader, struct geo_ir_value **slot, uint32_t id);
bool spirv_functions_resolve(struct spirv_reader *reader);

#endif
