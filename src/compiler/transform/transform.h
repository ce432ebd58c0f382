/* Canonical form: what lowering may rely on, and the passes that make it. The reasons are in
 * docs/decisions/compiler.md.
 *
 * After geo_transform_canonicalize:
 *
 *  - Only functions that kernels and exports reach remain, without unreachable blocks. Nothing
 *    recurses (a build failure that names the circle). Calls are inlined where that pays, always
 *    where a barrier or group operation is inside.
 *  - ByVal arguments are copied by instructions before the call. A kernel's ByVal parameter is only
 *    read; a kernel that writes it works on a copy of its own.
 *  - Built-in variables are GEO_OP_BUILTIN instructions at the function's entry, one for each.
 *    OpExtInst left over are those lowering emits directly.
 *  - Private variables that are accessed at constant places are SSA values. What is left of
 *    OpVariable is in the entry block, has no initialiser unless it is large, and needs memory: its
 *    address escapes or is indexed. Lifetime markers are gone.
 *  - Structs and arrays of many scalars are in memory, but where calls give and take them.
 *  - One OpReturn or OpReturnValue at most, no OpUnreachable.
 *  - Loops have a preheader, one latch and exits of their own (all predecessors of an exit leave
 *    the same loops), and values that leave a loop go through phis in its exits. A function with a
 *    cycle of several entries is marked irreducible instead and runs at W = 1. Loops may be
 *    endless.
 *  - Float arithmetic and conversions say themselves how they round and whether they flush.
 *  - OpSwitch stays; lowering makes compares of it where lanes part.
 *  - Blocks end at work-group barriers, and an access computes its address in its own block where
 *    that tells whether a narrow index wraps.
 *  - With `optimize`: constants and identities are folded, composites are followed to where their
 *    components were made, blocks are merged, what a loop has computed no later one computes again.
 *
 * The model is checked after each pass. Work and size are bounded (internal.h); beyond the bounds
 * the build fails with a log, or what was a matter of choice is left undone. */
#ifndef GEO_COMPILER_TRANSFORM_TRANSFORM_H
#define GEO_COMPILER_TRANSFORM_TRANSFORM_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* MODULE_BUILD_FAILURE with a log, or OUT_OF_HOST_MEMORY; the module is of no use then. */
ze_result_t geo_transform_canonicalize(struct geo_ir_module *module, bool optimize,
                                       struct geo_strbuf *log);

/* Its two halves. After the first only reached functions are left and built-ins are known: what has
 * no body then is a true import. */
ze_result_t geo_transform_resolve(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_restructure(struct geo_ir_module *module, bool optimize,
                                      struct geo_strbuf *log);

/* The passes, in the order they run. Each keeps the model valid. */
/* Instructions of extensions that others say as well; accesses with conditions of their own. */
ze_result_t geo_transform_forms(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_reachability(struct geo_ir_module *module, struct geo_strbuf *log);
/* The float modes of kernels are those of the functions that they call: copies of them where one is
 * called under several modes. Before built-ins come in. */
ze_result_t geo_transform_float_modes_spread(struct geo_ir_module *module, struct geo_strbuf *log);
/* What options and decorations allow in float arithmetic (fast_math.c): before built-ins come in,
 * each operation learns it and faster functions are chosen; when variables are values, products
 * and sums become multiply-adds. */
ze_result_t geo_transform_fast_math(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_contract(struct geo_ir_module *module, struct geo_strbuf *log);
/* Instructions say how they round and what they flush, from then on. */
ze_result_t geo_transform_float_modes(struct geo_ir_module *module);
/* Cooperative matrices become arrays; their loads, stores and products stay. */
ze_result_t geo_transform_matrices(struct geo_ir_module *module, struct geo_strbuf *log);
/* What computes with integers of odd widths keeps their upper bits zeros. */
ze_result_t geo_transform_odd_integers(struct geo_ir_module *module, struct geo_strbuf *log);
/* What computes with bfloat16 is computed with floats. */
ze_result_t geo_transform_bfloat(struct geo_ir_module *module);
ze_result_t geo_transform_resolve_builtin_variables(struct geo_ir_module *module,
                                                    struct geo_strbuf *log);
ze_result_t geo_transform_group_forms(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_collectives(struct geo_ir_module *module, struct geo_strbuf *log);
/* optimize false: only what must be inlined for correctness. */
ze_result_t geo_transform_inline(struct geo_ir_module *module, bool optimize,
                                 struct geo_strbuf *log);
ze_result_t geo_transform_sroa(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_mem2reg(struct geo_ir_module *module, struct geo_strbuf *log);
/* optimize false: dead code and trivial blocks only. */
ze_result_t geo_transform_simplify(struct geo_ir_module *module, bool optimize,
                                   struct geo_strbuf *log);
/* Values of many scalars go back to memory. */
ze_result_t geo_transform_large_values(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_loops(struct geo_ir_module *module, struct geo_strbuf *log);
/* Loops that an outer loop or an earlier one makes unnecessary. */
ze_result_t geo_transform_repeated_loops(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_sink(struct geo_ir_module *module);
ze_result_t geo_transform_barriers(struct geo_ir_module *module);

#endif
