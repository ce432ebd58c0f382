/* Random kernels as OpenCL C: which programs pocl gets wrong and is not asked. See
 * opencl_avoid.h. */
#include "opencl_avoid.h"

/* A barrier that is not always reached: `conditional` says whether the block is. */
static bool barrier_in(const struct gen_block *block, bool conditional)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct gen_stmt *stmt = block->items[i];
        if (stmt->deleted) {
            continue;
        }
        bool here =
            stmt->kind == GEN_BARRIER || (stmt->kind == GEN_CALL && stmt->function->has_barrier);
        bool inside = conditional || stmt->kind == GEN_IF || stmt->kind == GEN_SWITCH;
        if ((here && conditional) || barrier_in(&stmt->body, inside) ||
            barrier_in(&stmt->other, inside || stmt->entry)) {
            return true;
        }
        for (uint32_t c = 0; c < stmt->case_count; c++) {
            if (barrier_in(&stmt->cases[c].body, true)) {
                return true;
            }
        }
    }
    return false;
}

static bool writes_to_argument(const struct gen_function *kernel)
{
    for (uint32_t i = 0; i < kernel->parameters.count; i++) {
        if (kernel->parameters.items[i]->is_changed) {
            return true;
        }
    }
    return false;
}

bool gen_opencl_avoided(const struct gen_program *program)
{
    if (writes_to_argument(gen_kernel(program))) {
        return true;
    }
    if (program->local[0] > 1) {
        return false;
    }
    for (uint32_t i = 0; i < program->functions.count; i++) {
        if (barrier_in(&program->functions.items[i]->body, false)) {
            return true;
        }
    }
    return false;
}
