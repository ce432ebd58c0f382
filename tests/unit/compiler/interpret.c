/* Frames, control flow, calls and groups of the reference interpreter. See interpret.h. */
#include "interpret_internal.h"

#include "compiler/ir/grammar.h"

#include <spirv/unified1/OpenCL.std.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_LIMIT 256u

void interp_fail(struct item *item, const char *format, ...)
{
    struct interp *interp = item->interp;
    item->status = ITEM_FAILED;
    if (interp->error[0]) {
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(interp->error, sizeof(interp->error), format, args);
    va_end(args);
}

/* ---- frames ---- */

static void frame_finish(struct interp *interp, struct frame *frame)
{
    for (size_t i = 0; i < frame->regions.count; i++) {
        interp->regions.items[frame->regions.items[i]].dead = true;
    }
    geo_array_finish(&frame->regions);
    free(frame->slot);
    free(frame->values);
}

/* Enters a function. The parameters' leaves are copied from `arguments`. */
static void frame_push(struct item *item, struct geo_ir_function *function,
                       const uint64_t *arguments, const struct geo_ir_inst *call)
{
    if (!function->first_block) {
        interp_fail(item, "call of import %s",
                    function->linkage_name ? function->linkage_name : "?");
        return;
    }
    if (item->frames.count >= DEPTH_LIMIT || !geo_array_reserve(&item->frames, 1)) {
        interp_fail(item, "calls too deep");
        return;
    }
    struct frame frame = {.function = function, .call = call};
    size_t total = 0, parameters = 0;
    frame.slot = calloc(function->value_count + 1, sizeof(*frame.slot));
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        frame.slot[function->parameters[i]->index] = (uint32_t)total;
        total += interp_leaf_count(function->parameters[i]->type);
    }
    parameters = total;
    geo_ir_for_each_block(block, function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            frame.slot[inst->value.index] = (uint32_t)total;
            total += interp_leaf_count(inst->value.type);
        }
    }
    frame.values = calloc(total + 1, sizeof(*frame.values));
    if (parameters) {
        memcpy(frame.values, arguments, parameters * sizeof(*frame.values));
    }
    frame.block = function->first_block;
    frame.next = frame.block->first;
    item->frames.items[item->frames.count++] = frame;
}

static struct frame *top(struct item *item)
{
    return &item->frames.items[item->frames.count - 1];
}

static uint64_t *result_of(struct item *item, const struct geo_ir_inst *inst)
{
    const struct frame *frame = top(item);
    return frame->values + frame->slot[inst->value.index];
}

static void frame_return(struct item *item, struct geo_ir_value *value)
{
    struct frame *frame = top(item);
    const uint64_t *leaves = value ? interp_operand(item, value) : NULL;
    size_t bytes = leaves ? interp_leaf_count(value->type) * sizeof(*leaves) : 0;
    uint64_t *copy = malloc(bytes + 1);
    const struct geo_ir_inst *call = frame->call;
    if (bytes) {
        memcpy(copy, leaves, bytes);
    }
    frame_finish(item->interp, frame);
    item->frames.count--;
    if (item->frames.count == 0) {
        item->status = item->status == ITEM_RUNNING ? ITEM_DONE : item->status;
        if (item->result && bytes) {
            memcpy(item->result, copy, bytes);
        }
    } else if (bytes) {
        memcpy(result_of(item, call), copy, bytes);
    }
    free(copy);
}

/* ---- control flow ---- */

/* Phis of the new block are all read before any is written. */
static void enter_block(struct item *item, struct geo_ir_block *target)
{
    struct frame *frame = top(item);
    frame->previous = frame->block;
    frame->block = target;
    size_t total = 0;
    struct geo_ir_inst *first = target->first, *inst;
    for (inst = first; inst && inst->op == SpvOpPhi; inst = inst->next) {
        total += interp_leaf_count(inst->value.type);
    }
    frame->next = inst;
    if (inst == first) {
        return;
    }
    uint64_t *read = malloc((total + 1) * sizeof(*read)), *at = read;
    for (const struct geo_ir_inst *phi = first; phi != inst; phi = phi->next) {
        uint32_t from = 0;
        while (from < phi->operand_count && phi->targets[from] != frame->previous) {
            from++;
        }
        if (from == phi->operand_count) {
            interp_fail(item, "a phi has no value for its predecessor");
            free(read);
            return;
        }
        const uint64_t *leaves = interp_operand(item, phi->operands[from]);
        uint32_t count = interp_leaf_count(phi->value.type);
        if (leaves) {
            memcpy(at, leaves, count * sizeof(*at));
        }
        at += count;
    }
    at = read;
    for (const struct geo_ir_inst *phi = first; phi != inst; phi = phi->next) {
        uint32_t count = interp_leaf_count(phi->value.type);
        memcpy(result_of(item, phi), at, count * sizeof(*at));
        at += count;
    }
    free(read);
}

static void run_switch(struct item *item, const struct geo_ir_inst *inst)
{
    const uint64_t *selector = interp_operand(item, inst->operands[0]);
    struct geo_ir_block *target = inst->targets[0];
    for (uint32_t i = 0; selector && i + 1 < inst->target_count; i++) {
        uint64_t value = inst->literals[2 * i] | (uint64_t)inst->literals[2 * i + 1] << 32;
        if (value == *selector) {
            target = inst->targets[1 + i];
            break;
        }
    }
    enter_block(item, target);
}

/* A ByVal parameter points at a copy of what the argument points at; it dies with the caller. */
static void copy_by_value(struct item *item, const struct geo_ir_value *parameter,
                          uint64_t *address)
{
    struct frame *frame = top(item);
    uint64_t size = parameter->type->element->size;
    const uint8_t *source = interp_bytes(item, *address, size, "copy of a ByVal argument");
    if (!source) {
        return;
    }
    uint64_t copy = interp_region_add(item->interp, NULL, size, true);
    memcpy(interp_bytes(item, copy, size, "copy"), source, size);
    if (!geo_array_reserve(&frame->regions, 1)) {
        abort();
    }
    frame->regions.items[frame->regions.count++] = (uint32_t)(copy >> 32) - 1;
    *address = copy;
}

static void run_call(struct item *item, const struct geo_ir_inst *inst)
{
    struct geo_ir_function *callee = geo_ir_as_function(inst->operands[0]);
    if (!callee) {
        const uint64_t *address = interp_operand(item, inst->operands[0]);
        uint64_t number = address ? *address >> 32 : 0;
        if (number == 0 || number > item->interp->regions.count ||
            !item->interp->regions.items[number - 1].function) {
            interp_fail(item, "call of no function");
            return;
        }
        callee = item->interp->regions.items[number - 1].function;
    }
    size_t total = 0;
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        total += interp_leaf_count(inst->operands[i]->type);
    }
    uint64_t *arguments = malloc((total + 1) * sizeof(*arguments)), *at = arguments;
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        const uint64_t *leaves = interp_operand(item, inst->operands[i]);
        uint32_t count = interp_leaf_count(inst->operands[i]->type);
        if (leaves) {
            memcpy(at, leaves, count * sizeof(*at));
        }
        if (leaves && i - 1 < callee->parameter_count &&
            (callee->parameters[i - 1]->flags & GEO_VALUE_BY_VAL)) {
            copy_by_value(item, callee->parameters[i - 1], at);
        }
        at += count;
    }
    frame_push(item, callee, arguments, inst);
    free(arguments);
}

/* ---- memory and effects ---- */

static void run_variable(struct item *item, const struct geo_ir_inst *inst)
{
    struct frame *frame = top(item);
    uint64_t address = interp_region_add(item->interp, NULL, inst->value.type->element->size, true);
    if (!geo_array_reserve(&frame->regions, 1)) {
        abort();
    }
    frame->regions.items[frame->regions.count++] = (uint32_t)(address >> 32) - 1;
    *result_of(item, inst) = address;
    if (inst->operand_count) {
        const uint64_t *leaves = interp_operand(item, inst->operands[0]);
        if (leaves) {
            interp_memory_store(item, inst->value.type->element, address, leaves);
        }
    }
}

static void run_load(struct item *item, const struct geo_ir_inst *inst)
{
    const uint64_t *address = interp_operand(item, inst->operands[0]);
    if (address) {
        interp_memory_load(item, inst->value.type, *address, result_of(item, inst));
    }
}

static void run_store(struct item *item, const struct geo_ir_inst *inst)
{
    const uint64_t *address = interp_operand(item, inst->operands[0]);
    const uint64_t *leaves = interp_operand(item, inst->operands[1]);
    if (address && leaves) {
        interp_memory_store(item, inst->operands[1]->type, *address, leaves);
    }
}

/* The size of the pointee, unless there is an operand for it. */
static void run_copy(struct item *item, const struct geo_ir_inst *inst)
{
    const uint64_t *to = interp_operand(item, inst->operands[0]);
    const uint64_t *from = interp_operand(item, inst->operands[1]);
    uint64_t size = inst->operands[0]->type->element->size;
    if (inst->operand_count > 2) {
        const uint64_t *bytes = interp_operand(item, inst->operands[2]);
        size = bytes ? *bytes : 0;
    }
    if (!to || !from) {
        return;
    }
    const uint8_t *source = interp_bytes(item, *from, size, "copy");
    uint8_t *target = source ? interp_bytes(item, *to, size, "copy") : NULL;
    if (target) {
        memmove(target, source, size);
    }
}

/* The new value of an atomic read-modify-write. */
typedef bool (*atomic_update)(const struct geo_ir_type *type, uint64_t old, uint64_t operand,
                              uint64_t comparator, uint64_t *updated);

/* Operands are pointer, scope, semantics, value; of an exchange with a comparison: pointer, scope,
 * two semantics, value, comparator. */
static bool run_update(struct item *item, const struct geo_ir_inst *inst, atomic_update update)
{
    const uint64_t *address = interp_operand(item, inst->operands[0]);
    const struct geo_ir_type *type = inst->operands[0]->type->element;
    uint32_t value = inst->operand_count > 5 ? 4 : 3;
    uint64_t old = 0, operand = 1, comparator = 0, updated = 0;
    if (!address) {
        return true;
    }
    if (inst->operand_count > value) {
        const uint64_t *leaves = interp_operand(item, inst->operands[value]);
        operand = leaves ? *leaves : 0;
    }
    if (inst->operand_count > 5) {
        const uint64_t *leaves = interp_operand(item, inst->operands[5]);
        comparator = leaves ? *leaves : 0;
    }
    interp_memory_load(item, type, *address, &old);
    if (!update(type, old, operand, comparator, &updated)) {
        return false;
    }
    interp_memory_store(item, type, *address, &updated);
    *result_of(item, inst) = old;
    return true;
}

static void run_atomic_load(struct item *item, const struct geo_ir_inst *inst)
{
    const uint64_t *address = interp_operand(item, inst->operands[0]);
    if (address) {
        interp_memory_load(item, inst->operands[0]->type->element, *address, result_of(item, inst));
    }
}

static void run_atomic_store(struct item *item, const struct geo_ir_inst *inst)
{
    const uint64_t *address = interp_operand(item, inst->operands[0]);
    const uint64_t *leaves = interp_operand(item, inst->operands[3]);
    if (address && leaves) {
        interp_memory_store(item, inst->operands[0]->type->element, *address, leaves);
    }
}

/* Loads or stores n elements at any element's address. */
static bool run_vector_memory(struct item *item, const struct geo_ir_inst *inst, bool store)
{
    const uint64_t *offset = interp_operand(item, inst->operands[store ? 1 : 0]);
    struct geo_ir_value *pointer = inst->operands[store ? 2 : 1];
    const uint64_t *base = interp_operand(item, pointer);
    const uint64_t *data = store ? interp_operand(item, inst->operands[0]) : NULL;
    const struct geo_ir_type *type = store ? inst->operands[0]->type : inst->value.type;
    if (!offset || !base || (store && !data)) {
        return true;
    }
    uint64_t address = *base + *offset * type->count * type->element->size;
    if (store) {
        interp_memory_store(item, type, address, data);
    } else {
        interp_memory_load(item, type, address, result_of(item, inst));
    }
    return true;
}

static void run_barrier(struct item *item, const struct geo_ir_inst *inst)
{
    uint64_t scope;
    if (geo_ir_constant_bits(inst->operands[0], &scope) && scope == SpvScopeInvocation) {
        return;
    }
    item->interp->barriers++;
    item->status = item->status == ITEM_RUNNING ? ITEM_BARRIER : item->status;
}

static void run_branch(struct item *item, const struct geo_ir_inst *inst)
{
    const uint64_t *condition = interp_operand(item, inst->operands[0]);
    if (condition) {
        enter_block(item, inst->targets[*condition & 1 ? 0 : 1]);
    }
}

/* ---- rows ---- */

/* The meaning of each row of opcodes.def that is EFFECT or CONTROL, and of opencl_std.def that is
 * MEMORY. False: not interpreted. */
#define MEAN_EFFECT(op, ...)                                                                       \
    static bool meaning_##op(struct item *item, const struct geo_ir_inst *inst)                    \
    {                                                                                              \
        (void)item, (void)inst;                                                                    \
        __VA_ARGS__;                                                                               \
        return true;                                                                               \
    }
#define MEAN_UPDATE(op, known)                                                                     \
    static bool update_##op(const struct geo_ir_type *type, uint64_t old, uint64_t operand,        \
                            uint64_t comparator, uint64_t *updated)                                \
    {                                                                                              \
        (void)type, (void)old, (void)operand, (void)comparator;                                    \
        return known;                                                                              \
    }                                                                                              \
    static bool meaning_##op(struct item *item, const struct geo_ir_inst *inst)                    \
    {                                                                                              \
        return run_update(item, inst, update_##op);                                                \
    }

static bool set(uint64_t *updated, uint64_t value)
{
    *updated = value;
    return true;
}

/* The operation of an instruction that is not atomic. */
static bool plain(SpvOp op, const struct geo_ir_type *type, uint64_t a, uint64_t b,
                  uint64_t *updated)
{
    const uint64_t parts[3] = {a, b, 0};
    return interp_scalar(op, type, type, 0, parts, updated);
}

static bool extended(uint32_t number, const struct geo_ir_type *type, uint64_t a, uint64_t b,
                     uint64_t *updated)
{
    const uint64_t parts[3] = {a, b, 0};
    return interp_ext(number, type, parts, updated);
}

MEAN_EFFECT(SpvOpVariable, run_variable(item, inst))
MEAN_EFFECT(SpvOpLoad, run_load(item, inst))
MEAN_EFFECT(SpvOpStore, run_store(item, inst))
MEAN_EFFECT(SpvOpCopyMemory, run_copy(item, inst))
MEAN_EFFECT(SpvOpCopyMemorySized, run_copy(item, inst))
MEAN_EFFECT(SpvOpControlBarrier, run_barrier(item, inst))
MEAN_EFFECT(SpvOpMemoryBarrier, )
MEAN_EFFECT(SpvOpLifetimeStart, )
MEAN_EFFECT(SpvOpLifetimeStop, )
MEAN_EFFECT(SpvOpAssumeTrueKHR, )
MEAN_EFFECT(SpvOpAtomicLoad, run_atomic_load(item, inst))
MEAN_EFFECT(SpvOpAtomicStore, run_atomic_store(item, inst))
MEAN_UPDATE(SpvOpAtomicExchange, set(updated, operand))
MEAN_UPDATE(SpvOpAtomicCompareExchange, set(updated, old == comparator ? operand : old))
MEAN_UPDATE(SpvOpAtomicCompareExchangeWeak, set(updated, old == comparator ? operand : old))
MEAN_UPDATE(SpvOpAtomicIIncrement, plain(SpvOpIAdd, type, old, 1, updated))
MEAN_UPDATE(SpvOpAtomicIDecrement, plain(SpvOpISub, type, old, 1, updated))
MEAN_UPDATE(SpvOpAtomicIAdd, plain(SpvOpIAdd, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicISub, plain(SpvOpISub, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicAnd, plain(SpvOpBitwiseAnd, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicOr, plain(SpvOpBitwiseOr, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicXor, plain(SpvOpBitwiseXor, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicFAddEXT, plain(SpvOpFAdd, type, old, operand, updated))
MEAN_UPDATE(GEO_OP_LOCAL_IMUL, plain(SpvOpIMul, type, old, operand, updated))
MEAN_UPDATE(GEO_OP_LOCAL_FMUL, plain(SpvOpFMul, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicSMin, extended(OpenCLstd_SMin, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicSMax, extended(OpenCLstd_SMax, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicUMin, extended(OpenCLstd_UMin, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicUMax, extended(OpenCLstd_UMax, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicFMinEXT, extended(OpenCLstd_Fmin, type, old, operand, updated))
MEAN_UPDATE(SpvOpAtomicFMaxEXT, extended(OpenCLstd_Fmax, type, old, operand, updated))
MEAN_EFFECT(SpvOpPhi, interp_fail(item, "a phi behind other instructions"))
MEAN_EFFECT(SpvOpBranch, enter_block(item, inst->targets[0]))
MEAN_EFFECT(SpvOpBranchConditional, run_branch(item, inst))
MEAN_EFFECT(SpvOpSwitch, run_switch(item, inst))
MEAN_EFFECT(SpvOpReturn, frame_return(item, NULL))
MEAN_EFFECT(SpvOpReturnValue, frame_return(item, inst->operands[0]))
MEAN_EFFECT(SpvOpUnreachable, interp_fail(item, "OpUnreachable reached"))
MEAN_EFFECT(SpvOpFunctionCall, run_call(item, inst))
MEAN_EFFECT(SpvOpFunctionPointerCallINTEL, run_call(item, inst))

MEAN_EFFECT(Vloadn, return run_vector_memory(item, inst, false))
MEAN_EFFECT(Vstoren, return run_vector_memory(item, inst, true))

/* Runs rows of opencl_std.def that are MEMORY. Most others are values (interp_ext). */
static bool meaning_SpvOpExtInst(struct item *item, const struct geo_ir_inst *inst)
{
    static bool (*const meanings[GEO_OPENCL_ROW_COUNT])(struct item *item,
                                                        const struct geo_ir_inst *inst) = {
#define OPENCL_INTEGER(name) NULL
#define OPENCL_FLOAT(name)   NULL
#define OPENCL_SCALAR(name)  NULL
#define OPENCL_MEMORY(name)  meaning_##name
#define OPENCL_UNSEEN(name)  NULL
#define ROW(name, types, shape, rounding, lowering, meaning, ...)                                  \
    [GEO_OPENCL_ROW_##name] = OPENCL_##meaning(name),
#include "compiler/ir/opencl_std.def"
    };
    enum geo_opencl_row row = geo_grammar_opencl_row(inst->literals[1]);
    return meanings[row] && meanings[row](item, inst);
}

static bool run_effect(struct item *item, const struct geo_ir_inst *inst)
{
    static bool (*const meanings[GEO_ROW_COUNT])(struct item *item,
                                                 const struct geo_ir_inst *inst) = {
#define MEANING_INTEGER(op)    NULL
#define MEANING_FLOAT(op)      NULL
#define MEANING_COMPARISON(op) NULL
#define MEANING_CLASS(op)      NULL
#define MEANING_CONVERSION(op) NULL
#define MEANING_PURE(op)       NULL
#define MEANING_EFFECT(op)     meaning_##op
#define MEANING_EXTENDED(op)   meaning_##op
#define MEANING_CONTROL(op)    meaning_##op
#define MEANING_UNSEEN(op)     NULL
#define ROW(op, types, shape, folding, lowering, meaning, ...)                                     \
    [GEO_ROW_##op] = MEANING_##meaning(op),
#include "compiler/ir/opcodes.def"
    };
    enum geo_row row = geo_op_row(inst->op);
    return meanings[row] && meanings[row](item, inst);
}

static void run_inst(struct item *item, const struct geo_ir_inst *inst)
{
    if (run_effect(item, inst)) {
        return;
    }
    const struct interp_expression e = {
        inst->op,       inst->value.type,    inst->operands,    inst->operand_count,
        inst->literals, inst->literal_count, inst->value.flags,
    };
    if (!interp_pure(item, &e, result_of(item, inst))) {
        interp_fail(item, "%s is not interpreted", geo_op_name(inst->op));
    }
}

/* ---- items and groups ---- */

static bool item_init(struct item *item, struct interp *interp, struct geo_ir_function *function,
                      const uint64_t *arguments)
{
    *item = (struct item){.interp = interp, .builtins = interp->builtins};
    item->cache = calloc(interp->module->next_index + 1, sizeof(*item->cache));
    if (item->cache) {
        frame_push(item, function, arguments, NULL);
    }
    return item->cache && item->status == ITEM_RUNNING;
}

static void item_finish(struct item *item)
{
    while (item->frames.count > 0) {
        frame_finish(item->interp, top(item));
        item->frames.count--;
    }
    geo_array_finish(&item->frames);
    free(item->cache);
    if (item->builtins != item->interp->builtins) {
        free(item->builtins);
    }
}

/* Up to the next barrier, the end or a failure. */
static void item_run(struct item *item)
{
    struct interp *interp = item->interp;
    item->status = ITEM_RUNNING;
    while (item->status == ITEM_RUNNING) {
        struct frame *frame = top(item);
        struct geo_ir_inst *inst = frame->next;
        if (!inst) {
            interp_fail(item, "a block has no terminator");
            return;
        }
        if (++interp->steps > interp->step_limit) {
            interp_fail(item, "step limit");
            return;
        }
        frame->next = inst->next;
        run_inst(item, inst);
    }
}

bool interp_call(struct interp *interp, struct geo_ir_function *function, const uint64_t *arguments,
                 uint64_t *result)
{
    struct item item;
    bool ready = item_init(&item, interp, function, arguments);
    item.result = result;
    while (ready && item.status != ITEM_DONE && item.status != ITEM_FAILED) {
        item_run(&item);
    }
    bool done = item.status == ITEM_DONE;
    item_finish(&item);
    return done;
}

static void item_ids(struct item *item, uint32_t linear, const uint32_t groups[3],
                     const uint32_t group[3], const uint32_t local[3])
{
    uint64_t (*b)[3] = item->builtins;
    uint64_t rest = linear, global_linear = 0;
    for (int d = 0; d < 3; d++) {
        uint64_t id = rest % local[d];
        rest /= local[d];
        b[SpvBuiltInLocalInvocationId][d] = id;
        b[SpvBuiltInWorkgroupId][d] = group[d];
        b[SpvBuiltInWorkgroupSize][d] = b[SpvBuiltInEnqueuedWorkgroupSize][d] = local[d];
        b[SpvBuiltInNumWorkgroups][d] = groups[d];
        b[SpvBuiltInGlobalSize][d] = (uint64_t)groups[d] * local[d];
        b[SpvBuiltInGlobalInvocationId][d] =
            (uint64_t)group[d] * local[d] + id + b[SpvBuiltInGlobalOffset][d];
    }
    for (int d = 2; d >= 0; d--) {
        global_linear = global_linear * ((uint64_t)groups[d] * local[d]) +
                        b[SpvBuiltInGlobalInvocationId][d] - b[SpvBuiltInGlobalOffset][d];
    }
    b[SpvBuiltInLocalInvocationIndex][0] = linear;
    b[SpvBuiltInGlobalLinearId][0] = global_linear;
    b[SpvBuiltInWorkDim][0] = 3;
}

/* Runs all items of a group from barrier to barrier, in the order that the kernel asks for; all
 * must come to each barrier or none. */
static bool group_run(struct interp *interp, struct item *items, uint32_t count, bool descending)
{
    for (;;) {
        uint32_t waiting = 0, done = 0;
        for (uint32_t i = 0; i < count; i++) {
            struct item *item = &items[descending ? count - 1 - i : i];
            item_run(item);
            waiting += item->status == ITEM_BARRIER;
            done += item->status == ITEM_DONE;
            if (item->status == ITEM_FAILED) {
                return false;
            }
        }
        if (done == count) {
            return true;
        }
        if (waiting != count) {
            snprintf(interp->error, sizeof(interp->error), "a barrier that not all items reach");
            return false;
        }
    }
}

static bool group_launch(struct interp *interp, struct geo_ir_function *kernel,
                         const uint64_t *arguments, const uint32_t groups[3],
                         const uint32_t group[3], const uint32_t local[3])
{
    uint32_t count = local[0] * local[1] * local[2], made = 0;
    struct item *items = calloc(count, sizeof(*items));
    bool ok = items != NULL;
    /* Local memory is fresh for each group. */
    for (size_t i = 0; i < interp->module->variables.count; i++) {
        struct geo_ir_variable *variable = interp->module->variables.items[i];
        if (variable->value.type->storage == SpvStorageClassWorkgroup) {
            interp->shared[variable->value.index] = 0;
        }
    }
    while (ok && made < count) {
        struct item *item = &items[made];
        ok = item_init(item, interp, kernel, arguments);
        made++;
        item->builtins = malloc(INTERP_BUILTINS * sizeof(*item->builtins));
        if (!item->builtins) {
            abort();
        }
        memcpy(item->builtins, interp->builtins, INTERP_BUILTINS * sizeof(*item->builtins));
        item_ids(item, made - 1, groups, group, local);
    }
    ok = ok && group_run(interp, items, count, kernel->descending);
    for (uint32_t i = 0; i < made; i++) {
        item_finish(&items[i]);
    }
    free(items);
    return ok;
}

bool interp_launch(struct interp *interp, struct geo_ir_function *kernel, const uint64_t *arguments,
                   const uint32_t groups[3], const uint32_t local[3])
{
    for (uint32_t z = 0; z < groups[2]; z++) {
        for (uint32_t y = 0; y < groups[1]; y++) {
            for (uint32_t x = 0; x < groups[0]; x++) {
                const uint32_t group[3] = {x, y, z};
                if (!group_launch(interp, kernel, arguments, groups, group, local)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ---- the interpreter ---- */

struct interp *interp_create(struct geo_ir_module *module)
{
    struct interp *interp = calloc(1, sizeof(*interp));
    if (!interp) {
        return NULL;
    }
    interp->module = module;
    interp->step_limit = 10u * 1000 * 1000;
    interp->shared = calloc(module->next_index + 1, sizeof(*interp->shared));
    interp->builtins = calloc(INTERP_BUILTINS, sizeof(*interp->builtins));
    geo_arena_init(&interp->arena, 0);
    if (!interp->shared || !interp->builtins) {
        abort();
    }
    geo_ir_for_each_function(function, module) {
        geo_ir_function_number(function);
    }
    return interp;
}

void interp_destroy(struct interp *interp)
{
    if (!interp) {
        return;
    }
    for (size_t i = 0; i < interp->regions.count; i++) {
        if (interp->regions.items[i].owned) {
            free(interp->regions.items[i].bytes);
        }
    }
    geo_array_finish(&interp->regions);
    geo_arena_finish(&interp->arena);
    free(interp->shared);
    free(interp->builtins);
    free(interp);
}

uint64_t interp_map(struct interp *interp, void *bytes, size_t size)
{
    return interp_region_add(interp, bytes, size, false);
}

uint64_t interp_alloc(struct interp *interp, size_t size)
{
    return interp_region_add(interp, NULL, size, true);
}

void interp_set_builtin(struct interp *interp, SpvBuiltIn builtin, uint32_t component,
                        uint64_t value)
{
    if (builtin < INTERP_BUILTINS && component < 3) {
        interp->builtins[builtin][component] = value;
    }
}

void interp_set_step_limit(struct interp *interp, uint64_t steps)
{
    interp->step_limit = steps;
}

const char *interp_error(const struct interp *interp)
{
    return interp->error;
}

uint64_t interp_steps(const struct interp *interp)
{
    return interp->steps;
}

uint64_t interp_barriers(const struct interp *interp)
{
    return interp->barriers;
}

struct geo_ir_function *interp_find(struct geo_ir_module *module, const char *name)
{
    geo_ir_for_each_function(function, module) {
        const char *own = function->is_kernel ? function->entry_name : function->linkage_name;
        if (own && strcmp(own, name) == 0) {
            return function;
        }
    }
    return NULL;
}
