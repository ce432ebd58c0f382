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
 * The version for ids that may wrap is rarely run. Without sub-groups and calls, it is a function
 * of its own (kernel.NAME.any) that runs item by item, because code without masks and vectors
 * compiles fastest. LLVM does not optimise it (codegen/optimize.c). Otherwise the version treats
 * every chunk as partial, which saves a copy of the body. Large bodies do the same if masking is
 * cheap, because they take longest to compile. If both versions would have the same shapes, there
 * is only one.
 *
 * A restricted kernel (GEO_KERNEL_RESTRICTED) has neither that version nor partial chunks, because
 * most launches need neither. A chunk that may start again with masks keeps its masked copy.
 *
 * Sub-groups need chunks by linear id. Usually rows are whole chunks, or there is one row. Then
 * linear chunks are the same as chunks in rows, and local ids are consecutive. The first version
 * assumes that as well. */
#include "compiler/lower/cpu/function/kernel.h"

#include "base/assert.h"
#include "compiler/analysis/grouping.h"
#include "compiler/analysis/passed.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/cpu/function/begin.h"
#include "compiler/lower/cpu/function/explain.h"
#include "compiler/lower/cpu/function/variants.h"
#include "compiler/lower/cpu/function/versions.h"
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
    struct geo_lower_groups groups;
};

/* ---- the entry ---- */

/* Computes the ids of the first group from its linear number. */
static void locate_first_group(struct kernel *k)
{
    struct geo_lower_function *f = &k->f;
    const LLVMValueRef *count = f->frame->ids.group_count;
    LLVMValueRef first = LLVMGetParam(f->llvm.function, 2);
    LLVMValueRef row = LLVMBuildUDiv(f->llvm.builder, first, count[0], "");
    LLVMValueRef group[] = {LLVMBuildURem(f->llvm.builder, first, count[0], ""),
                            LLVMBuildURem(f->llvm.builder, row, count[1], ""),
                            LLVMBuildUDiv(f->llvm.builder, row, count[1], "")};
    for (uint32_t i = 0; i < 3; i++) {
        k->groups.slots[i] = geo_emit_alloca(f, geo_type_i64(f), "group");
        LLVMBuildStore(f->llvm.builder, group[i], k->groups.slots[i]);
    }
}

/* Returns the address of a part of scratch whose offset is a field of the launch. */
static LLVMValueRef scratch_part(struct geo_lower_function *f, uint64_t field, const char *name)
{
    LLVMValueRef offset = geo_frame_launch_field(f, geo_type_i64(f), field, name);
    return geo_emit_offset(f, f->frame->contract.scratch, offset);
}

static void emit_entry(struct kernel *k)
{
    struct geo_lower_function *f = &k->f;
    struct geo_lower_frame *frame = f->frame;
    GEO_ASSERT(LLVMCountParams(f->llvm.function) == 4);
    f->frame->contract.launch = LLVMGetParam(f->llvm.function, 0);
    f->frame->contract.worker = LLVMGetParam(f->llvm.function, 1);
    f->frame->contract.scratch = geo_frame_launch_scratch(f);
    frame->contract.memory = scratch_part(f, offsetof(struct geo_launch, frame_offset), "frame");
    if (frame->code->barriers.count) {
        k->groups.records = scratch_part(f, offsetof(struct geo_launch, chunk_offset), "chunks");
        k->groups.record_offset = geo_emit_alloca(f, geo_type_i64(f), "record");
    }
    if (frame->code->barriers.count && !frame->split.cut) {
        frame->body.next_barrier = geo_emit_alloca(f, geo_type_i32(f), "barrier");
    }
    if (frame->code->calls) {
        frame->contract.context = geo_frame_ids_context_alloca(f, "context");
        frame->contract.callee_memory =
            geo_emit_offset_const(f, frame->contract.memory, frame->layout.frame_bytes);
    }
    geo_frame_ids_launch(f, k->groups.any ? NULL : f->function);
    geo_argument_load(f, k->groups.kernel->argument_offsets);
    locate_first_group(k);
}

static void add_attribute(struct geo_lower_function *f, unsigned at, const char *name,
                          uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f->llvm.function, at,
                            LLVMCreateEnumAttribute(f->llvm.context, kind, value));
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
    LLVMValueRef function = geo_function_versions_kernel_add(f, "");
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    function_begin(f, function);
    size_t length;
    const char *symbol = LLVMGetValueName2(function, &length);
    k->groups.kernel->symbol = geo_arena_string(&f->lower->module->arena, symbol, length);
    if (!k->groups.kernel->symbol) {
        geo_state_no_memory(f);
    }
    geo_remark_name(f->function, NULL, "symbol", "symbol", k->groups.kernel->symbol);
}

/* ---- the kernel ---- */

/* Returns whether the kernel is emitted without the code that most launches do not need. Kernels
 * with calls stay complete, because the functions are compiled again with each build. Groups that
 * wait for each other at barriers of the device need memory by the kernel's records, which must not
 * change. A required size that is not a multiple of W always has partial chunks. */
static bool is_restricted(const struct kernel *k, const struct geo_lower_code *code)
{
    uint32_t required = code->function->required_size[0], lanes = k->groups.kernel->lanes;
    return k->f.options->restricted && lanes > 1 && !code->calls && !code->barriers.any_device &&
           (required % lanes == 0 || k->groups.any);
}

/* Marks the kernel if its code lacks something. */
static void mark_restricted(const struct geo_lower_groups *k)
{
    bool whole = k->rows || k->kernel->flags & GEO_KERNEL_WHOLE_ROWS;
    if (k->restricted && (whole || k->versions)) {
        k->kernel->flags |= GEO_KERNEL_RESTRICTED | (whole ? GEO_KERNEL_WHOLE_ROWS : 0);
    }
}

/* Divides the kernel into regions. Device barriers prevent that, because they end the call of the
 * kernel, which later continues through a switch. */
static bool find_regions(struct kernel *k, const struct geo_lower_code *code)
{
    struct geo_lower_frame *frame = k->f.frame;
    if (!geo_barriers_passed(&code->loops, &code->barriers, k->f.arena, &frame->split.group,
                             &frame->split.passed)) {
        return false;
    }
    return !code->barriers.count || frame->split.passed || code->barriers.any_device ||
           geo_regions_cut(&code->loops, &code->barriers, &frame->split.group, k->f.arena,
                           &frame->split.regions);
}

static void measure_frame(struct kernel *k)
{
    uint64_t frame_bytes = k->f.frame->layout.frame_bytes;
    k->groups.kernel->frame_bytes =
        frame_bytes > k->groups.kernel->frame_bytes ? frame_bytes : k->groups.kernel->frame_bytes;
}

static bool kernel_emit(struct kernel *k, struct geo_lower_code *code)
{
    if (!geo_function_versions_find(&k->groups) || !find_regions(k, code)) {
        geo_state_no_memory(&k->f);
        return false;
    }
    k->groups.kernel->argument_offsets =
        geo_arena_new_array(&k->f.lower->module->arena, uint32_t, code->function->parameter_count);
    if (!k->groups.kernel->argument_offsets && code->function->parameter_count) {
        geo_state_no_memory(&k->f);
        return false;
    }
    if (!geo_argument_place(code->function, k->groups.kernel->argument_offsets,
                            &k->groups.kernel->argument_bytes)) {
        geo_state_error(&k->f, NULL,
                        "error: kernel %s: its %u arguments have more than %llu bytes together: "
                        "pass large data by pointer",
                        code->function->entry_name, code->function->parameter_count,
                        (unsigned long long)GEO_PLACE_LIMIT);
        return false;
    }
    create_function(k);
    geo_function_explain(&k->groups);
    if (k->f.failed || !geo_function_shapes(&k->f, &k->groups.shapes_fit)) {
        return false;
    }
    emit_entry(k);
    k->groups.restricted = is_restricted(k, code);
    geo_function_versions_run(&k->groups);
    mark_restricted(&k->groups);
    measure_frame(k);
    k->groups.kernel->flags |= k->f.options->counted ? GEO_KERNEL_COUNTED : 0;
    k->groups.kernel->flags |= k->f.lower->module->near_null ? GEO_KERNEL_NEAR_NULL : 0;
    if (k->groups.kernel->flags & GEO_KERNEL_ANY_GROUPS && !k->groups.tiled &&
        geo_grouping_is_in_rows(&code->loops, &k->groups.shapes_fit)) {
        k->groups.kernel->flags |= GEO_KERNEL_LONG_ROWS;
    }
    return !k->f.failed;
}

/* Emits the version for any ids as a function that runs one item at a time. */
static bool any_emit(struct kernel *k, LLVMValueRef function)
{
    struct geo_lower_function *f = &k->f;
    const struct geo_shape_options options = {.lanes = 1,
                                              .large_objects = f->options->large_objects};
    if (!geo_shapes_compute(&f->frame->code->loops, &options, f->arena, &k->groups.shapes_any) ||
        !find_regions(k, f->frame->code)) {
        geo_state_no_memory(f);
        return false;
    }
    function_begin(f, function);
    if (!geo_function_shapes(f, &k->groups.shapes_any)) {
        return false;
    }
    emit_entry(k);
    geo_function_version_run(&k->groups, &k->groups.shapes_any);
    measure_frame(k);
    return !f->failed;
}

/* Emits the kernel's function if *any is NULL, otherwise its version for any ids into *any. Sets
 * *any to the function that is still to be emitted, or NULL. */
static bool function_emit(struct geo_lower *lower, struct geo_lower_code *code,
                          struct geo_lower_kernel *kernel, struct geo_lower_callees *callees,
                          LLVMValueRef *any)
{
    struct kernel k = {
        .groups = {.f = &k.f, .kernel = kernel, .any = kernel->flags & GEO_KERNEL_ANY_GROUPS}};
    k.groups.variants = geo_variants_table(&k.groups.variant_count);
    struct geo_arena arena;
    geo_arena_init(&arena, GEO_LOWER_ARENA_LIMIT);
    bool good = geo_function_init(&k.f, lower, code, *any ? 1 : kernel->lanes, callees, &arena) &&
                (*any ? any_emit(&k, *any) : kernel_emit(&k, code));
    *any = k.groups.any_function;
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
