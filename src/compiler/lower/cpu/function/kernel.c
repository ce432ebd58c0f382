/* Emits a kernel's function: kernel(launch, worker, first_group, group_count).
 *
 *     load the launch and the arguments
 *     ids fit 31 bits? -> one of two versions of:
 *       for each group (x fastest)
 *         for each chunk: body        full chunks without a mask, the last one of a row masked
 *
 * With barriers, each region of the group runs for each chunk (regions.c). Kernels that cannot be
 * divided into regions repeat the loop over chunks while one stops at a barrier.
 *
 * The version for ids that may wrap is rarely run. If items share nothing but memory, it is a
 * function of its own (kernel.NAME.any) that runs item by item, because code without masks and
 * vectors compiles fastest. With barriers, sub-groups or calls, it treats every chunk as partial,
 * which saves a copy of the body. Large bodies do the same if masking is cheap, because they take
 * longest to compile. If both versions would have the same shapes, there is only one.
 *
 * Sub-groups need chunks by linear id. Usually rows are whole chunks, or there is one row. Then
 * linear chunks are the same as chunks in rows, and local ids are consecutive. The first version
 * assumes that as well. */
#include "compiler/lower/cpu/function/kernel.h"

#include "base/assert.h"
#include "compiler/analysis/passed.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/cpu/function/begin.h"
#include "compiler/lower/cpu/function/groups.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/memory/argument.h"
#include "compiler/lower/state/place.h"
#include "native/abi.h"
#include "native/native.h"

#include <stdlib.h>
#include <string.h>

/* One kernel while it is emitted. */
struct kernel {
    struct geo_lower_function f;
    struct geo_lower_kernel *kernel;
    struct geo_lower_groups groups;
    struct geo_shapes shapes_fit, shapes_any; /* shapes for ids below 2^31, and for any ids */
    bool versions;                            /* the shapes differ, so both versions are emitted */
    LLVMValueRef any; /* function of the version for any ids; NULL: part of this function */
    bool rows;        /* chunks are linear, and shapes_fit assumes that rows are whole chunks */
};

/* ---- the entry ---- */

/* Computes the ids of the first group from its linear number. */
static void locate_first_group(struct kernel *k)
{
    struct geo_lower_function *f = &k->f;
    const LLVMValueRef *count = f->frame->ids.group_count;
    LLVMValueRef first = LLVMGetParam(f->llvm_function, 2);
    LLVMValueRef row = LLVMBuildUDiv(f->builder, first, count[0], "");
    LLVMValueRef group[] = {LLVMBuildURem(f->builder, first, count[0], ""),
                            LLVMBuildURem(f->builder, row, count[1], ""),
                            LLVMBuildUDiv(f->builder, row, count[1], "")};
    for (uint32_t i = 0; i < 3; i++) {
        k->groups.slots[i] = geo_emit_alloca(f, geo_type_i64(f), "group");
        LLVMBuildStore(f->builder, group[i], k->groups.slots[i]);
    }
}

/* Returns the address of a part of scratch whose offset is a field of the launch. */
static LLVMValueRef scratch_part(struct geo_lower_function *f, uint64_t field, const char *name)
{
    LLVMValueRef offset = geo_frame_launch_field(f, geo_type_i64(f), field, name);
    return geo_emit_offset(f, f->frame->scratch, offset);
}

static void emit_entry(struct kernel *k)
{
    struct geo_lower_function *f = &k->f;
    struct geo_lower_frame *frame = f->frame;
    GEO_ASSERT(LLVMCountParams(f->llvm_function) == 4);
    f->frame->launch = LLVMGetParam(f->llvm_function, 0);
    f->frame->worker = LLVMGetParam(f->llvm_function, 1);
    f->frame->scratch = geo_frame_launch_scratch(f);
    frame->memory = scratch_part(f, offsetof(struct geo_launch, frame_offset), "frame");
    if (frame->code->barriers.count) {
        k->groups.records = scratch_part(f, offsetof(struct geo_launch, chunk_offset), "chunks");
        k->groups.record_offset = geo_emit_alloca(f, geo_type_i64(f), "record");
    }
    if (frame->code->barriers.count && !frame->cut) {
        frame->next_barrier = geo_emit_alloca(f, geo_type_i32(f), "barrier");
    }
    if (frame->code->calls) {
        frame->context = geo_frame_ids_context_alloca(f, "context");
        frame->callee_memory = geo_emit_offset_const(f, frame->memory, frame->layout.frame_bytes);
    }
    geo_frame_ids_launch(f, k->groups.any ? NULL : f->function);
    geo_argument_load(f, k->kernel->argument_offsets);
    locate_first_group(k);
}

static void add_attribute(struct geo_lower_function *f, unsigned at, const char *name,
                          uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f->llvm_function, at, LLVMCreateEnumAttribute(f->context, kind, value));
}

static LLVMTypeRef kernel_type(struct geo_lower_function *f)
{
    LLVMTypeRef parameters[] = {geo_type_ptr(f), geo_type_ptr(f), geo_type_i64(f), geo_type_i64(f)};
    return LLVMFunctionType(LLVMVoidTypeInContext(f->context), parameters, 4, 0);
}

static LLVMValueRef function_add(struct geo_lower_function *f, const char *suffix)
{
    struct geo_strbuf name;
    geo_strbuf_init(&name, 0);
    geo_strbuf_printf(&name, "kernel.%s%s", f->function->entry_name, suffix);
    LLVMValueRef function = LLVMAddFunction(f->llvm_module, geo_strbuf_text(&name), kernel_type(f));
    if (name.truncated) {
        geo_state_no_memory(f);
    }
    geo_strbuf_finish(&name);
    return function;
}

static void function_begin(struct geo_lower_function *f, LLVMValueRef function)
{
    geo_function_begin(f, function);
    add_attribute(f, LLVMAttributeFunctionIndex, "nounwind", 0);
    const uint64_t sizes[] = {sizeof(struct geo_launch), sizeof(struct geo_worker)};
    for (unsigned i = 0; i < 2; i++) {
        add_attribute(f, i + 1, "noalias", 0);
        add_attribute(f, i + 1, "nonnull", 0);
        add_attribute(f, i + 1, "dereferenceable", sizes[i]);
    }
}

static void create_function(struct kernel *k)
{
    struct geo_lower_function *f = &k->f;
    LLVMValueRef function = function_add(f, "");
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    function_begin(f, function);
    size_t length;
    const char *symbol = LLVMGetValueName2(function, &length);
    k->kernel->symbol = geo_arena_string(&f->lower->module->arena, symbol, length);
    if (!k->kernel->symbol) {
        geo_state_no_memory(f);
    }
}

/* ---- versions ---- */

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
static bool compute_shapes(struct kernel *k)
{
    const struct geo_lower_code *code = k->f.frame->code;
    uint32_t lanes = k->kernel->lanes;
    struct geo_shape_options options = {.lanes = lanes,
                                        .linear = k->kernel->flags & GEO_KERNEL_LINEAR,
                                        .large_objects = k->f.options->large_objects};
    if (!geo_shapes_compute(&code->loops, &options, k->f.arena, &k->shapes_any)) {
        return false;
    }
    k->rows = options.linear && lanes > 1 && !code->calls;
    options.linear = options.linear && !k->rows;
    options.whole_rows = k->rows;
    options.ids_fit_31_bits = true;
    if (!geo_shapes_compute(&code->loops, &options, k->f.arena, &k->shapes_fit)) {
        return false;
    }
    k->versions = lanes > 1 && !same_shapes(code, &k->shapes_any, &k->shapes_fit);
    if (!k->versions) {
        k->rows = false;
        k->shapes_fit = k->shapes_any;
    }
    return true;
}

/* Largest number of instructions of a body that gets an unmasked copy for full chunks. For larger
 * bodies the copy would cost more compile time than it saves. Measured: large modules compile 40 %
 * faster, and their kernels become at most a tenth slower. */
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

/* Returns whether the kernel may use tiles: rows have full chunks, and there are several rows. */
static bool may_tile(const struct kernel *k, bool masked_only)
{
    const struct geo_lower_function *f = &k->f;
    const struct geo_lower_code *code = f->frame->code;
    const uint32_t *required = f->function->required_size;
    bool fits = !required[0] || (required[0] >= f->lanes && required[1] > 1);
    return f->options->optimize && f->options->tile != 1 && f->lanes > 1 && !masked_only && fits &&
           !f->shapes->linear && code->canonical && !code->calls && !code->service_slots &&
           !code->variable_count && (!code->barriers.count || f->frame->cut) &&
           !is_large(code->function);
}

/* Emits the groups of one version. With `masked_only` all chunks are treated as partial. */
static void emit_version(struct kernel *k, const struct geo_shapes *shapes, bool masked_only)
{
    struct geo_lower_function *f = &k->f;
    k->groups.masked_only = masked_only;
    if (f->failed || !geo_function_shapes(f, shapes)) {
        return;
    }
    k->groups.tile = NULL;
    if (may_tile(k, masked_only) &&
        !(k->groups.tile = geo_frame_tile_make(f, GEO_SHAPE_ROWS, k->versions))) {
        return;
    }
    geo_function_groups_run(&k->groups);
    uint64_t chunk_bytes = f->frame->layout.chunk_bytes;
    k->kernel->chunk_bytes =
        chunk_bytes > k->kernel->chunk_bytes ? chunk_bytes : k->kernel->chunk_bytes;
}

/* Returns an i1: the chunks in rows are the same as linear ones, as rows are whole chunks or there
 * is one row. */
static LLVMValueRef rows_are_whole(struct geo_lower_function *f)
{
    const LLVMValueRef *size = f->frame->ids.local_size;
    LLVMBuilderRef b = f->builder;
    LLVMValueRef row_count = LLVMBuildMul(b, size[1], size[2], "");
    LLVMValueRef rest = LLVMBuildAnd(b, size[0], geo_emit_const_i64(f, f->lanes - 1), "");
    return LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntEQ, row_count, geo_emit_const_i64(f, 1), ""),
                       LLVMBuildICmp(b, LLVMIntEQ, rest, geo_emit_const_i64(f, 0), ""), "rows");
}

/* Returns whether items can run alone, because the kernel has no barriers, sub-groups or calls. */
static bool is_of_items(const struct geo_lower_code *code)
{
    return !code->barriers.count && !code->subgroups && !code->calls;
}

static void call_any(struct kernel *k)
{
    struct geo_lower_function *f = &k->f;
    LLVMValueRef arguments[4];
    k->any = function_add(f, ".any");
    LLVMSetLinkage(k->any, LLVMInternalLinkage);
    LLVMGetParams(f->llvm_function, arguments);
    LLVMBuildCall2(f->builder, kernel_type(f), k->any, arguments, 4, "");
    LLVMBuildRetVoid(f->builder);
}

static void emit_versions(struct kernel *k)
{
    struct geo_lower_function *f = &k->f;
    bool masked_only = f->options->target.has_masks && is_large(f->frame->code->function);
    if (!k->versions) {
        emit_version(k, &k->shapes_fit, masked_only);
        return;
    }
    LLVMValueRef flags =
        geo_frame_launch_field(f, geo_type_i32(f), offsetof(struct geo_launch, flags), "flags");
    LLVMValueRef bit =
        LLVMBuildAnd(f->builder, flags, geo_emit_const_i32(f, GEO_LAUNCH_IDS_FIT_31_BITS), "");
    LLVMValueRef fits = LLVMBuildICmp(f->builder, LLVMIntNE, bit, geo_emit_const_i32(f, 0), "");
    if (k->rows) {
        fits = LLVMBuildAnd(f->builder, fits, rows_are_whole(f), "");
    }
    LLVMBasicBlockRef fit = geo_emit_block_last(f, "ids.fit");
    LLVMBasicBlockRef any = geo_emit_block_last(f, "ids.any");
    LLVMBuildCondBr(f->builder, fits, fit, any);
    LLVMPositionBuilderAtEnd(f->builder, fit);
    emit_version(k, &k->shapes_fit, masked_only);
    LLVMMoveBasicBlockAfter(any, LLVMGetLastBasicBlock(f->llvm_function));
    LLVMPositionBuilderAtEnd(f->builder, any);
    if (is_of_items(f->frame->code)) {
        call_any(k);
    } else {
        emit_version(k, &k->shapes_any, true);
    }
}

/* Divides the kernel into regions. Device barriers prevent that, because they end the call of the
 * kernel, which later continues through a switch. */
static bool find_regions(struct kernel *k, const struct geo_lower_code *code)
{
    struct geo_lower_frame *frame = k->f.frame;
    if (!geo_barriers_passed(&code->loops, &code->barriers, k->f.arena, &frame->group,
                             &frame->passed)) {
        return false;
    }
    return !code->barriers.count || frame->passed || code->barriers.any_device ||
           geo_regions_cut(&code->loops, &code->barriers, &frame->group, k->f.arena,
                           &frame->regions);
}

static void measure_frame(struct kernel *k)
{
    uint64_t frame_bytes = k->f.frame->layout.frame_bytes;
    k->kernel->frame_bytes =
        frame_bytes > k->kernel->frame_bytes ? frame_bytes : k->kernel->frame_bytes;
}

static bool kernel_emit(struct kernel *k, struct geo_lower_code *code)
{
    if (!compute_shapes(k) || !find_regions(k, code)) {
        geo_state_no_memory(&k->f);
        return false;
    }
    k->kernel->argument_offsets =
        geo_arena_new_array(&k->f.lower->module->arena, uint32_t, code->function->parameter_count);
    if (!k->kernel->argument_offsets && code->function->parameter_count) {
        geo_state_no_memory(&k->f);
        return false;
    }
    if (!geo_argument_place(code->function, k->kernel->argument_offsets,
                            &k->kernel->argument_bytes)) {
        geo_state_error(&k->f, NULL,
                        "error: kernel %s: its %u arguments have more than %llu bytes together: "
                        "pass large data by pointer",
                        code->function->entry_name, code->function->parameter_count,
                        (unsigned long long)GEO_PLACE_LIMIT);
        return false;
    }
    create_function(k);
    if (k->f.failed || !geo_function_shapes(&k->f, &k->shapes_fit)) {
        return false;
    }
    emit_entry(k);
    emit_versions(k);
    measure_frame(k);
    return !k->f.failed;
}

/* Emits the version for any ids as a function that runs one item at a time. */
static bool any_emit(struct kernel *k, LLVMValueRef function)
{
    struct geo_lower_function *f = &k->f;
    const struct geo_shape_options options = {.lanes = 1,
                                              .large_objects = f->options->large_objects};
    if (!geo_shapes_compute(&f->frame->code->loops, &options, f->arena, &k->shapes_any)) {
        geo_state_no_memory(f);
        return false;
    }
    function_begin(f, function);
    if (!geo_function_shapes(f, &k->shapes_any)) {
        return false;
    }
    emit_entry(k);
    emit_version(k, &k->shapes_any, false);
    measure_frame(k);
    return !f->failed;
}

/* Emits the kernel's function if *any is NULL, otherwise its version for any ids into *any. Sets
 * *any to the function that is still to be emitted, or NULL. */
static bool function_emit(struct geo_lower *lower, struct geo_lower_code *code,
                          struct geo_lower_kernel *kernel, struct geo_lower_callees *callees,
                          LLVMValueRef *any)
{
    struct kernel k = {.kernel = kernel,
                       .groups = {.f = &k.f, .any = kernel->flags & GEO_KERNEL_ANY_GROUPS}};
    struct geo_arena arena;
    geo_arena_init(&arena, GEO_LOWER_ARENA_LIMIT);
    bool good = geo_function_init(&k.f, lower, code, *any ? 1 : kernel->lanes, callees, &arena) &&
                (*any ? any_emit(&k, *any) : kernel_emit(&k, code));
    *any = k.any;
    lower->no_memory |= k.f.no_memory;
    geo_function_finish(&k.f);
    geo_arena_finish(&arena);
    return good;
}

bool geo_function_kernel_emit(struct geo_lower *lower, struct geo_lower_code *code,
                              struct geo_lower_kernel *kernel, struct geo_lower_callees *callees)
{
    LLVMValueRef any = NULL;
    return function_emit(lower, code, kernel, callees, &any) &&
           (!any || function_emit(lower, code, kernel, callees, &any));
}
