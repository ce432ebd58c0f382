/* Emits the loop of a kernel over its groups. How one group runs is a variant (variants.c).
 * kernel.c has the overview and computes what is equal for all groups. */
#include "compiler/lower/cpu/function/groups.h"

#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/pending.h"
#include "compiler/lower/cpu/function/loop.h"
#include "compiler/lower/cpu/function/variant.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

/* Sets k->size to the number of items of the current group, which may be partial. */
static void measure_group(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    const struct geo_lower_ids *ids = &f->frame->ids;
    for (uint32_t i = 0; i < 3; i++) {
        k->size[i] = ids->local_size[i];
        if (k->any) {
            LLVMValueRef before =
                LLVMBuildMul(f->llvm.builder, ids->group[i], ids->local_size[i], "");
            LLVMValueRef rest = LLVMBuildSub(f->llvm.builder, ids->global_size[i], before, "");
            LLVMValueRef less = LLVMBuildICmp(f->llvm.builder, LLVMIntULT, rest, k->size[i], "");
            k->size[i] = LLVMBuildSelect(f->llvm.builder, less, rest, k->size[i], "items");
        }
    }
}

void geo_function_groups_straight_run(struct geo_lower_groups *k)
{
    k->resume = NULL;
    geo_variant_run(k, GEO_VARIANT_CHUNKS);
}

/* Advances the group ids by one in x, with carry into y and z. */
static void advance_group(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    LLVMValueRef zero = geo_emit_const_i64(f, 0);
    LLVMValueRef carry = LLVMConstInt(geo_type_i1(f), 1, 0);
    for (uint32_t i = 0; i < 3; i++) {
        LLVMValueRef step = LLVMBuildZExt(f->llvm.builder, carry, geo_type_i64(f), "");
        LLVMValueRef next = LLVMBuildAdd(f->llvm.builder, f->frame->ids.group[i], step, "");
        carry = LLVMBuildICmp(f->llvm.builder, LLVMIntEQ, next, f->frame->ids.group_count[i], "");
        LLVMValueRef wrapped = LLVMBuildSelect(f->llvm.builder, carry, zero, next, "");
        LLVMBuildStore(f->llvm.builder, i < 2 ? wrapped : next, k->slots[i]);
    }
}

void geo_function_groups_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    LLVMValueRef count = LLVMGetParam(f->llvm.function, 3);
    struct geo_lower_loop groups;
    geo_frame_pending_begin(f, count);
    geo_function_loop_begin(f, &groups, "group");
    geo_function_loop_while(f, &groups, geo_function_loop_below(f, groups.value, count));
    for (uint32_t i = 0; i < 3; i++) {
        f->frame->ids.group[i] =
            LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), k->slots[i], "group");
    }
    measure_group(k);
    geo_variant_run(k, GEO_VARIANT_GROUP);
    advance_group(k);
    geo_function_loop_end(f, &groups, 1);
    geo_frame_pending_end(f, count);
    LLVMBuildRetVoid(f->llvm.builder);
}
