/* Makes accesses near null read zeros and write nothing, if the module asks for it (near_null).
 *
 * A root is a pointer to global memory that no other pointer leads to by arithmetic: an argument, a
 * pointer from memory, a converted integer, the result of a call. Each root gets a twin for loads,
 * and one for stores and atomics. So does every pointer that arithmetic, phis and selections make
 * of it. Accesses use the twins:
 *
 *     load a[i]       -->      near   = (ulong)a < 64 KiB
 *                              a_load = a + (near ? zeros : 0)      beside the definition of a
 *                              load a_load[i]
 *
 * All other uses keep the pointer itself: comparisons, conversions to integers, stores of it, and
 * arguments of calls. The twins of a uniform root are uniform, so all that the vectoriser knows of
 * an address stays true.
 *
 * A constant null pointer with an offset is a converted integer: the sum is the root. Addresses of
 * variables and images are never null. Prefetches and strings of printf are not changed.
 *
 * The launcher has the addresses of the memory (native/abi.h). */
#include "compiler/transform/pass/pass.h"

#include "compiler/analysis/address.h"

/* Roots below it count as null. Larger structs and arrays are reached from a pointer to them, whose
 * offsets do not count. */
#define NEAR_BYTES (UINT64_C(64) << 10)

#define STEP_LIMIT 64u /* steps from a load back to the handle of an image */

/* Kinds of access; the index of a twin. */
enum use {
    USE_LOAD,
    USE_STORE, /* or an atomic operation */
    USE_COUNT,
};

/* A pointer of the function, by the index of its value. */
struct place {
    bool nullable;          /* a root that may be null, or made of one */
    bool needed[USE_COUNT]; /* accesses use it */
    struct geo_ir_value *twin[USE_COUNT];
};

/* A twin whose operands are not set yet. */
struct copy {
    struct geo_ir_inst *inst, *original;
    enum use use;
};

/* The pass on one function. */
struct redirect {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct geo_uses uses;
    struct place *places;
    struct geo_ir_value **work; /* pointers that were just found, and have to be followed */
    uint32_t work_count;
    struct copy *copies;
    uint32_t copy_count;
    struct geo_ir_inst *entry;              /* what the entry needs is inserted before it */
    struct geo_ir_value *memory[USE_COUNT]; /* the addresses of zeros and sink */
    bool changed;
};

/* ---- pointers ---- */

static bool is_global(const struct geo_ir_value *value)
{
    return value->type->kind == GEO_TYPE_POINTER && !geo_ir_is_of_group(value->type);
}

static struct place *place_of(const struct redirect *r, const struct geo_ir_value *value)
{
    return geo_uses_is_local(value) ? &r->places[value->index] : NULL;
}

/* Returns whether a value is a constant address near null, and its bits. */
static bool is_near_constant(const struct geo_ir_value *value, uint64_t *bits)
{
    return value->kind == GEO_VALUE_CONSTANT && is_global(value) &&
           geo_ir_constant_bits(value, bits) && *bits < NEAR_BYTES;
}

/* Returns the pointers that a pointer is made of: operands [*first, *first + count). 0: it is a
 * root. */
static uint32_t bases_of(const struct geo_ir_inst *inst, uint32_t *first)
{
    uint64_t bits;
    *first = inst->op == SpvOpSelect;
    if (inst->op == SpvOpPhi) {
        return inst->operand_count;
    }
    if (inst->op == SpvOpSelect) {
        return 2;
    }
    bool sum =
        geo_op_is(inst->op, GEO_IS_POINTER_STEP) &&
        inst->operands[0]->type->kind == GEO_TYPE_POINTER &&
        (geo_op_is(inst->op, GEO_IS_SAME_ADDRESS) || !is_near_constant(inst->operands[0], &bits));
    return sum ? 1 : 0;
}

/* Returns whether an address lies in the description of an image. */
static bool is_of_image(const struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    for (uint32_t i = 0; i < STEP_LIMIT && value->kind == GEO_VALUE_INST; i++) {
        if (inst->op == (SpvOp)GEO_OP_HANDLE) {
            return true;
        }
        if (!geo_op_is(inst->op, GEO_IS_POINTER_STEP)) {
            return false;
        }
        value = inst->operands[0];
        inst = (const struct geo_ir_inst *)value;
    }
    return false;
}

/* Returns whether a pointer may be null if those that it is made of are not. */
static bool is_nullable_itself(const struct geo_ir_inst *inst)
{
    uint64_t bits;
    uint32_t first, count = bases_of(inst, &first);
    for (uint32_t i = first; i < first + count; i++) {
        if (is_near_constant(inst->operands[i], &bits)) {
            return true;
        }
    }
    return count == 0 && inst->op != (SpvOp)GEO_OP_HANDLE &&
           !(inst->op == SpvOpLoad && is_of_image(inst->operands[0]));
}

static void nullable_set(struct redirect *r, struct geo_ir_value *value)
{
    struct place *place = &r->places[value->index];
    if (is_global(value) && !place->nullable) {
        place->nullable = true;
        r->work[r->work_count++] = value;
    }
}

/* Finds the pointers that may be null. */
static void nullable_find(struct redirect *r)
{
    for (uint32_t i = 0; i < r->function->parameter_count; i++) {
        if (!(r->function->parameters[i]->flags & GEO_VALUE_BY_VAL)) {
            nullable_set(r, r->function->parameters[i]);
        }
    }
    geo_ir_for_each_block(block, r->function) {
        geo_ir_for_each_inst(inst, block) {
            if (is_global(&inst->value) && is_nullable_itself(inst)) {
                nullable_set(r, &inst->value);
            }
        }
    }
    while (r->work_count > 0) {
        uint32_t count;
        const struct geo_use *uses = geo_uses_of(&r->uses, r->work[--r->work_count], &count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t first, bases = bases_of(uses[i].user, &first);
            if (uses[i].operand >= first && uses[i].operand < first + bases) {
                nullable_set(r, &uses[i].user->value);
            }
        }
    }
}

/* ---- accesses ---- */

/* Returns which operand of an access of OpenCL.std is its pointer; 0: it is none. */
static uint32_t vector_pointer(const struct geo_ir_inst *inst)
{
    struct geo_address_access access;
    if (!geo_address_access_of(inst, &access)) {
        return 0;
    }
    uint32_t index = inst->value.type->kind == GEO_TYPE_VOID ? 2 : 1;
    GEO_ASSERT(inst->operands[index] == access.pointer);
    return index;
}

/* Returns the operands through which an instruction accesses memory, as indexes by use. -1: none */
static void access_operands(const struct geo_ir_inst *inst, int32_t operands[USE_COUNT])
{
    operands[USE_LOAD] = operands[USE_STORE] = -1;
    switch ((uint32_t)inst->op) {
    case SpvOpLoad:
    case SpvOpAtomicLoad:
    case SpvOpSubgroupBlockReadINTEL:
    case GEO_SPV_COOPERATIVE_MATRIX_LOAD_KHR:
    case GEO_SPV_COOPERATIVE_MATRIX_LOAD_CHECKED:
        operands[USE_LOAD] = 0;
        break;
    case SpvOpStore:
    case SpvOpSubgroupBlockWriteINTEL:
    case GEO_SPV_COOPERATIVE_MATRIX_STORE_KHR:
    case GEO_SPV_COOPERATIVE_MATRIX_STORE_CHECKED:
        operands[USE_STORE] = 0;
        break;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        operands[USE_STORE] = 0;
        operands[USE_LOAD] = 1;
        break;
    case SpvOpGroupAsyncCopy: /* operands: scope, destination, source, ... */
        operands[USE_STORE] = 1;
        operands[USE_LOAD] = 2;
        break;
    case SpvOpExtInst:
        if (vector_pointer(inst)) {
            enum use use = vector_pointer(inst) == 1 ? USE_LOAD : USE_STORE;
            operands[use] = (int32_t)vector_pointer(inst);
        }
        break;
    default:
        operands[USE_STORE] = geo_op_is(inst->op, GEO_IS_ATOMIC) ? 0 : -1;
    }
}

static void need(struct redirect *r, struct geo_ir_value *value, enum use use)
{
    struct place *place = place_of(r, value);
    if (place && place->nullable && !place->needed[use]) {
        if (!place->needed[USE_LOAD] && !place->needed[USE_STORE]) {
            r->changed = true;
        }
        place->needed[use] = true;
        r->work[r->work_count++] = value;
    }
}

/* Finds the pointers of which accesses are made, directly or by arithmetic. */
static void needed_find(struct redirect *r)
{
    geo_ir_for_each_block(block, r->function) {
        geo_ir_for_each_inst(inst, block) {
            int32_t operands[USE_COUNT];
            uint64_t bits;
            access_operands(inst, operands);
            for (uint32_t use = 0; use < USE_COUNT; use++) {
                if (operands[use] >= 0) {
                    need(r, inst->operands[operands[use]], use);
                    r->changed |= is_near_constant(inst->operands[operands[use]], &bits);
                }
            }
        }
    }
    while (r->work_count > 0) {
        struct geo_ir_inst *inst = geo_ir_as_inst(r->work[--r->work_count]);
        uint32_t first = 0, count = inst ? bases_of(inst, &first) : 0;
        for (uint32_t i = first; i < first + count; i++) {
            for (uint32_t use = 0; use < USE_COUNT; use++) {
                if (r->places[inst->value.index].needed[use]) {
                    need(r, inst->operands[i], use);
                }
            }
        }
    }
}

/* ---- twins ---- */

/* Creates the twins of a root before `before`, which its definition precedes. */
static bool root_twins(struct redirect *r, struct geo_ir_value *root, struct geo_ir_inst *before)
{
    struct geo_pass *pass = r->pass;
    struct place *place = &r->places[root->index];
    const struct geo_ir_inst *inst = geo_ir_as_inst(root);
    struct geo_ir_value *address =
        geo_make_unary(pass, before, SpvOpConvertPtrToU, pass->type_i64, root);
    struct geo_ir_value *near =
        geo_make_binary(pass, before, SpvOpULessThan, pass->type_bool, address,
                        geo_pass_int(pass, pass->type_i64, NEAR_BYTES));
    for (uint32_t use = 0; use < USE_COUNT; use++) {
        if (!place->needed[use]) {
            continue;
        }
        struct geo_ir_value *distance = geo_make_select(pass, before, near, r->memory[use],
                                                        geo_pass_int(pass, pass->type_i64, 0));
        struct geo_ir_value *twin;
        if (inst && geo_op_is(inst->op, GEO_IS_POINTER_STEP)) {
            /* LLVM takes every address that is made of a constant null pointer for invalid. */
            twin = geo_make_unary(
                pass, before, SpvOpConvertUToPtr, root->type,
                geo_make_binary(pass, before, SpvOpIAdd, pass->type_i64, address, distance));
        } else {
            twin = geo_make_binary(pass, before, (SpvOp)GEO_OP_PTR_ADD, root->type, root, distance);
        }
        if (!twin) {
            return false;
        }
        twin->align = root->align;
        place->twin[use] = twin;
    }
    return true;
}

/* Creates the twins of a pointer that is made of others. Their operands are set when all twins
 * exist. */
static bool copy_twins(struct redirect *r, struct geo_ir_inst *inst)
{
    struct place *place = &r->places[inst->value.index];
    for (uint32_t use = 0; use < USE_COUNT; use++) {
        if (!place->needed[use]) {
            continue;
        }
        struct geo_ir_inst *copy = geo_make_copy(r->pass, inst);
        if (!copy) {
            return false;
        }
        geo_ir_inst_insert_before(inst->next, copy);
        r->copies[r->copy_count++] = (struct copy){copy, inst, (enum use)use};
        place->twin[use] = &copy->value;
    }
    return true;
}

static bool is_needed(const struct place *place)
{
    return place->needed[USE_LOAD] || place->needed[USE_STORE];
}

static bool twins_make(struct redirect *r)
{
    const struct geo_ir_function *function = r->function;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            uint32_t first;
            if (!is_needed(&r->places[inst->value.index])) {
                continue;
            }
            if (bases_of(inst, &first) ? !copy_twins(r, inst)
                                       : !root_twins(r, &inst->value, inst->next)) {
                return false;
            }
        }
    }
    /* Last, because the loop above must not find these twins: they have no numbers. */
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        struct geo_ir_value *parameter = function->parameters[i];
        if (is_needed(&r->places[parameter->index]) && !root_twins(r, parameter, r->entry)) {
            return false;
        }
    }
    return true;
}

/* Returns the pointer that accesses use instead of `value`; NULL: no memory. */
static struct geo_ir_value *twin_of(struct redirect *r, struct geo_ir_value *value, enum use use)
{
    uint64_t bits;
    const struct place *place = place_of(r, value);
    if (place) {
        return place->twin[use] ? place->twin[use] : value;
    }
    if (!is_near_constant(value, &bits)) {
        return value;
    }
    struct geo_pass *pass = r->pass;
    struct geo_ir_value *address =
        geo_make_binary(pass, r->entry, SpvOpIAdd, pass->type_i64, r->memory[use],
                        geo_pass_int(pass, pass->type_i64, bits));
    return geo_make_unary(pass, r->entry, SpvOpConvertUToPtr, value->type, address);
}

static bool copies_connect(struct redirect *r)
{
    for (uint32_t i = 0; i < r->copy_count; i++) {
        const struct copy *copy = &r->copies[i];
        uint32_t first, count = bases_of(copy->original, &first);
        for (uint32_t k = 0; k < copy->inst->operand_count; k++) {
            struct geo_ir_value *operand = copy->original->operands[k];
            copy->inst->operands[k] =
                k >= first && k < first + count ? twin_of(r, operand, copy->use) : operand;
            if (!copy->inst->operands[k]) {
                return false;
            }
        }
        for (uint32_t k = 0; k < copy->inst->target_count; k++) {
            copy->inst->targets[k] = copy->original->targets[k];
        }
    }
    return true;
}

static bool accesses_redirect(struct redirect *r)
{
    geo_ir_for_each_block(block, r->function) {
        geo_ir_for_each_inst(inst, block) {
            int32_t operands[USE_COUNT];
            access_operands(inst, operands);
            for (uint32_t use = 0; use < USE_COUNT; use++) {
                if (operands[use] < 0) {
                    continue;
                }
                struct geo_ir_value *twin = twin_of(r, inst->operands[operands[use]], use);
                if (!twin) {
                    return false;
                }
                inst->operands[operands[use]] = twin;
            }
        }
    }
    return true;
}

/* ---- the pass ---- */

/* Creates the values at the function's entry that all twins use. */
static bool entry_make(struct redirect *r)
{
    r->entry = r->function->first_block->first;
    while (r->entry->op == SpvOpVariable || r->entry->op == (SpvOp)GEO_OP_BUILTIN) {
        r->entry = r->entry->next;
    }
    for (uint32_t use = 0; use < USE_COUNT; use++) {
        struct geo_ir_inst *inst =
            geo_make(r->pass, r->entry, (SpvOp)GEO_OP_BUILTIN, r->pass->type_i64, 0, 2, 0);
        if (!inst) {
            return false;
        }
        inst->literals[0] = use == USE_LOAD ? GEO_BUILTIN_ZEROS : GEO_BUILTIN_SINK;
        r->memory[use] = &inst->value;
    }
    return true;
}

static bool function_redirect(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct redirect r = {.pass = pass, .function = function};
    if (!entry_make(&r)) {
        return false;
    }
    geo_ir_function_number(function);
    uint32_t count = function->value_count + 1;
    r.places = geo_arena_new_array(&pass->arena, struct place, count);
    r.work = geo_arena_new_array(&pass->arena, struct geo_ir_value *, USE_COUNT * count);
    r.copies = geo_arena_new_array(&pass->arena, struct copy, USE_COUNT * count);
    if (!r.places || !r.work || !r.copies || !geo_uses_build(function, &pass->arena, &r.uses)) {
        return geo_pass_no_memory(pass);
    }
    nullable_find(&r);
    needed_find(&r);
    return (!r.changed || (twins_make(&r) && copies_connect(&r) && accesses_redirect(&r))) &&
           geo_remove_dead(pass, function);
}

ze_result_t geo_transform_near_null(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log) && module->near_null;
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block) {
            good = function_redirect(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
