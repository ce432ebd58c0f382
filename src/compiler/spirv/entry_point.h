/* The SPIR-V reader: entry points and execution modes. */
#ifndef GEO_COMPILER_SPIRV_ENTRY_POINT_H
#define GEO_COMPILER_SPIRV_ENTRY_POINT_H

#include "compiler/spirv/state.h"

/* Collect an OpEntryPoint, and an OpExecutionMode(Id). The functions may not be defined yet. Return
 * false after an error. */
bool spirv_read_entry_point(struct spirv_reader *reader);
bool spirv_read_execution_mode(struct spirv_reader *reader);
/* Applies the collected entry points and modes to their functions, after the last instruction. */
bool spirv_entry_points_finish(struct spirv_reader *reader);

#endif
