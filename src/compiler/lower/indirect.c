/* Functions by address: descriptors (struct geo_function, abi.h), and calls through pointers.
 *
 * A pointer may differ from lane to lane: the distinct targets are called in turn, each with the
 * lanes that have it. A target is called at the caller's own width where its descriptor has code
 * for that, else for one lane after the other: descriptors of other modules, and those made before
 * a caller was known, have code for one work-item at least. Bad pointers trap, which is a fault
 * of the kernel. */
#include "compiler/lower/frame.h"
#include "compiler/lower/instruction.h"

#include "base/array.h"
#include "compiler/ir/units.h"

#include <stdio.h>
#include <string.h>

#define STEP_BYTES GEO_ABI_SCRATCH_ALIGN /* of frame a call takes at least: ends recursion */

struct geo_lower_descriptor {
    struct geo_lower_code *code;
    LLVMValueRef global;
    struct geo_lower_descriptor *next;
};

static uint32_t width_of(uint32_t lanes)
{
    return (uint32_t)__builtin_ctz(lanes);
}

/* ---- planning ---- */

static bool behind_pointers(const struct geo_lower *lower, const struct geo_ir_value *value)
{
    const struct geo_ir_constant *constant = (const struct geo_ir_constant *)value;
    if (value->kind != GEO_VALUE_CONSTANT || constant->op != SpvOpConstantFunctionPointerINTEL) {
        return false;
    }
    const struct geo_ir_function *function = geo_ir_as_function(constant->operands[0]);
    const struct geo_lower_code *code =
        function ? geo_lower_code_find((struct geo_lower *)lower, function) : NULL;
    return code && code->subgroups;
}

void geo_lower_indirect_plan(struct geo_lower *lower)
{
    bool indirect = false, subgroups = false;
    for (uint32_t i = 0; i < lower->code_count; i++) {
        indirect |= lower->codes[i]->indirect;
        subgroups |= lower->codes[i]->function->indirect && lower->codes[i]->subgroups;
    }
    for (size_t i = 0; indirect && i < lower->module->constants.count; i++) {
        subgroups |= behind_pointers(lower, lower->module->constants.items[i]);
    }
    for (uint32_t i = 0; indirect && subgroups && i < lower->code_count; i++) {
        lower->codes[i]->subgroups |= lower->codes[i]->calls;
    }
}

bool geo_lower_indirect_used(const struct geo_lower *lower)
{
    for (uint32_t i = 0; i < GEO_FUNCTION_WIDTHS; i++) {
        if (lower->indirect_shapes[0][i] || lower->indirect_shapes[1][i]) {
            return true;
        }
    }
    return false;
}

/* ---- descriptors ---- */

static LLVMTypeRef descriptor_type(const struct geo_lower *lower)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(lower->context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(lower->context, 0);
    LLVMTypeRef entry =
        LLVMStructTypeInContext(lower->context, (LLVMTypeRef[]){pointer, word}, 2, 0);
    LLVMTypeRef members[] = {word, pointer, pointer, word,
                             LLVMArrayType2(entry, UINT64_C(2) * GEO_FUNCTION_WIDTHS)};
    return LLVMStructTypeInContext(lower->context, members, 5, 0);
}

LLVMValueRef geo_lower_function_address(struct geo_lower_function *f,
                                        const struct geo_ir_function *function)
{
    struct geo_lower *lower = f->lower;
    struct geo_lower_code *code = geo_lower_code_find(lower, function);
    char label[300];
    const char *name = function->value.name ? function->value.name : "unnamed";
    if (!code || code->barriers.count) {
        geo_lower_error(
            f, NULL, "error: address of function %%%u (%s): %s", function->value.id, name,
            code ? "a function with a barrier cannot be called by pointer" : "it has no body");
        return LLVMConstNull(geo_lower_ptr(f));
    }
    if (code->descriptor) {
        return code->descriptor->global;
    }
    struct geo_lower_descriptor *made = geo_arena_new(&lower->arena, struct geo_lower_descriptor);
    if (!made) {
        geo_lower_no_memory(f);
        return LLVMConstNull(geo_lower_ptr(f));
    }
    geo_ir_descriptor_symbol(function, label, sizeof(label));
    made->code = code;
    made->global = LLVMAddGlobal(lower->llvm_module, descriptor_type(lower), label);
    LLVMSetLinkage(made->global, function->indirect ? LLVMExternalLinkage : LLVMInternalLinkage);
    if (function->indirect) {
        LLVMSetVisibility(made->global, LLVMHiddenVisibility);
    }
    LLVMSetAlignment(made->global, 16);
    LLVMSetGlobalConstant(made->global, 1);
    made->next = lower->descriptors;
    lower->descriptors = code->descriptor = made;
    return made->global;
}

bool geo_lower_indirect_exports(struct geo_lower *lower)
{
    struct geo_lower_function f;
    struct geo_arena arena;
    geo_lower_module_scope(&f, lower, &arena);
    for (uint32_t i = 0; i < lower->code_count && !f.failed; i++) {
        /* What cannot be called by pointer is no error as long as nobody asks. */
        if (lower->codes[i]->function->indirect && !lower->codes[i]->barriers.count) {
            geo_lower_function_address(&f, lower->codes[i]->function);
        }
    }
    geo_lower_module_scope_finish(&f);
    return !f.failed;
}

/* Whether a function can be compiled for chunks of this kind. */
static bool can_run(const struct geo_lower_code *code, uint32_t lanes, bool linear)
{
    return (code->canonical || lanes == 1) && (!code->subgroups || linear);
}

/* At W = 1 sub-groups have one item, whatever the kind of chunk: not the caller's meaning. */
static bool is_wanted(const struct geo_lower *lower, const struct geo_lower_code *code,
                      uint32_t width, bool linear)
{
    bool fallback = width == 0 && !linear;
    return (fallback || lower->indirect_shapes[linear][width]) &&
           can_run(code, 1u << width, linear);
}

bool geo_lower_indirect_instances(struct geo_lower *lower)
{
    struct geo_lower_function f;
    struct geo_arena arena;
    if (!lower->descriptors) {
        return true;
    }
    geo_lower_module_scope(&f, lower, &arena);
    for (const struct geo_lower_descriptor *d = lower->descriptors; d; d = d->next) {
        for (uint32_t shape = 0; shape < 2 * GEO_FUNCTION_WIDTHS && !f.failed; shape++) {
            uint32_t width = shape % GEO_FUNCTION_WIDTHS;
            bool linear = shape >= GEO_FUNCTION_WIDTHS;
            f.lanes = 1u << width;
            if (is_wanted(lower, d->code, width, linear)) {
                geo_lower_instance_get(&f, d->code, linear);
            }
        }
    }
    geo_lower_module_scope_finish(&f);
    return !f.failed;
}

static const struct geo_lower_instance *instance_find(const struct geo_lower_code *code,
                                                      uint32_t width, bool linear)
{
    for (const struct geo_lower_instance *i = code->instances; i; i = i->next_of_code) {
        if (i->lanes == 1u << width && i->linear == linear) {
            return i;
        }
    }
    return NULL;
}

/* What tells this object's functions from others: NULL when none of them uses local memory, whose
 * place only this module's kernels know. */
static LLVMValueRef object_mark(struct geo_lower *lower)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(lower->context);
    if (lower->shared_local_bytes == 0) {
        return LLVMConstNull(LLVMPointerTypeInContext(lower->context, 0));
    }
    if (!lower->object) {
        lower->object = LLVMAddGlobal(lower->llvm_module, word, "geoid.object");
        LLVMSetInitializer(lower->object, LLVMConstNull(word));
        LLVMSetLinkage(lower->object, LLVMInternalLinkage);
        LLVMSetGlobalConstant(lower->object, 1);
    }
    return lower->object;
}

static bool descriptor_fill(struct geo_lower *lower, const struct geo_lower_descriptor *d,
                            uint64_t *frame_bytes)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(lower->context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(lower->context, 0);
    LLVMValueRef entries[2 * GEO_FUNCTION_WIDTHS];
    LLVMTypeRef entry_type =
        LLVMStructTypeInContext(lower->context, (LLVMTypeRef[]){pointer, word}, 2, 0);
    for (uint32_t shape = 0; shape < 2 * GEO_FUNCTION_WIDTHS; shape++) {
        struct geo_lower_instance *instance = (struct geo_lower_instance *)instance_find(
            d->code, shape % GEO_FUNCTION_WIDTHS, shape >= GEO_FUNCTION_WIDTHS);
        uint64_t bytes = 0;
        if (instance) {
            if (!geo_lower_instance_measure(instance)) {
                return false;
            }
            bytes = instance->total_bytes;
        }
        *frame_bytes = bytes > *frame_bytes ? bytes : *frame_bytes;
        LLVMValueRef members[] = {instance ? instance->function : LLVMConstNull(pointer),
                                  LLVMConstInt(word, bytes, 0)};
        entries[shape] = LLVMConstStructInContext(lower->context, members, 2, 0);
    }
    LLVMValueRef members[] = {LLVMConstInt(word, GEO_FUNCTION_MAGIC, 0), d->global,
                              object_mark(lower), LLVMConstNull(word),
                              LLVMConstArray2(entry_type, entries, 2 * GEO_FUNCTION_WIDTHS)};
    LLVMSetInitializer(d->global, LLVMConstStructInContext(lower->context, members, 5, 0));
    return true;
}

bool geo_lower_indirect_finish(struct geo_lower *lower, uint64_t *frame_bytes)
{
    for (const struct geo_lower_descriptor *d = lower->descriptors; d; d = d->next) {
        if (!descriptor_fill(lower, d, frame_bytes)) {
            return false;
        }
    }
    *frame_bytes =
        geo_lower_indirect_used(lower) ? *frame_bytes + STEP_BYTES + GEO_FUNCTION_RESERVE_BYTES : 0;
    return true;
}

/* ---- calls ---- */

struct call {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst;
    LLVMTypeRef wide, narrow; /* of the function at the caller's width, and for one work-item */
    LLVMValueRef *slots;      /* [parts of the result] allocas at the caller's width */
    uint32_t parts;
    LLVMValueRef memory;       /* where the target's private variables start */
    LLVMValueRef limit;        /* where they have to end */
    LLVMValueRef place;        /* alloca of i64[7]: the context of one work-item */
    LLVMValueRef target, code; /* the descriptor; the code being called */
};

/* Goes on when the condition holds, traps when not. */
static void require(struct geo_lower_function *f, LLVMValueRef condition)
{
    LLVMBasicBlockRef bad = geo_lower_block(f, "bad.pointer");
    LLVMBasicBlockRef good = geo_lower_block(f, "pointer");
    LLVMBuildCondBr(f->builder, condition, good, bad);
    LLVMPositionBuilderAtEnd(f->builder, bad);
    geo_emit_intrinsic_of(f, "llvm.trap", NULL, 0, NULL, 0);
    LLVMBuildUnreachable(f->builder);
    LLVMPositionBuilderAtEnd(f->builder, good);
}

static LLVMValueRef load_field(struct call *call, LLVMTypeRef type, uint64_t offset)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef value =
        LLVMBuildLoad2(f->builder, type, geo_lower_offset(f, call->target, offset), "");
    LLVMSetAlignment(value, 8);
    return value;
}

static LLVMValueRef equal(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(f->builder, LLVMIntEQ, a, b, "");
}

/* Reads the descriptor's entry for a width and checks what it needs. */
static LLVMValueRef entry_load(struct call *call, uint32_t width, bool linear, LLVMValueRef *bytes)
{
    uint64_t at = offsetof(struct geo_function, entries) +
                  (linear ? sizeof(struct geo_function_entry[GEO_FUNCTION_WIDTHS]) : 0) +
                  width * sizeof(struct geo_function_entry);
    *bytes = load_field(call, geo_lower_i64(call->f),
                        at + offsetof(struct geo_function_entry, frame_bytes));
    return load_field(call, geo_lower_ptr(call->f), at);
}

static void require_memory(struct call *call, LLVMValueRef bytes)
{
    struct geo_lower_function *f = call->f;
    LLVMTypeRef word = geo_lower_i64(f);
    LLVMValueRef room =
        LLVMBuildSub(f->builder, LLVMBuildPtrToInt(f->builder, call->limit, word, ""),
                     LLVMBuildPtrToInt(f->builder, call->memory, word, ""), "room");
    require(f,
            LLVMBuildAnd(f->builder,
                         LLVMBuildICmp(f->builder, LLVMIntSGE, room, geo_lower_const_i64(f, 0), ""),
                         LLVMBuildICmp(f->builder, LLVMIntUGE, room, bytes, ""), ""));
}

static LLVMValueRef *arguments_new(struct call *call, LLVMTypeRef type, LLVMValueRef context)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef *arguments =
        geo_arena_new_array(f->arena, LLVMValueRef, LLVMCountParamTypes(type) + 1);
    if (!arguments) {
        geo_lower_no_memory(f);
        return NULL;
    }
    arguments[0] = f->frame->launch;
    arguments[1] = f->frame->worker;
    arguments[2] = call->memory;
    arguments[3] = context;
    return arguments;
}

/* ---- one call for all lanes ---- */

static void call_wide(struct call *call)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef *arguments = arguments_new(call, call->wide, f->frame->context);
    uint32_t at = 4;
    if (!arguments) {
        return;
    }
    if (f->lanes > 1) {
        arguments[at++] = geo_lower_mask_argument(f);
    }
    for (uint32_t i = 1; i < call->inst->operand_count; i++) {
        for (uint32_t p = 0; p < geo_lower_part_count(call->inst->operands[i]->type); p++) {
            arguments[at++] = geo_lower_vector(f, call->inst->operands[i], p);
        }
    }
    LLVMValueRef result = LLVMBuildCall2(f->builder, call->wide, call->code, arguments, at, "");
    for (uint32_t p = 0; p < call->parts; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call->slots[p]);
        LLVMValueRef old = LLVMBuildLoad2(f->builder, type, call->slots[p], "");
        LLVMValueRef new = LLVMBuildExtractValue(f->builder, result, p, "");
        LLVMBuildStore(f->builder, geo_lower_select_mask(f, new, old), call->slots[p]);
    }
}

/* ---- a call for each lane ---- */

/* The context of one lane, as a chunk of one work-item in rows. */
static void place_store(struct call *call, LLVMValueRef lane)
{
    struct geo_lower_function *f = call->f;
    const struct geo_lower_ids *ids = &f->frame->ids;
    LLVMBuilderRef b = f->builder;
    LLVMValueRef fields[GEO_LOWER_CONTEXT_FIELDS] = {ids->group[0], ids->group[1], ids->group[2]};
    lane = LLVMBuildZExt(b, lane, geo_lower_i64(f), "");
    if (f->shapes->linear) {
        LLVMValueRef linear = LLVMBuildAdd(b, ids->linear, lane, "");
        LLVMValueRef row = LLVMBuildUDiv(b, linear, ids->local_size[0], "");
        fields[3] = LLVMBuildURem(b, linear, ids->local_size[0], "");
        fields[4] = LLVMBuildURem(b, row, ids->local_size[1], "");
        fields[5] = LLVMBuildUDiv(b, row, ids->local_size[1], "");
        fields[6] = linear;
    } else {
        fields[3] = LLVMBuildAdd(b, ids->local[0], lane, "");
        fields[4] = ids->local[1];
        fields[5] = ids->local[2];
        fields[6] = geo_lower_const_i64(f, 0);
    }
    for (uint32_t i = 0; i < GEO_LOWER_CONTEXT_FIELDS; i++) {
        LLVMBuildStore(b, fields[i], geo_lower_offset(f, call->place, 8 * (uint64_t)i));
    }
}

static LLVMValueRef call_lane(struct geo_lower_function *f, LLVMValueRef lane, void *data)
{
    struct call *call = data;
    LLVMValueRef *arguments = arguments_new(call, call->narrow, call->place);
    uint32_t at = 4;
    if (!arguments) {
        return NULL;
    }
    place_store(call, lane);
    for (uint32_t i = 1; i < call->inst->operand_count; i++) {
        for (uint32_t p = 0; p < geo_lower_part_count(call->inst->operands[i]->type); p++) {
            LLVMValueRef wide = geo_lower_vector(f, call->inst->operands[i], p);
            arguments[at++] = LLVMBuildExtractElement(f->builder, wide, lane, "");
        }
    }
    LLVMValueRef result = LLVMBuildCall2(f->builder, call->narrow, call->code, arguments, at, "");
    for (uint32_t p = 0; p < call->parts; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call->slots[p]);
        LLVMValueRef old = LLVMBuildLoad2(f->builder, type, call->slots[p], "");
        LLVMValueRef new = LLVMBuildExtractValue(f->builder, result, p, "");
        LLVMBuildStore(f->builder, LLVMBuildInsertElement(f->builder, old, new, lane, ""),
                       call->slots[p]);
    }
    return NULL;
}

/* ---- one target ---- */

/* Calls the function of a descriptor for the lanes of f->mask. */
static void call_target(struct call *call, LLVMValueRef target)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef bytes;
    call->target = target;
    require(f, equal(f, load_field(call, geo_lower_i64(f), offsetof(struct geo_function, magic)),
                     LLVMConstInt(geo_lower_i64(f), GEO_FUNCTION_MAGIC, 0)));
    require(f, equal(f, load_field(call, geo_lower_ptr(f), offsetof(struct geo_function, self)),
                     target));
    LLVMValueRef object = load_field(call, geo_lower_ptr(f), offsetof(struct geo_function, object));
    require(f, LLVMBuildOr(f->builder, LLVMBuildIsNull(f->builder, object, ""),
                           equal(f, object, object_mark(f->lower)), ""));
    call->code = entry_load(call, width_of(f->lanes), f->shapes->linear, &bytes);
    LLVMValueRef found = LLVMBuildIsNotNull(f->builder, call->code, "");
    if (f->lanes == 1) {
        require(f, found);
        require_memory(call, bytes);
        call_wide(call);
        return;
    }
    LLVMBasicBlockRef wide = geo_lower_block(f, "call.wide");
    LLVMBasicBlockRef narrow = geo_lower_block(f, "call.lanes");
    LLVMBasicBlockRef done = geo_lower_block(f, "called");
    LLVMBuildCondBr(f->builder, found, wide, narrow);
    LLVMPositionBuilderAtEnd(f->builder, wide);
    require_memory(call, bytes);
    call_wide(call);
    LLVMBuildBr(f->builder, done);
    LLVMPositionBuilderAtEnd(f->builder, narrow);
    call->code = entry_load(call, 0, false, &bytes);
    require(f, LLVMBuildIsNotNull(f->builder, call->code, ""));
    require_memory(call, bytes);
    geo_lower_for_each_lane(f, NULL, call_lane, call);
    LLVMBuildBr(f->builder, done);
    LLVMPositionBuilderAtEnd(f->builder, done);
}

/* while some lane is left: the first one's target, for all lanes that have it */
static void call_targets(struct call *call, LLVMValueRef pointers)
{
    struct geo_lower_function *f = call->f;
    LLVMValueRef mask = f->mask;
    LLVMTypeRef mask_type = geo_lower_mask_type(f);
    LLVMValueRef left = geo_lower_alloca(f, mask_type, "left");
    LLVMBasicBlockRef head = geo_lower_block(f, "targets");
    LLVMBasicBlockRef body = geo_lower_block(f, "target");
    LLVMBasicBlockRef done = geo_lower_block(f, "targets.done");
    LLVMBuildStore(f->builder, geo_lower_mask_vector(f), left);
    LLVMBuildBr(f->builder, head);
    LLVMPositionBuilderAtEnd(f->builder, head);
    LLVMValueRef rest = LLVMBuildLoad2(f->builder, mask_type, left, "");
    LLVMBuildCondBr(f->builder, geo_lower_any(f, rest), body, done);
    LLVMPositionBuilderAtEnd(f->builder, body);
    LLVMValueRef lane = geo_lower_count_zeros(f, geo_lower_mask_bits(f, rest));
    LLVMValueRef target = LLVMBuildExtractElement(f->builder, pointers, lane, "target");
    LLVMValueRef same = equal(f, pointers, geo_lower_splat(f, target));
    f->mask = LLVMBuildAnd(f->builder, rest, same, "");
    LLVMBuildStore(f->builder,
                   LLVMBuildAnd(f->builder, rest, LLVMBuildNot(f->builder, same, ""), ""), left);
    call_target(call, target);
    LLVMBuildBr(f->builder, head);
    LLVMPositionBuilderAtEnd(f->builder, done);
    f->mask = mask;
}

/* ---- the instruction ---- */

static bool call_types(struct call *call)
{
    struct geo_lower_function *f = call->f;
    uint32_t count = call->inst->operand_count - 1;
    const struct geo_ir_type **types =
        geo_arena_new_array(f->arena, const struct geo_ir_type *, count);
    if (!types) {
        geo_lower_no_memory(f);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        types[i] = call->inst->operands[1 + i]->type;
    }
    const struct geo_ir_type *result = call->inst->value.type;
    call->wide = geo_lower_call_type(f, result, types, count, f->lanes);
    call->narrow = geo_lower_call_type(f, result, types, count, 1);
    return call->wide && call->narrow && !f->failed;
}

static bool call_slots(struct call *call)
{
    struct geo_lower_function *f = call->f;
    const struct geo_ir_type *type = call->inst->value.type;
    call->parts = geo_lower_part_count(type);
    call->slots = geo_arena_new_array(f->arena, LLVMValueRef, call->parts);
    if (!call->slots) {
        geo_lower_no_memory(f);
        return false;
    }
    for (uint32_t p = 0; p < call->parts; p++) {
        LLVMTypeRef part =
            geo_lower_vector_type(f, geo_lower_scalar_type(f, geo_lower_part_type(type, p)));
        call->slots[p] = geo_lower_alloca(f, part, "result");
        LLVMBuildStore(f->builder, LLVMConstNull(part), call->slots[p]);
    }
    call->place =
        geo_lower_alloca(f, LLVMArrayType2(geo_lower_i64(f), GEO_LOWER_CONTEXT_FIELDS), "place");
    return true;
}

bool geo_lower_indirect_call(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct call call = {.f = f, .inst = inst};
    struct geo_ir_value *pointer = inst->operands[0];
    if (!call_types(&call) || !call_slots(&call)) {
        return false;
    }
    f->lower->indirect_shapes[f->shapes->linear][width_of(f->lanes)] = true;
    call.memory = geo_lower_offset(f, f->frame->callee_memory, STEP_BYTES);
    call.limit = geo_lower_offset_by(
        f, f->frame->scratch,
        geo_lower_launch_field(f, geo_lower_i64(f), offsetof(struct geo_launch, chunk_offset),
                               "frame.end"));
    if (geo_lower_as_scalar(f, pointer) && geo_lower_shape(f, pointer).kind == GEO_SHAPE_UNIFORM) {
        call_target(&call, geo_lower_scalar(f, pointer, 0));
    } else {
        call_targets(&call, geo_lower_vector(f, pointer, 0));
    }
    for (uint32_t p = 0; p < call.parts && !f->failed; p++) {
        LLVMTypeRef type = LLVMGetAllocatedType(call.slots[p]);
        geo_lower_set(f, inst, p, LLVMBuildLoad2(f->builder, type, call.slots[p], ""));
    }
    return !f->failed;
}
