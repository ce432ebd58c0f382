/* Reads lines and the debug instruction sets OpenCL.DebugInfo.100, NonSemantic.Shader.DebugInfo.100
 * and .200 into the model's debug information (ir/debug.h).
 *
 * Broken debug information never fails a build: the instruction is dropped, and the log has a line
 * about the first one. Only result ids that are out of bounds or used twice are errors, as for any
 * instruction. */
#ifndef GEO_COMPILER_SPIRV_DEBUG_H
#define GEO_COMPILER_SPIRV_DEBUG_H

#include "compiler/spirv/id.h"

/* Recognises a debug instruction set by its name, and marks its id. Sets of other names and
 * versions, such as the older SPIRV.debug, are ignored. */
bool spirv_debug_import(struct spirv_id *entry, const char *name);
/* Reads an instruction of a debug set. Returns false for errors that are not about debug
 * information. */
bool spirv_debug_instruction(struct spirv_reader *reader, const struct spirv_id *set);
/* Reads the contents of the debug instructions in front of the first function. */
void spirv_debug_fill(struct spirv_reader *reader);
/* OpLine; false: an error. `spirv_debug_no_line` ends it. */
bool spirv_debug_line(struct spirv_reader *reader);
void spirv_debug_no_line(struct spirv_reader *reader);
/* A function begins, a block ends. */
void spirv_debug_function(struct spirv_reader *reader, uint32_t id);
void spirv_debug_block_end(struct spirv_reader *reader);
/* Returns the number of the current location; 0: unknown. */
uint32_t spirv_debug_location(struct spirv_reader *reader);
/* Frees what reading debug information needed. */
void spirv_debug_finish(struct spirv_reader *reader);

#endif
