/* Emits the versions of a kernel: one for launches whose ids fit 31 bits, and one for all others.
 * kernel.c has the overview. The form of the second version is a variant (variants.c). */
#include "compiler/lower/cpu/function/versions.h"

#include "base/assert.h"
#include "compiler/analysis/agreement.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/cpu/function/begin.h"
#include "compiler/lower/cpu/function/variant.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "native/native.h"

#include <string.h>

/* ---- shapes ---- */

static bool same_shapes(const struct geo_lower_code *code, const struct geo_shapes *a,
                        const struct geo_shapes *b)
{
    GEO_ASSERT(a->lanes == b->lanes);
    for (uint32_t i = 0; i < code->function->value_count; i++) {
        const struct geo_shape *x = &a->values[i], *y = &b->values[i];
        if (x->kind != y->kind || x->stride != y->stride || x->anchored != y->anchored) {
            return false;
        }
    }
    return memcmp(a->divergent_branch, b->divergent_branch,
                  code->function->block_count * sizeof(bool)) == 0;
}

/* Computes the shapes of both versions. Kernels with calls always use linear chunks, because a call
 * passes a chunk's position as its linear id. */
bool geo_function_versions_find(struct geo_lower_groups *k)
{
    const struct geo_lower_code *code = k->f->frame->code;
    uint32_t lanes = k->kernel->lanes;
    struct geo_shape_options options = {.lanes = lanes,
                                        .linear = k->kernel->flags & GEO_KERNEL_LINEAR,
                                        .large_objects = k->f->options->large_objects};
    if (!geo_shapes_compute(&code->loops, &options, k->f->arena, &k->shapes_any)) {
        return false;
    }
    k->rows = options.linear && lanes > 1 && !code->calls;
    options.linear = options.linear && !k->rows;
    options.whole_rows = k->rows;
    options.ids_fit_31_bits = true;
    if (!geo_shapes_compute(&code->loops, &options, k->f->arena, &k->shapes_fit)) {
        return false;
    }
    k->versions = lanes > 1 && !same_shapes(code, &k->shapes_any, &k->shapes_fit);
    if (!k->versions) {
        k->rows = false;
        k->shapes_fit = k->shapes_any;
    }
    return true;
}

/* ---- functions ---- */

static LLVMTypeRef kernel_type(struct geo_lower_function *f)
{
    LLVMTypeRef parameters[] = {geo_type_ptr(f), geo_type_ptr(f), geo_type_i64(f), geo_type_i64(f)};
    return LLVMFunctionType(LLVMVoidTypeInContext(f->llvm.context), parameters, 4, 0);
}

LLVMValueRef geo_function_versions_kernel_add(struct geo_lower_function *f, const char *suffix)
{
    struct geo_strbuf name;
    geo_strbuf_init(&name, 0);
    geo_strbuf_printf(&name, "kernel.%s%s", f->function->entry_name, suffix);
    LLVMValueRef function = LLVMAddFunction(f->llvm.module, geo_strbuf_text(&name), kernel_type(f));
    if (name.truncated) {
        geo_state_no_memory(f);
    }
    geo_strbuf_finish(&name);
    return function;
}

/* ---- versions ---- */

/* Largest number of instructions of a body that gets an unmasked copy for full chunks although
 * masks are cheap. For larger bodies the copy would cost more compile time than it saves, unless
 * gains_without_masks. Measured: large modules compile 40 % faster, and their kernels become at
 * most a tenth slower. */
#define ONE_COPY_ABOVE 160u

static bool is_large(const struct geo_ir_function *function)
{
    uint32_t count = 0;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            count++;
        }
    }
    return count > ONE_COPY_ABOVE;
}

bool geo_function_versions_agree(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    const struct geo_lower_code *code = f->frame->code;
    struct geo_shape_options options = {.lanes = f->lanes,
                                        .ids_fit_31_bits =
                                            k->shapes == &k->shapes_fit && k->versions,
                                        .large_objects = f->options->large_objects};
    if (k->agreed) {
        return k->shapes_agreed != NULL;
    }
    if (!geo_agreement_find(&code->loops, k->shapes, f->arena, &k->agreed)) {
        geo_state_no_memory(f);
    }
    if (f->failed || !k->agreed) {
        return false;
    }
    options.agreed = k->agreed;
    struct geo_shapes *shapes = geo_arena_new(f->arena, struct geo_shapes);
    if (!shapes || !geo_shapes_compute(&code->loops, &options, f->arena, shapes)) {
        geo_state_no_memory(f);
        return false;
    }
    k->shapes_agreed = shapes;
    return true;
}

void geo_function_version_run(struct geo_lower_groups *k, const struct geo_shapes *shapes)
{
    struct geo_lower_function *f = k->f;
    k->tile = NULL;
    k->shapes = shapes;
    k->shapes_agreed = NULL;
    k->agreed = NULL;
    if (f->failed || !geo_function_shapes(f, shapes)) {
        return;
    }
    geo_function_groups_run(k);
    /* The launcher counts chunks of the kernel's width; items of a chunk may have records. */
    uint64_t chunk_bytes = f->frame->layout.chunk_bytes * (k->kernel->lanes / f->lanes);
    k->kernel->chunk_bytes =
        chunk_bytes > k->kernel->chunk_bytes ? chunk_bytes : k->kernel->chunk_bytes;
}

/* Returns an i1: the chunks in rows are the same as linear ones, as rows are whole chunks or there
 * is one row. */
static LLVMValueRef rows_are_whole(struct geo_lower_function *f)
{
    const LLVMValueRef *size = f->frame->ids.local_size;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef row_count = LLVMBuildMul(b, size[1], size[2], "");
    LLVMValueRef rest = LLVMBuildAnd(b, size[0], geo_emit_const_i64(f, f->lanes - 1), "");
    return LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntEQ, row_count, geo_emit_const_i64(f, 1), ""),
                       LLVMBuildICmp(b, LLVMIntEQ, rest, geo_emit_const_i64(f, 0), ""), "rows");
}

void geo_function_versions_any_items_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    LLVMValueRef arguments[4];
    k->any_function = geo_function_versions_kernel_add(f, ".any");
    LLVMSetLinkage(k->any_function, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(k->any_function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(f->llvm.context, GEO_LOWER_RARE_ATTRIBUTE,
                                                      (unsigned)strlen(GEO_LOWER_RARE_ATTRIBUTE),
                                                      "", 0));
    LLVMGetParams(f->llvm.function, arguments);
    LLVMBuildCall2(f->llvm.builder, kernel_type(f), k->any_function, arguments, 4, "");
    LLVMBuildRetVoid(f->llvm.builder);
}

void geo_function_versions_any_masked_run(struct geo_lower_groups *k)
{
    k->masked_only = true;
    geo_function_version_run(k, &k->shapes_any);
}

/* Returns whether lanes access vectors of their own, apart from each other. Lanes that are off need
 * other addresses then (memory/record.c). */
static bool has_records(const struct geo_lower_groups *k)
{
    geo_ir_for_each_block(block, k->f->frame->code->function) {
        geo_ir_for_each_inst(inst, block) {
            const struct geo_ir_type *type = inst->op == SpvOpLoad    ? inst->value.type
                                             : inst->op == SpvOpStore ? inst->operands[1]->type
                                                                      : NULL;
            if (!type || type->kind != GEO_TYPE_VECTOR) {
                continue;
            }
            struct geo_shape shape = geo_shape_of(&k->shapes_fit, inst->operands[0]);
            if (shape.kind == GEO_SHAPE_VARYING ||
                (shape.kind == GEO_SHAPE_STRIDED && shape.stride != (int64_t)type->size)) {
                return true;
            }
        }
    }
    return false;
}

/* Returns whether full chunks run much faster without masks. That is so in three cases. They pass
 * values through local memory: loads do not take values from masked stores. They access records. Or
 * their branches at borders become uniform. */
static bool gains_without_masks(struct geo_lower_groups *k)
{
    const struct geo_lower_code *code = k->f->frame->code;
    bool *agreed = NULL;
    if (code->barriers.count || !code->canonical || has_records(k)) {
        return code->canonical;
    }
    if (!geo_agreement_find(&code->loops, &k->shapes_fit, k->f->arena, &agreed)) {
        geo_state_no_memory(k->f);
    }
    return agreed;
}

void geo_function_versions_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    k->large = is_large(f->frame->code->function);
    k->masked_only = f->options->target.has_masks && k->large && !gains_without_masks(k);
    if (!k->versions || k->restricted) {
        geo_function_version_run(k, &k->shapes_fit);
        return;
    }
    LLVMValueRef flags =
        geo_frame_launch_field(f, geo_type_i32(f), offsetof(struct geo_launch, flags), "flags");
    LLVMValueRef bit =
        LLVMBuildAnd(f->llvm.builder, flags, geo_emit_const_i32(f, GEO_LAUNCH_IDS_FIT_31_BITS), "");
    LLVMValueRef fits =
        LLVMBuildICmp(f->llvm.builder, LLVMIntNE, bit, geo_emit_const_i32(f, 0), "");
    if (k->rows) {
        fits = LLVMBuildAnd(f->llvm.builder, fits, rows_are_whole(f), "");
    }
    LLVMBasicBlockRef fit = geo_emit_block_last(f, "ids.fit");
    LLVMBasicBlockRef any = geo_emit_block_last(f, "ids.any");
    LLVMBuildCondBr(f->llvm.builder, fits, fit, any);
    LLVMPositionBuilderAtEnd(f->llvm.builder, fit);
    geo_function_version_run(k, &k->shapes_fit);
    LLVMMoveBasicBlockAfter(any, LLVMGetLastBasicBlock(f->llvm.function));
    LLVMPositionBuilderAtEnd(f->llvm.builder, any);
    geo_variant_run(k, GEO_VARIANT_ANY);
}
