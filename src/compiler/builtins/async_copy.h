/* OpGroupAsyncCopy and OpGroupWaitEvents: a copy that the items of a work-group share, done at
 * once, and a barrier. */
#ifndef GEO_COMPILER_BUILTINS_ASYNC_COPY_H
#define GEO_COMPILER_BUILTINS_ASYNC_COPY_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

/* Replaces the instruction. False: not one of these, malformed, or memory ran out. */
bool geo_builtins_async_copy(struct geo_builtins_functions *functions, struct geo_writer *writer,
                             struct geo_ir_inst *inst);

#endif
