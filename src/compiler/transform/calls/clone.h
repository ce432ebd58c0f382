/* Copies a function's body into a caller, in place of one call. */
#ifndef GEO_COMPILER_TRANSFORM_CALLS_CLONE_H
#define GEO_COMPILER_TRANSFORM_CALLS_CLONE_H

#include "compiler/transform/pass/pass.h"

/* Replaces a direct call by the callee's body; the callee is unchanged. Uses of the result are
 * forwarded: call geo_ir_function_resolve for the caller after the last inlined call. Inline the
 * calls of a block from last to first, since everything behind a call moves to another block.
 *
 * `ends`: by index of the caller's blocks as numbered before; receives the block that now has the
 * end of a block. Call geo_phis_follow with it afterwards. */
bool geo_transform_inline_call(struct geo_pass *pass, struct geo_ir_inst *call,
                               struct geo_ir_block **ends);

#endif
