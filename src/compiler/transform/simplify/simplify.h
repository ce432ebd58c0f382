/* Simplification of a function (simplify.c), and its steps, which run until nothing changes. */
#ifndef GEO_COMPILER_TRANSFORM_SIMPLIFY_SIMPLIFY_H
#define GEO_COMPILER_TRANSFORM_SIMPLIFY_SIMPLIFY_H

#include "compiler/transform/pass/pass.h"

/* Simplifies a function; without pass->optimize only its control flow. */
bool geo_simplify_function(struct geo_pass *pass, struct geo_ir_function *function);
/* Simplifies the control flow: removes dead branches, merges blocks and removes empty ones. Sets
 * *changed if it changed anything. */
bool geo_simplify_cfg(struct geo_pass *pass, struct geo_ir_function *function, bool *changed);
/* Folds an instruction. Returns the existing or constant value that replaces it, or NULL if it
 * stays. It may be changed in place (*changed). */
struct geo_ir_value *geo_transform_fold(struct geo_pass *pass, struct geo_ir_inst *inst,
                                        bool *changed);
/* Folds a conversion of integers. */
struct geo_ir_value *geo_transform_fold_convert(struct geo_pass *pass, struct geo_ir_inst *inst,
                                                bool *changed);
/* Folds a phi. The instruction that replaces it may be new. */
struct geo_ir_value *geo_transform_fold_phi(struct geo_pass *pass, struct geo_ir_inst *phi);
/* Folds the construction of composites and the extraction from them. */
struct geo_ir_value *geo_transform_fold_composite(struct geo_pass *pass, struct geo_ir_inst *inst,
                                                  bool *changed);
/* Folds a step in a row whose index is a remainder, where the row's index is the quotient. */
struct geo_ir_value *geo_transform_fold_rows(struct geo_pass *pass, struct geo_ir_inst *inst);

#endif
