/* Copying a function's body into a caller, in place of one call. */
#ifndef GEO_COMPILER_TRANSFORM_CLONE_H
#define GEO_COMPILER_TRANSFORM_CLONE_H

#include "compiler/transform/internal.h"

/* Replaces the call (a direct one) by the callee's body. The callee is not changed. Uses of the
 * call's result are forwarded: geo_ir_function_resolve on the caller is due after the last inlined
 * call. Calls that follow in the same block must have been dealt with before: what follows the call
 * moves to another block.
 *
 * ends: by index of the caller's blocks as they were numbered before; where the end of a block is
 * in another one now. geo_phis_follow is due, too. */
bool geo_inline_call(struct geo_pass *pass, struct geo_ir_inst *call, struct geo_ir_block **ends);

#endif
