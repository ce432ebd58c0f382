/* The SPIR-V reader: ids that are used before their definition, as operands or as labels. */
#ifndef GEO_COMPILER_SPIRV_REFERENCE_H
#define GEO_COMPILER_SPIRV_REFERENCE_H

#include "compiler/spirv/state.h"

/* Returns the block of a label. It is created at its first use, which may precede its OpLabel. */
struct geo_ir_block *spirv_block(struct spirv_reader *reader, uint32_t id);
/* Records that *slot becomes the value of an id when the list is resolved. The list reader->fixups
 * is resolved at the end of each function. The list reader->calls has references to functions and
 * is resolved at the end of the module. */
bool spirv_fixup_add(struct spirv_reader *reader, struct spirv_fixup **list,
                     struct geo_ir_value **slot, uint32_t id);
/* Sets the slots of a list. Returns false after an error: an id without a value. */
bool spirv_fixups_resolve(struct spirv_reader *reader, struct spirv_fixup *list);
/* Adds a reference to a function to reader->calls. Returns false when memory runs out. */
bool spirv_function_later(struct spirv_reader *reader, struct geo_ir_value **slot, uint32_t id);
/* Resolves reader->calls, at the end of the module. Returns false after an error. */
bool spirv_functions_resolve(struct spirv_reader *reader);

#endif
