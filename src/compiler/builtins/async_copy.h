/* Replaces OpGroupAsyncCopy and OpGroupWaitEvents. The items of a work-group share the copy and do
 * it at once; waiting becomes a barrier. */
#ifndef GEO_COMPILER_BUILTINS_ASYNC_COPY_H
#define GEO_COMPILER_BUILTINS_ASYNC_COPY_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

/* Replaces the instruction. Returns false if it is another instruction, malformed, or if memory
 * runs out. */
bool geo_builtins_async_copy(struct geo_builtins_functions *functions, struct geo_writer *writer,
                             struct geo_ir_inst *inst);

#endif
