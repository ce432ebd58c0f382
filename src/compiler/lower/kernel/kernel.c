/* A kernel's entry: kernel(launch, worker, first_group, group_count).
 *
 *     load the launch, the arguments
 *     ids fit 31 bits? -> one of two versions of:
 *       for each group (x fastest)
 *         do                                 (with barriers: a turn per region)
 *           for each chunk: body             full chunks without a mask, the last one of a row
 *                                            masked
 *         while a chunk stopped at a barrier
 *
 * The version for ids that may wrap is rarely run: it treats every chunk as partial, which saves a
 * copy of the body. Large bodies do that wherever masking is cheap: they take the longest to
 * compile. When both would have the same shapes there is one version. */
#include "compiler/lower/kernel/kernel.h"

#include "native/native.h"

#include <stdlib.h>
#include <string.h>

/* ---- loops ---- */

/* for (counter = 0; ...; counter += step), its counter in an alloca. */
struct loop {
    LLVMValueRef slot, value;
    LLVMBasicBlockRef head, exit;
};

static void loop_begin(struct geo_lower_function *f, struct loop *loop, const char *name)
{
    loop->slot = geo_lower_alloca(f, geo_lower_i64(f), name);
    loop->head = geo_lower_block(f, name);
    LLVMBuildStore(f->builder, geo_lower_const_i64(f, 0), loop->slot);
    LLVMBuildBr(f->builder, loop->head);
    LLVMPositionBuilderAtEnd(f->builder, loop->head);
    loop->value = LLVMBuildLoad2(f->builder, geo_lower_i64(f), loop->slot, name);
}

static void loop_while(struct geo_lower_function *f, struct loop *loop, LLVMValueRef condition)
{
    LLVMBasicBlockRef body = geo_lower_block(f, "loop");
    loop->exit = geo_lower_block(f, "exit");
    LLVMBuildCondBr(f->builder, condition, body, loop->exit);
    LLVMPositionBuilderAtEnd(f->builder, body);
}

static void loop_end(struct geo_lower_function *f, struct loop *loop, uint64_t step)
{
    LLVMValueRef next = LLVMBuildAdd(f->builder, loop->value, geo_lower_const_i64(f, step), "");
    LLVMBuildStore(f->builder, next, loop->slot);
    LLVMBuildBr(f->builder, loop->head);
    LLVMPositionBuilderAtEnd(f->builder, loop->exit);
}

static LLVMValueRef below(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(f->builder, LLVMIntULT, a, b, "");
}

/* ---- chunks ---- */

static void store_context(struct geo_lower_function *f)
{
    struct geo_lower_ids *ids = &f->frame->ids;
    for (uint32_t i = 0; f->frame->context && i < GEO_LOWER_CONTEXT_FIELDS; i++) {
        LLVMValueRef value = i < 3 ? ids->group[i] : i < 6 ? ids->local[i - 3] : ids->linear;
        LLVMBuildStore(f->builder, value, geo_lower_offset(f, f->frame->context, 8 * (uint64_t)i));
    }
}

/* The record of the chunk whose turn it is; chunks come in the same order in every region. */
static void enter_record(struct geo_lower_kernel_state *k)
{
    struct geo_lower_function *f = &k->f;
    if (!f->frame->code->barriers.count) {
        return;
    }
    LLVMValueRef offset = LLVMBuildLoad2(f->builder, geo_lower_i64(f), k->record_offset, "");
    f->frame->record = f->frame->memory = geo_lower_offset_by(f, k->records, offset);
    LLVMValueRef next =
        LLVMBuildAdd(f->builder, offset, geo_lower_const_i64(f, f->frame->layout.chunk_bytes), "");
    LLVMBuildStore(f->builder, next, k->record_offset);
}

static void run_chunk(struct geo_lower_kernel_state *k, LLVMValueRef mask)
{
    struct geo_lower_function *f = &k->f;
    f->frame->base_mask = mask;
    f->frame->base_lane0 = true;
    enter_record(k);
    store_context(f);
    geo_lower_body(f, k->resume);
}

/* Chunks at 0, W, 2 W ... below `items`; the place goes to *id. */
static void run_row(struct geo_lower_kernel_state *k, LLVMValueRef *id, LLVMValueRef items,
                    uint32_t known_items)
{
    struct geo_lower_function *f = &k->f;
    uint32_t lanes = f->lanes;
    bool partial = lanes > 1 && (!known_items || known_items % lanes);
    struct loop loop;
    loop_begin(f, &loop, "chunk");
    if (partial && k->masked_only) {
        loop_while(f, &loop, below(f, loop.value, items));
        *id = loop.value;
        run_chunk(k, geo_lower_mask_below(f, LLVMBuildSub(f->builder, items, loop.value, "")));
        loop_end(f, &loop, lanes);
        return;
    }
    LLVMValueRef last = LLVMBuildAdd(f->builder, loop.value, geo_lower_const_i64(f, lanes - 1), "");
    loop_while(f, &loop, below(f, last, items));
    *id = loop.value;
    run_chunk(k, NULL);
    loop_end(f, &loop, lanes);
    if (!partial) {
        return;
    }
    LLVMValueRef at = LLVMBuildLoad2(f->builder, geo_lower_i64(f), loop.slot, "");
    LLVMBasicBlockRef some = geo_lower_block(f, "partial");
    LLVMBasicBlockRef after = geo_lower_block(f, "row.done");
    LLVMBuildCondBr(f->builder, below(f, at, items), some, after);
    LLVMPositionBuilderAtEnd(f->builder, some);
    *id = at;
    run_chunk(k, geo_lower_mask_below(f, LLVMBuildSub(f->builder, items, at, "")));
    LLVMBuildBr(f->builder, after);
    LLVMPositionBuilderAtEnd(f->builder, after);
}

static void run_chunks(struct geo_lower_kernel_state *k)
{
    struct geo_lower_function *f = &k->f;
    struct geo_lower_ids *ids = &f->frame->ids;
    const uint32_t *required = f->function->required_size;
    LLVMValueRef zero = geo_lower_const_i64(f, 0);
    ids->linear = ids->local[0] = ids->local[1] = ids->local[2] = zero;
    if (f->shapes->linear) {
        LLVMValueRef items = LLVMBuildMul(f->builder, ids->local_size[0], ids->local_size[1], "");
        items = LLVMBuildMul(f->builder, items, ids->local_size[2], "");
        run_row(k, &ids->linear, items, required[0] * required[1] * required[2]);
        return;
    }
    struct loop z, y;
    loop_begin(f, &z, "z");
    loop_while(f, &z, below(f, z.value, ids->local_size[2]));
    loop_begin(f, &y, "y");
    loop_while(f, &y, below(f, y.value, ids->local_size[1]));
    ids->local[1] = y.value;
    ids->local[2] = z.value;
    run_row(k, &ids->local[0], ids->local_size[0], required[0]);
    loop_end(f, &y, 1);
    loop_end(f, &z, 1);
}

/* ---- groups ---- */

static void run_group(struct geo_lower_kernel_state *k)
{
    struct geo_lower_function *f = &k->f;
    if (!f->frame->code->barriers.count) {
        k->resume = NULL;
        run_chunks(k);
        return;
    }
    LLVMValueRef none = geo_lower_const_i32(f, 0);
    LLVMBasicBlockRef region = geo_lower_block(f, "region");
    LLVMBasicBlockRef done = geo_lower_block(f, "group.done");
    LLVMBuildStore(f->builder, none, f->frame->next_barrier);
    LLVMBuildBr(f->builder, region);
    LLVMPositionBuilderAtEnd(f->builder, region);
    k->resume = LLVMBuildLoad2(f->builder, geo_lower_i32(f), f->frame->next_barrier, "resume");
    LLVMBuildStore(f->builder, none, f->frame->next_barrier);
    LLVMBuildStore(f->builder, geo_lower_const_i64(f, 0), k->record_offset);
    run_chunks(k);
    LLVMValueRef next = LLVMBuildLoad2(f->builder, geo_lower_i32(f), f->frame->next_barrier, "");
    LLVMValueRef stopped = LLVMBuildICmp(f->builder, LLVMIntNE, next, none, "");
    LLVMBuildCondBr(f->builder, stopped, region, done);
    LLVMPositionBuilderAtEnd(f->builder, done);
}

/* group[0]++, carrying into y and z. */
static void advance_group(struct geo_lower_kernel_state *k)
{
    struct geo_lower_function *f = &k->f;
    LLVMValueRef zero = geo_lower_const_i64(f, 0);
    LLVMValueRef carry = LLVMConstInt(geo_lower_i1(f), 1, 0);
    for (uint32_t i = 0; i < 3; i++) {
        LLVMValueRef step = LLVMBuildZExt(f->builder, carry, geo_lower_i64(f), "");
        LLVMValueRef next = LLVMBuildAdd(f->builder, f->frame->ids.group[i], step, "");
        carry = LLVMBuildICmp(f->builder, LLVMIntEQ, next, f->frame->ids.group_count[i], "");
        LLVMValueRef wrapped = LLVMBuildSelect(f->builder, carry, zero, next, "");
        LLVMBuildStore(f->builder, i < 2 ? wrapped : next, k->group_slots[i]);
    }
}

static void run_groups(struct geo_lower_kernel_state *k)
{
    struct geo_lower_function *f = &k->f;
    struct loop groups;
    loop_begin(f, &groups, "group");
    loop_while(f, &groups, below(f, groups.value, LLVMGetParam(f->llvm_function, 3)));
    for (uint32_t i = 0; i < 3; i++) {
        f->frame->ids.group[i] =
            LLVMBuildLoad2(f->builder, geo_lower_i64(f), k->group_slots[i], "group");
    }
    run_group(k);
    advance_group(k);
    loop_end(f, &groups, 1);
    LLVMBuildRetVoid(f->builder);
}

/* ---- the entry ---- */

static void locate_first_group(struct geo_lower_kernel_state *k)
{
    struct geo_lower_function *f = &k->f;
    const LLVMValueRef *count = f->frame->ids.group_count;
    LLVMValueRef first = LLVMGetParam(f->llvm_function, 2);
    LLVMValueRef row = LLVMBuildUDiv(f->builder, first, count[0], "");
    LLVMValueRef group[] = {LLVMBuildURem(f->builder, first, count[0], ""),
                            LLVMBuildURem(f->builder, row, count[1], ""),
                            LLVMBuildUDiv(f->builder, row, count[1], "")};
    for (uint32_t i = 0; i < 3; i++) {
        k->group_slots[i] = geo_lower_alloca(f, geo_lower_i64(f), "group");
        LLVMBuildStore(f->builder, group[i], k->group_slots[i]);
    }
}

static void load_argument(struct geo_lower_function *f, const struct geo_ir_value *parameter,
                          LLVMValueRef block, uint64_t offset)
{
    const struct geo_ir_type *type = parameter->type;
    if (type->kind == GEO_TYPE_POINTER && type->storage == SpvStorageClassFunction) {
        geo_lower_set_value(f, parameter, 0, geo_lower_offset(f, block, offset));
        return;
    }
    if (type->kind == GEO_TYPE_POINTER && type->storage == SpvStorageClassWorkgroup) {
        LLVMValueRef bytes =
            geo_lower_load_invariant(f, geo_lower_i64(f), geo_lower_offset(f, block, offset), 8);
        geo_lower_set_value(f, parameter, 0, geo_lower_offset_by(f, f->frame->scratch, bytes));
        return;
    }
    for (uint32_t part = 0; part < geo_lower_part_count(type) && !f->failed; part++) {
        const struct geo_ir_type *part_type = geo_lower_part_type(type, part);
        uint64_t at = offset + geo_lower_part_offset(type, part);
        bool is_bool = part_type->kind == GEO_TYPE_BOOL;
        LLVMTypeRef held = geo_lower_scalar_type(f, part_type);
        LLVMValueRef value = geo_lower_load_invariant(
            f, is_bool ? geo_lower_i8(f) : held, geo_lower_offset(f, block, at),
            part_type->size ? (uint32_t)part_type->size : 1);
        if (is_bool) {
            value = LLVMBuildTrunc(f->builder, value, held, "");
        }
        geo_lower_set_value(f, parameter, part, value);
    }
}

static void load_arguments(struct geo_lower_function *f, const struct geo_lower_kernel *kernel)
{
    if (!f->function->parameter_count) {
        return;
    }
    LLVMValueRef block = geo_lower_launch_field(
        f, geo_lower_ptr(f), offsetof(struct geo_launch, arguments), "arguments");
    for (uint32_t i = 0; i < f->function->parameter_count; i++) {
        load_argument(f, f->function->parameters[i], block, kernel->argument_offsets[i]);
    }
}

static LLVMValueRef scratch_part(struct geo_lower_function *f, uint64_t field, const char *name)
{
    LLVMValueRef offset = geo_lower_launch_field(f, geo_lower_i64(f), field, name);
    return geo_lower_offset_by(f, f->frame->scratch, offset);
}

static void emit_entry(struct geo_lower_kernel_state *k)
{
    struct geo_lower_function *f = &k->f;
    struct geo_lower_frame *frame = f->frame;
    frame->launch = LLVMGetParam(f->llvm_function, 0);
    frame->worker = LLVMGetParam(f->llvm_function, 1);
    frame->scratch = geo_lower_scratch(f);
    frame->memory = scratch_part(f, offsetof(struct geo_launch, frame_offset), "frame");
    if (frame->code->barriers.count) {
        k->records = scratch_part(f, offsetof(struct geo_launch, chunk_offset), "chunks");
        k->record_offset = geo_lower_alloca(f, geo_lower_i64(f), "record");
        frame->next_barrier = geo_lower_alloca(f, geo_lower_i32(f), "barrier");
    }
    if (frame->code->calls) {
        frame->context = geo_lower_alloca(
            f, LLVMArrayType2(geo_lower_i64(f), GEO_LOWER_CONTEXT_FIELDS), "context");
        frame->callee_memory = geo_lower_offset(f, frame->memory, frame->layout.frame_bytes);
    }
    geo_lower_ids_launch(f, f->function);
    load_arguments(f, k->kernel);
    locate_first_group(k);
}

static void add_attribute(struct geo_lower_function *f, unsigned at, const char *name,
                          uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f->llvm_function, at, LLVMCreateEnumAttribute(f->context, kind, value));
}

static void create_function(struct geo_lower_kernel_state *k)
{
    struct geo_lower_function *f = &k->f;
    struct geo_lower *lower = f->lower;
    LLVMTypeRef parameters[] = {geo_lower_ptr(f), geo_lower_ptr(f), geo_lower_i64(f),
                                geo_lower_i64(f)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->context), parameters, 4, 0);
    struct geo_strbuf name;
    geo_strbuf_init(&name, 0);
    geo_strbuf_printf(&name, "kernel.%s", f->function->entry_name);
    LLVMValueRef function = LLVMAddFunction(lower->llvm_module, geo_strbuf_text(&name), type);
    geo_strbuf_finish(&name);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    geo_lower_function_begin(f, function);
    add_attribute(f, LLVMAttributeFunctionIndex, "nounwind", 0);
    const uint64_t sizes[] = {sizeof(struct geo_launch), sizeof(struct geo_worker)};
    for (unsigned i = 0; i < 2; i++) {
        add_attribute(f, i + 1, "noalias", 0);
        add_attribute(f, i + 1, "nonnull", 0);
        add_attribute(f, i + 1, "dereferenceable", sizes[i]);
    }
    size_t length;
    const char *symbol = LLVMGetValueName2(function, &length);
    k->kernel->symbol = geo_arena_string(&lower->module->arena, symbol, length);
    if (!k->kernel->symbol) {
        geo_lower_no_memory(f);
    }
}

/* ---- versions ---- */

static bool same_shapes(const struct geo_lower_code *code, const struct geo_shapes *a,
                        const struct geo_shapes *b)
{
    for (uint32_t i = 0; i < code->function->value_count; i++) {
        const struct geo_shape *x = &a->values[i], *y = &b->values[i];
        if (x->kind != y->kind || x->stride != y->stride || x->anchored != y->anchored) {
            return false;
        }
    }
    return memcmp(a->divergent_branch, b->divergent_branch,
                  code->function->block_count * sizeof(bool)) == 0;
}

static bool compute_shapes(struct geo_lower_kernel_state *k)
{
    const struct geo_lower_code *code = k->f.frame->code;
    struct geo_shape_options options = {.lanes = k->kernel->lanes,
                                        .linear = k->kernel->flags & GEO_KERNEL_LINEAR};
    if (!geo_shapes_compute(&code->loops, &options, k->f.arena, &k->shapes_any)) {
        return false;
    }
    options.ids_fit_31_bits = true;
    if (!geo_shapes_compute(&code->loops, &options, k->f.arena, &k->shapes_fit)) {
        return false;
    }
    k->versions = k->kernel->lanes > 1 && !same_shapes(code, &k->shapes_any, &k->shapes_fit);
    return true;
}

/* Instructions of a body above which a second copy for full chunks costs more time to compile than
 * it is likely to save: measured, the time of large modules falls by 40 % and their kernels lose
 * less than a tenth. */
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

static void emit_version(struct geo_lower_kernel_state *k, const struct geo_shapes *shapes,
                         bool masked_only)
{
    struct geo_lower_function *f = &k->f;
    k->masked_only = masked_only;
    if (f->failed || !geo_lower_function_shapes(f, shapes)) {
        return;
    }
    run_groups(k);
    uint64_t chunk_bytes = f->frame->layout.chunk_bytes;
    k->kernel->chunk_bytes =
        chunk_bytes > k->kernel->chunk_bytes ? chunk_bytes : k->kernel->chunk_bytes;
}

static void emit_versions(struct geo_lower_kernel_state *k)
{
    struct geo_lower_function *f = &k->f;
    bool masked_only = f->options->target.has_masks && is_large(f->frame->code->function);
    if (!k->versions) {
        emit_version(k, &k->shapes_fit, masked_only);
        return;
    }
    LLVMValueRef flags =
        geo_lower_launch_field(f, geo_lower_i32(f), offsetof(struct geo_launch, flags), "flags");
    LLVMValueRef bit =
        LLVMBuildAnd(f->builder, flags, geo_lower_const_i32(f, GEO_LAUNCH_IDS_FIT_31_BITS), "");
    LLVMValueRef fits = LLVMBuildICmp(f->builder, LLVMIntNE, bit, geo_lower_const_i32(f, 0), "");
    LLVMBasicBlockRef fit = geo_lower_block(f, "ids.fit");
    LLVMBasicBlockRef any = geo_lower_block(f, "ids.any");
    LLVMBuildCondBr(f->builder, fits, fit, any);
    LLVMPositionBuilderAtEnd(f->builder, fit);
    emit_version(k, &k->shapes_fit, masked_only);
    LLVMMoveBasicBlockAfter(any, LLVMGetLastBasicBlock(f->llvm_function));
    LLVMPositionBuilderAtEnd(f->builder, any);
    emit_version(k, &k->shapes_any, true);
}

static bool kernel_emit(struct geo_lower_kernel_state *k, struct geo_lower_code *code)
{
    if (!compute_shapes(k)) {
        geo_lower_no_memory(&k->f);
        return false;
    }
    k->kernel->argument_offsets =
        geo_arena_new_array(&k->f.lower->module->arena, uint32_t, code->function->parameter_count);
    if (!k->kernel->argument_offsets && code->function->parameter_count) {
        geo_lower_no_memory(&k->f);
        return false;
    }
    if (!geo_lower_layout_arguments(code->function, k->kernel->argument_offsets,
                                    &k->kernel->argument_bytes)) {
        geo_lower_error(&k->f, NULL, "error: kernel %s: arguments are too large",
                        code->function->entry_name);
        return false;
    }
    create_function(k);
    if (k->f.failed || !geo_lower_function_shapes(&k->f, &k->shapes_fit)) {
        return false;
    }
    emit_entry(k);
    emit_versions(k);
    k->kernel->frame_bytes = k->f.frame->layout.frame_bytes;
    return !k->f.failed;
}

bool geo_lower_kernel_emit(struct geo_lower *lower, struct geo_lower_code *code,
                           struct geo_lower_kernel *kernel, struct geo_lower_callees *callees)
{
    struct geo_lower_kernel_state k = {.kernel = kernel};
    struct geo_arena arena;
    geo_arena_init(&arena, GEO_LOWER_ARENA_LIMIT);
    bool good =
        geo_lower_function_init(&k.f, lower, code, kernel->lanes, &arena) && kernel_emit(&k, code);
    lower->no_memory |= k.f.no_memory;
    if (k.f.frame) {
        *callees = k.f.frame->callees;
        k.f.frame->callees = (struct geo_lower_callees){0};
    }
    geo_lower_function_finish(&k.f);
    geo_arena_finish(&arena);
    return good;
}
