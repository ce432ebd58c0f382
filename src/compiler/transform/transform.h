/* Canonical form: the properties that lowering relies on, and the passes that establish it. The
 * reasons are in docs/decisions/compiler.md.
 *
 * After geo_transform_canonicalize:
 *
 * - Only functions that kernels and exports reach remain, without unreachable blocks. Recursion is
 *   a build failure whose message names the cycle. Calls are inlined where that is profitable, and
 *   always if the callee contains a barrier or group operation.
 * - ByVal arguments are copied by instructions before the call. A kernel only reads through its
 *   ByVal parameter; a kernel that writes has a copy of its own.
 * - Built-in variables are GEO_OP_BUILTIN instructions at the function's entry, one for each. The
 *   remaining OpExtInst are those that lowering emits directly.
 * - Private variables that are accessed at constant positions are SSA values. A remaining
 *   OpVariable is in the entry block, has no initialiser unless it is large, and needs memory: its
 *   address escapes or is indexed. Lifetime markers are removed.
 * - Structs and arrays of many scalars are in memory, except where calls pass or return them.
 * - A function has at most one OpReturn or OpReturnValue, and no OpUnreachable.
 * - Loops have a preheader, one latch and dedicated exits (all predecessors of an exit leave the
 *   same loops). Values that leave a loop go through phis in its exits.
 * - Loops may be endless.
 * - A function with a cycle of several entries is marked as irreducible and runs at W = 1.
 * - Float arithmetic and conversions carry their rounding and flush modes as flags.
 * - OpSwitch stays; lowering turns it into comparisons where lanes diverge.
 * - Blocks end at work-group barriers. An access computes its address in its own block where that
 *   proves that a narrow index does not wrap.
 * - With `optimize`: constants and identities are folded, components of composites are forwarded,
 *   blocks are merged, and loops that repeat an earlier loop are removed. Loops are unrolled if a
 *   small private array then needs no memory. Sums of products of small integers are dot products.
 *   Loops over rows of items have a copy that runs while all lanes stay (GEO_OP_ALL_LANES). Loads
 *   at indexes that are clamped or wrap around have a case in which no lane is clamped or wraps.
 *
 * The model is validated after each pass. Work and size are bounded (pass/pass.h): beyond the
 * bounds the build fails with a log, or an optional transformation is skipped. */
#ifndef GEO_COMPILER_TRANSFORM_TRANSFORM_H
#define GEO_COMPILER_TRANSFORM_TRANSFORM_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Brings a module into canonical form, for machines that run the items of a work-group one after
 * the other. Returns MODULE_BUILD_FAILURE with a log, or OUT_OF_HOST_MEMORY; then the module can
 * only be destroyed. */
ze_result_t geo_transform_canonicalize(struct geo_ir_module *module, bool optimize,
                                       struct geo_strbuf *log);

/* The two halves of canonicalisation. After the first, only reached functions remain and built-ins
 * are resolved: a function without a body is then an import from another module. The second depends
 * on the machine: `concurrent_items`, if the items of a work-group run at the same time. Then the
 * operations of work-groups whose result depends on the order of items stay, for the machine to
 * lower. */
ze_result_t geo_transform_canonicalize_calls(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_canonicalize_code(struct geo_ir_module *module, bool optimize,
                                            bool concurrent_items, struct geo_strbuf *log);

/* The passes, in the order in which they run. Each keeps the model valid. */
/* Replaces instructions of extensions by equivalent others, and expands accesses with a
 * condition. */
ze_result_t geo_transform_forms(struct geo_ir_module *module, struct geo_strbuf *log);
/* Removes functions that neither kernels nor exports reach, and unreachable blocks. */
ze_result_t geo_transform_reachability(struct geo_ir_module *module, struct geo_strbuf *log);
/* Propagates the float modes of kernels to the functions that they call. A function that is called
 * under several modes is copied. Runs before built-ins are linked. */
ze_result_t geo_transform_float_modes_spread(struct geo_ir_module *module, struct geo_strbuf *log);
/* Apply the freedom that options and decorations give to float arithmetic (fast_math.c).
 * `geo_transform_fast_math` runs before built-ins are linked: it sets each operation's flags and
 * chooses faster functions. `geo_transform_contract` runs when variables are values: it turns
 * products and sums into multiply-adds. */
ze_result_t geo_transform_fast_math(struct geo_ir_module *module, struct geo_strbuf *log);
ze_result_t geo_transform_contract(struct geo_ir_module *module, struct geo_strbuf *log);
/* Marks each instruction with its rounding and flush modes. */
ze_result_t geo_transform_float_modes(struct geo_ir_module *module);
/* Turns cooperative matrices into arrays. Their loads, stores and products stay. */
ze_result_t geo_transform_matrices(struct geo_ir_module *module, struct geo_strbuf *log);
/* Computes integers of odd widths in the next larger width, with upper bits zero. */
ze_result_t geo_transform_odd_integers(struct geo_ir_module *module, struct geo_strbuf *log);
/* Computes bfloat16 arithmetic in float. */
ze_result_t geo_transform_bfloat(struct geo_ir_module *module);
/* Replaces reads of built-in variables by GEO_OP_BUILTIN. */
ze_result_t geo_transform_resolve_builtin_variables(struct geo_ir_module *module,
                                                    struct geo_strbuf *log);
/* Replaces group operations of extensions by equivalent ones of SPIR-V. */
ze_result_t geo_transform_group_forms(struct geo_ir_module *module, struct geo_strbuf *log);
/* Expands work-group collectives into local memory, barriers and local atomics. */
ze_result_t geo_transform_collectives(struct geo_ir_module *module, struct geo_strbuf *log);
/* `optimize` false: inlines only what correctness requires. */
ze_result_t geo_transform_inline(struct geo_ir_module *module, bool optimize,
                                 struct geo_strbuf *log);
/* Divides private variables into their scalars. */
ze_result_t geo_transform_sroa(struct geo_ir_module *module, struct geo_strbuf *log);
/* Turns variables that are only loaded and stored into SSA values. */
ze_result_t geo_transform_mem2reg(struct geo_ir_module *module, struct geo_strbuf *log);
/* `optimize` false: removes only dead code and trivial blocks. */
ze_result_t geo_transform_simplify(struct geo_ir_module *module, bool optimize,
                                   struct geo_strbuf *log);
/* Unrolls loops that index private arrays by their counters. */
ze_result_t geo_transform_unroll(struct geo_ir_module *module, struct geo_strbuf *log);
/* Replaces sums of products of small integers by dot products. */
ze_result_t geo_transform_dot_products(struct geo_ir_module *module, struct geo_strbuf *log);
/* Computes in 8 or 16 bits what was extended from them, where results fit. */
ze_result_t geo_transform_narrow(struct geo_ir_module *module, struct geo_strbuf *log);
/* Moves values of many scalars to memory. */
ze_result_t geo_transform_large_values(struct geo_ir_module *module, struct geo_strbuf *log);
/* Replaces scans in local memory whose steps double their distance. */
ze_result_t geo_transform_scans(struct geo_ir_module *module, struct geo_strbuf *log);
/* Removes barriers that the order of a work-group's chunks makes needless, and chooses the order. */
ze_result_t geo_transform_chunk_order(struct geo_ir_module *module, struct geo_strbuf *log);
/* Brings functions into loop form: one return; loops with preheader, one latch and dedicated
 * exits. */
ze_result_t geo_transform_loops(struct geo_ir_module *module, struct geo_strbuf *log);
/* Removes loops that repeat an earlier loop, and hoists loops out of outer loops. */
ze_result_t geo_transform_repeated_loops(struct geo_ir_module *module, struct geo_strbuf *log);
/* Copies loops whose index differs between items. The first copy runs while all lanes stay. */
ze_result_t geo_transform_full_chunks(struct geo_ir_module *module, struct geo_strbuf *log);
/* Unrolls loops in which each lane walks along a row, to load several elements at once. */
ze_result_t geo_transform_unroll_rows(struct geo_ir_module *module, struct geo_strbuf *log);
/* Gives loads at clamped indexes a case in which no lane is clamped. */
ze_result_t geo_transform_clamps(struct geo_ir_module *module, struct geo_strbuf *log);
/* Joins accesses of adjacent elements into accesses of vectors. */
ze_result_t geo_transform_adjacent(struct geo_ir_module *module, struct geo_strbuf *log);
/* Splits blocks at barriers. */
ze_result_t geo_transform_barriers(struct geo_ir_module *module);
/* If the module asks for it, makes accesses near null read zeros and write nothing. */
ze_result_t geo_transform_near_null(struct geo_ir_module *module, struct geo_strbuf *log);
/* Copies the computation of an address into the block of the access. */
ze_result_t geo_transform_sink(struct geo_ir_module *module);

#endif
