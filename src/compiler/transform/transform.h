/* Canonical form (D9.0): what lowering may rely on, and the passes that make it.
 *
 * After geo_transform_canonicalize:
 *  - only functions reachable from kernels and exports remain; calls are inlined where inlining
 * pays, always where a barrier or sub-group operation is inside; no recursion (a build failure);
 *  - built-in variables are GEO_OP_BUILTIN instructions; OpExtInst left over are those lowering
 * emits directly;
 *  - scalar and small private variables are SSA values (SROA, mem2reg); what remains of OpVariable
 * in Function storage is in the entry block and really needs memory;
 *  - one OpReturn/OpReturnValue per function; loops are reducible with one header, one latch,
 * dedicated exits (an irreducible function is marked and runs at W = 1); values leaving a loop go
 * through phis (loop-closed);
 *  - OpSwitch stays when its selector is uniform at lowering time; lowering splits divergent ones
 * itself;
 *  - no unreachable blocks; OpUnreachable is a terminator that lowering treats as a return;
 *  - simple folding and dead code removal are done.
 * The model is validated after each pass. */
#ifndef GEO_COMPILER_TRANSFORM_TRANSFORM_H
#define GEO_COMPILER_TRANSFORM_TRANSFORM_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

ze_result_t geo_transform_canonicalize(struct geo_ir_module *module, bool optimize,
                                       struct geo_strbuf *log);

/* The passes, in the order they run. Each keeps the model valid. */
ze_result_t geo_transform_reachability(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_resolve_builtin_variables(struct geo_ir_module *module,
                                                    struct geo_strbuf *log);
/* optimize false: only what must be inlined for correctness. */
ze_result_t geo_transform_collectives(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_inline(struct geo_ir_module *module, bool optimize,
                                 struct geo_strbuf *log);
ze_result_t geo_transform_sroa(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_mem2reg(struct geo_ir_module *module, struct geo_strbuf *log);
/* optimize false: dead code and trivial blocks only. */
ze_result_t geo_transform_simplify(struct geo_ir_module *module, bool optimize,
                                   struct geo_strbuf *log);
ze_result_t geo_transform_loops(struct geo_ir_module *module, struct geo_strbuf *log);

#endif
