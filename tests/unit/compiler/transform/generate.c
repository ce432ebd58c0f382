/* Unit tests of the compiler's passes: random functions of the model. See generate.h. */
#include "generate.h"

#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_VALUES    512u
#define MAX_VARIABLES 16u
#define MAX_BLOCKS    64u
#define BUFFER_BYTES  24u

enum scalar { I8, I16, I32, I64, F32, BOOL, SCALARS };

struct generator {
    struct geo_ir_module *module;
    struct geo_ir_function *function;
    struct geo_ir_block *block;
    struct support_random random;
    const struct geo_ir_type *scalars[SCALARS];
    const struct geo_ir_type *v2i32, *v4i32, *v4i8, *pair, *buffer;
    struct geo_ir_type *record;
    struct geo_ir_value *values[MAX_VALUES]; /* that may be used in this block */
    uint32_t value_count, global_count;      /* the first global_count are there in all blocks */
    struct geo_ir_inst *variables[MAX_VARIABLES];
    uint32_t variable_count;
    struct geo_ir_function *callees[8];
    uint32_t callee_count;
};

static uint32_t below(struct generator *g, uint32_t bound)
{
    return support_random_below(&g->random, bound);
}

static struct geo_ir_inst *make(struct generator *g, SpvOp op, const struct geo_ir_type *type,
                                uint32_t operands, uint32_t literals, uint32_t targets)
{
    struct geo_ir_inst *inst = geo_ir_inst_create(g->module, op, type, operands, literals, targets);
    assert_non_null(inst);
    geo_ir_inst_append(g->block, inst);
    return inst;
}

static struct geo_ir_value *keep(struct generator *g, struct geo_ir_inst *inst)
{
    if (g->value_count < MAX_VALUES) {
        g->values[g->value_count++] = &inst->value;
    }
    return &inst->value;
}

static struct geo_ir_value *constant(struct generator *g, enum scalar kind)
{
    uint64_t bits = support_random_value(&g->random);
    if (kind == F32) {
        static const uint32_t floats[] = {0,          0x3F800000, 0xBF800000,
                                          0x40490FDB, 0x7F800000, 0x80000000};
        bits = floats[below(g, 6)];
    }
    return geo_ir_const_int(g->module, g->scalars[kind], kind == BOOL ? bits & 1 : bits);
}

static struct geo_ir_value *value_of(struct generator *g, const struct geo_ir_type *type);

/* A value of a type: one that is there, or a new one. */
static struct geo_ir_value *pick(struct generator *g, const struct geo_ir_type *type)
{
    for (uint32_t tries = 0; tries < 12 && g->value_count; tries++) {
        struct geo_ir_value *value = g->values[below(g, g->value_count)];
        if (value->type == type) {
            return value;
        }
    }
    return value_of(g, type);
}

static struct geo_ir_value *pick_scalar(struct generator *g, enum scalar kind)
{
    return below(g, 4) == 0 ? constant(g, kind) : pick(g, g->scalars[kind]);
}

/* ---- memory ---- */

static struct geo_ir_value *pointer_to(struct generator *g, const struct geo_ir_type *type,
                                       struct geo_ir_value *base, uint32_t offset)
{
    const struct geo_ir_type *pointer =
        geo_ir_type_pointer(g->module, type, SpvStorageClassFunction);
    if (offset == 0 && base->type == pointer) {
        return base;
    }
    struct geo_ir_inst *inst =
        make(g, offset ? (SpvOp)GEO_OP_PTR_ADD : SpvOpBitcast, pointer, offset ? 2 : 1, 0, 0);
    inst->operands[0] = base;
    if (offset) {
        inst->operands[1] = geo_ir_const_int(g->module, g->scalars[I64], offset);
    }
    return &inst->value;
}

/* A place of `type` in some variable that is large enough, aligned or not; often the whole. */
static struct geo_ir_value *place_of(struct generator *g, const struct geo_ir_type *type)
{
    for (;;) {
        struct geo_ir_inst *variable = g->variables[below(g, g->variable_count)];
        const struct geo_ir_type *own = variable->value.type->element;
        uint64_t size = type->size;
        if (own->size < size) {
            continue;
        }
        uint32_t room = (uint32_t)(own->size - size), offset = 0;
        if (room > 0 && below(g, 3) > 0) {
            uint32_t step = below(g, 8) == 0 ? 1 : (uint32_t)(size >= 4 ? 4 : size);
            offset = below(g, room / step + 1) * step;
        }
        return pointer_to(g, type, &variable->value, offset);
    }
}

static struct geo_ir_value *load(struct generator *g, const struct geo_ir_type *type)
{
    struct geo_ir_value *pointer = place_of(g, type);
    struct geo_ir_inst *inst = make(g, SpvOpLoad, type, 1, 0, 0);
    inst->operands[0] = pointer;
    inst->memory_align = 1;
    return keep(g, inst);
}

static void store(struct generator *g, const struct geo_ir_type *type)
{
    struct geo_ir_value *value = pick(g, type), *pointer = place_of(g, type);
    struct geo_ir_inst *inst = make(g, SpvOpStore, geo_ir_type_void(g->module), 2, 0, 0);
    inst->operands[0] = pointer;
    inst->operands[1] = value;
    inst->memory_align = 1;
}

static void copy(struct generator *g)
{
    uint32_t size = 4 + 4 * below(g, 5);
    const struct geo_ir_type *bytes = geo_ir_type_array(g->module, g->scalars[I8], size);
    struct geo_ir_value *to = place_of(g, bytes), *from = place_of(g, bytes);
    struct geo_ir_inst *inst = make(g, SpvOpCopyMemorySized, geo_ir_type_void(g->module), 3, 0, 0);
    inst->operands[0] = to;
    inst->operands[1] = from;
    inst->operands[2] = geo_ir_const_int(g->module, g->scalars[I64], size);
    inst->memory_align = inst->source_align = 1;
}

/* A byte of a buffer at an index that is not constant. */
static void dynamic_access(struct generator *g)
{
    struct geo_ir_inst *variable = g->variables[0];
    struct geo_ir_value *number = pick_scalar(g, I32), *value = pick_scalar(g, I8);
    struct geo_ir_inst *index = make(g, SpvOpUMod, g->scalars[I32], 2, 0, 0);
    index->operands[0] = number;
    index->operands[1] = geo_ir_const_int(g->module, g->scalars[I32], BUFFER_BYTES);
    struct geo_ir_inst *chain =
        make(g, SpvOpInBoundsAccessChain,
             geo_ir_type_pointer(g->module, g->scalars[I8], SpvStorageClassFunction), 2, 0, 0);
    chain->operands[0] = &variable->value;
    chain->operands[1] = &index->value;
    struct geo_ir_inst *inst = make(g, SpvOpStore, geo_ir_type_void(g->module), 2, 0, 0);
    inst->operands[0] = &chain->value;
    inst->operands[1] = value;
}

/* ---- values ---- */

static struct geo_ir_value *binary(struct generator *g, SpvOp op, const struct geo_ir_type *type,
                                   struct geo_ir_value *a, struct geo_ir_value *b)
{
    struct geo_ir_inst *inst = make(g, op, type, 2, 0, 0);
    inst->operands[0] = a;
    inst->operands[1] = b;
    return keep(g, inst);
}

static struct geo_ir_value *unary(struct generator *g, SpvOp op, const struct geo_ir_type *type,
                                  struct geo_ir_value *a)
{
    struct geo_ir_inst *inst = make(g, op, type, 1, 0, 0);
    inst->operands[0] = a;
    return keep(g, inst);
}

static struct geo_ir_value *select_of(struct generator *g, const struct geo_ir_type *type)
{
    struct geo_ir_value *condition = pick_scalar(g, BOOL);
    struct geo_ir_value *a = pick(g, type), *b = pick(g, type);
    struct geo_ir_inst *inst = make(g, SpvOpSelect, type, 3, 0, 0);
    inst->operands[0] = condition;
    inst->operands[1] = a;
    inst->operands[2] = b;
    return keep(g, inst);
}

static struct geo_ir_value *extract(struct generator *g, const struct geo_ir_type *type,
                                    struct geo_ir_value *composite, uint32_t count,
                                    const uint32_t *path)
{
    struct geo_ir_inst *inst = make(g, SpvOpCompositeExtract, type, 1, count, 0);
    inst->operands[0] = composite;
    memcpy(inst->literals, path, count * sizeof(*path));
    return keep(g, inst);
}

static struct geo_ir_value *integer_of(struct generator *g, enum scalar kind)
{
    static const SpvOp ops[] = {
        SpvOpIAdd,
        SpvOpISub,
        SpvOpIMul,
        SpvOpUDiv,
        SpvOpSDiv,
        SpvOpUMod,
        SpvOpSRem,
        SpvOpSMod,
        SpvOpBitwiseAnd,
        SpvOpBitwiseOr,
        SpvOpBitwiseXor,
        SpvOpShiftLeftLogical,
        SpvOpShiftRightLogical,
        SpvOpShiftRightArithmetic,
    };
    const struct geo_ir_type *type = g->scalars[kind];
    const uint32_t record_paths[3][2] = {{0, 0}, {1, 0}, {2, 0}};
    enum scalar from = (enum scalar)below(g, 4);
    uint32_t index;
    switch (below(g, 12)) {
    case 0:
        return load(g, type);
    case 1:
        return unary(g, below(g, 2) ? SpvOpNot : SpvOpSNegate, type, pick(g, type));
    case 2:
        return from == kind ? constant(g, kind)
                            : unary(g, below(g, 2) ? SpvOpUConvert : SpvOpSConvert, type,
                                    pick_scalar(g, from));
    case 3:
        return select_of(g, type);
    case 4: /* a bool as a number, as unoptimised code has it */
    {
        struct geo_ir_value *condition = pick_scalar(g, BOOL);
        struct geo_ir_inst *inst = make(g, SpvOpSelect, type, 3, 0, 0);
        inst->operands[0] = condition;
        inst->operands[1] = geo_ir_const_int(g->module, type, 1);
        inst->operands[2] = geo_ir_const_int(g->module, type, 0);
        return keep(g, inst);
    }
    case 5:
        if (kind == I32) {
            index = below(g, 4);
            return extract(g, type, pick(g, g->v4i32), 1, &index);
        }
        if (kind == I8) {
            index = below(g, 4);
            return extract(g, type, pick(g, g->v4i8), 1, &index);
        }
        return constant(g, kind);
    case 6:
        if (kind == I32) {
            return below(g, 2) ? unary(g, SpvOpBitcast, type, pick(g, g->v4i8))
                               : unary(g, SpvOpBitcast, type, pick_scalar(g, F32));
        }
        return kind == I64 ? unary(g, SpvOpBitcast, type, pick(g, g->v2i32)) : load(g, type);
    case 7:
        if (kind == I32) {
            return extract(g, type, pick(g, g->record), 1, record_paths[0]);
        }
        if (kind == I64) {
            const uint32_t path[2] = {1, 1};
            return extract(g, type, pick(g, g->record), 2, path);
        }
        return constant(g, kind);
    case 8:
        if (kind == I32) {
            struct geo_ir_value *vector = pick(g, g->v4i32), *at = pick_scalar(g, I32);
            return binary(g, SpvOpVectorExtractDynamic, type, vector, at);
        }
        return load(g, type);
    default: {
        struct geo_ir_value *a = pick_scalar(g, kind), *b = pick_scalar(g, kind);
        return binary(g, ops[below(g, sizeof(ops) / sizeof(ops[0]))], type, a, b);
    }
    }
}

static struct geo_ir_value *bool_of(struct generator *g)
{
    static const SpvOp compares[] = {
        SpvOpIEqual,         SpvOpINotEqual,      SpvOpUGreaterThan,      SpvOpSGreaterThan,
        SpvOpULessThan,      SpvOpSLessThan,      SpvOpUGreaterThanEqual, SpvOpSGreaterThanEqual,
        SpvOpULessThanEqual, SpvOpSLessThanEqual,
    };
    static const SpvOp logic[] = {SpvOpLogicalAnd, SpvOpLogicalOr, SpvOpLogicalEqual,
                                  SpvOpLogicalNotEqual};
    const struct geo_ir_type *type = g->scalars[BOOL];
    enum scalar kind = (enum scalar)below(g, 4);
    struct geo_ir_value *a, *b;
    switch (below(g, 6)) {
    case 0:
        return unary(g, SpvOpLogicalNot, type, pick(g, type));
    case 1:
        a = pick_scalar(g, BOOL);
        b = pick_scalar(g, BOOL);
        return binary(g, logic[below(g, 4)], type, a, b);
    case 2:
        a = pick_scalar(g, F32);
        b = pick_scalar(g, F32);
        return binary(g, below(g, 2) ? SpvOpFOrdLessThan : SpvOpFUnordGreaterThanEqual, type, a, b);
    default:
        a = pick_scalar(g, kind);
        b = pick_scalar(g, kind);
        return binary(g, compares[below(g, 10)], type, a, b);
    }
}

static struct geo_ir_value *float_of(struct generator *g)
{
    const struct geo_ir_type *type = g->scalars[F32];
    switch (below(g, 6)) {
    case 0:
        return unary(g, SpvOpConvertSToF, type, pick_scalar(g, I32));
    case 1:
        return unary(g, SpvOpBitcast, type, pick_scalar(g, I32));
    case 2:
        return load(g, type);
    case 3:
        return unary(g, SpvOpFNegate, type, pick(g, type));
    default:
        return constant(g, F32);
    }
}

static struct geo_ir_value *composite_of(struct generator *g, const struct geo_ir_type *type)
{
    uint32_t choice = below(g, 5);
    if (choice == 0) {
        return load(g, type);
    }
    if (choice == 1 && type->kind == GEO_TYPE_VECTOR) {
        struct geo_ir_value *a = pick(g, type), *b = pick(g, type);
        struct geo_ir_inst *inst = make(g, SpvOpVectorShuffle, type, 2, (uint32_t)type->count, 0);
        inst->operands[0] = a;
        inst->operands[1] = b;
        for (uint32_t i = 0; i < type->count; i++) {
            inst->literals[i] = below(g, 2 * (uint32_t)type->count);
        }
        return keep(g, inst);
    }
    if (choice == 2) {
        const struct geo_ir_type *member =
            type->kind == GEO_TYPE_STRUCT ? type->members[0] : type->element;
        struct geo_ir_value *part = pick(g, member), *whole = pick(g, type);
        struct geo_ir_inst *inst = make(g, SpvOpCompositeInsert, type, 2, 1, 0);
        inst->operands[0] = part;
        inst->operands[1] = whole;
        inst->literals[0] = type->kind == GEO_TYPE_STRUCT ? 0 : below(g, (uint32_t)type->count);
        return keep(g, inst);
    }
    struct geo_ir_value *parts[4];
    for (uint64_t i = 0; i < type->count; i++) {
        parts[i] = pick(g, type->kind == GEO_TYPE_STRUCT ? type->members[i] : type->element);
    }
    struct geo_ir_inst *inst = make(g, SpvOpCompositeConstruct, type, (uint32_t)type->count, 0, 0);
    memcpy(inst->operands, parts, type->count * sizeof(parts[0]));
    return keep(g, inst);
}

/* Depth of recursion is bounded by chance: pick mostly finds something. */
static struct geo_ir_value *value_of(struct generator *g, const struct geo_ir_type *type)
{
    static uint32_t depth;
    struct geo_ir_value *value = NULL;
    if (depth > 6) {
        if (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_STRUCT ||
            type->kind == GEO_TYPE_ARRAY) {
            return geo_ir_const_null(g->module, type);
        }
        for (int kind = 0; kind < SCALARS; kind++) {
            if (g->scalars[kind] == type) {
                return constant(g, (enum scalar)kind);
            }
        }
    }
    depth++;
    for (int kind = I8; kind <= I64; kind++) {
        if (g->scalars[kind] == type) {
            value = integer_of(g, (enum scalar)kind);
        }
    }
    if (!value) {
        value = type == g->scalars[BOOL]  ? bool_of(g)
                : type == g->scalars[F32] ? float_of(g)
                                          : composite_of(g, type);
    }
    depth--;
    return value;
}

static const struct geo_ir_type *any_type(struct generator *g)
{
    const struct geo_ir_type *types[] = {
        g->scalars[I8],   g->scalars[I16], g->scalars[I32], g->scalars[I64], g->scalars[F32],
        g->scalars[BOOL], g->v4i32,        g->v2i32,        g->v4i8,         g->record,
    };
    return types[below(g, sizeof(types) / sizeof(types[0]))];
}

static void call(struct generator *g)
{
    struct geo_ir_value *arguments[3] = {pick_scalar(g, I32), pick_scalar(g, I64),
                                         pick_scalar(g, F32)};
    struct geo_ir_inst *inst = make(g, SpvOpFunctionCall, g->scalars[I64], 4, 0, 0);
    inst->operands[0] = &g->callees[below(g, g->callee_count)]->value;
    memcpy(inst->operands + 1, arguments, sizeof(arguments));
    keep(g, inst);
}

static void statement(struct generator *g)
{
    /* A bool in memory must stay 0 or 1, so bools are loaded from nowhere. */
    const struct geo_ir_type *type = any_type(g);
    switch (below(g, 10)) {
    case 0:
    case 1:
    case 2:
    case 3:
        store(g, type == g->scalars[BOOL] ? g->scalars[I32] : type);
        return;
    case 4:
        copy(g);
        return;
    case 5:
        if (below(g, 4) == 0) {
            dynamic_access(g);
        }
        return;
    case 6:
        if (g->callee_count && below(g, 3) == 0) {
            call(g);
        }
        return;
    default:
        value_of(g, type);
        return;
    }
}

/* ---- functions ---- */

static void variable_add(struct generator *g, const struct geo_ir_type *type)
{
    struct geo_ir_inst *inst = make(
        g, SpvOpVariable, geo_ir_type_pointer(g->module, type, SpvStorageClassFunction), 0, 1, 0);
    inst->literals[0] = SpvStorageClassFunction;
    g->variables[g->variable_count++] = inst;
}

static void variables_add(struct generator *g)
{
    g->variable_count = 0;
    variable_add(g, g->buffer);
    variable_add(g, g->buffer);
    variable_add(g, g->record);
    variable_add(g, g->v4i32);
    variable_add(g, g->scalars[I64]);
    variable_add(g, g->scalars[I32]);
    variable_add(g, g->scalars[I32]);
    variable_add(g, g->scalars[F32]);
    variable_add(g, g->scalars[I16]);
    /* Nothing is undefined: each byte is written first. */
    for (uint32_t i = 0; i < g->variable_count; i++) {
        uint32_t size = (uint32_t)g->variables[i]->value.type->element->size;
        const struct geo_ir_type *type = g->scalars[size % 8 == 0   ? I64
                                                    : size % 4 == 0 ? I32
                                                                    : I16];
        for (uint32_t at = 0; at < size; at += (uint32_t)type->size) {
            struct geo_ir_value *pointer = pointer_to(g, type, &g->variables[i]->value, at);
            struct geo_ir_inst *inst = make(g, SpvOpStore, geo_ir_type_void(g->module), 2, 0, 0);
            inst->operands[0] = pointer;
            inst->operands[1] = geo_ir_const_int(g->module, type, support_random(&g->random));
        }
    }
}

static void finish(struct generator *g)
{
    struct geo_ir_value *sum = geo_ir_const_int(g->module, g->scalars[I64], 1);
    for (uint32_t i = 0; i < g->variable_count; i++) {
        uint32_t size = (uint32_t)g->variables[i]->value.type->element->size;
        if (size % 8 != 0) {
            continue;
        }
        for (uint32_t at = 0; at < size; at += 8) {
            struct geo_ir_value *pointer =
                pointer_to(g, g->scalars[I64], &g->variables[i]->value, at);
            struct geo_ir_inst *part = make(g, SpvOpLoad, g->scalars[I64], 1, 0, 0);
            part->operands[0] = pointer;
            part->memory_align = 1;
            struct geo_ir_inst *scaled = make(g, SpvOpIMul, g->scalars[I64], 2, 0, 0);
            scaled->operands[0] = sum;
            scaled->operands[1] = geo_ir_const_int(g->module, g->scalars[I64], 0x100000001B3u);
            struct geo_ir_inst *mixed = make(g, SpvOpBitwiseXor, g->scalars[I64], 2, 0, 0);
            mixed->operands[0] = &scaled->value;
            mixed->operands[1] = &part->value;
            sum = &mixed->value;
        }
    }
    make(g, SpvOpReturnValue, geo_ir_type_void(g->module), 1, 0, 0)->operands[0] = sum;
}

static void terminate(struct generator *g, struct geo_ir_block *const *targets, uint32_t count)
{
    struct geo_ir_value *selector = NULL;
    if (count == 0) {
        finish(g);
        return;
    }
    if (count > 1) {
        selector = count == 2 ? pick_scalar(g, BOOL) : pick_scalar(g, I32);
    }
    if (count > 2) {
        struct geo_ir_inst *mod = make(g, SpvOpUMod, g->scalars[I32], 2, 0, 0);
        mod->operands[0] = selector;
        mod->operands[1] = geo_ir_const_int(g->module, g->scalars[I32], count);
        selector = &mod->value;
    }
    SpvOp op = count == 1 ? SpvOpBranch : count == 2 ? SpvOpBranchConditional : SpvOpSwitch;
    struct geo_ir_inst *inst =
        make(g, op, geo_ir_type_void(g->module), count > 1, count > 2 ? 2 * (count - 1) : 0, count);
    for (uint32_t i = 0; i < count; i++) {
        inst->targets[i] = targets[i];
        if (i > 0 && count > 2) {
            inst->literals[2 * i - 2] = i - 1;
        }
    }
    if (selector) {
        inst->operands[0] = selector;
    }
}

/* Any block may lead to any other but the entry. */
static uint32_t targets_any(struct generator *g, uint32_t at, uint32_t count, uint32_t *targets)
{
    uint32_t degree = at == 0 ? 1 + below(g, 2) : below(g, 4);
    for (uint32_t i = 0; i < degree; i++) {
        targets[i] = 1 + below(g, count - 1);
    }
    return degree;
}

/* Forward, or back to a block that started a nest: in a complete binary nesting of ranges, a block
 * may leave its range forwards or go back to the range's first block. */
static uint32_t targets_nested(struct generator *g, uint32_t at, uint32_t count, uint32_t *targets)
{
    if (at + 1 == count) {
        return 0;
    }
    uint32_t degree = 0;
    targets[degree++] = at + 1;
    if (below(g, 2) == 0) {
        /* A range is aligned to a power of two: its first block is its only entry from before. */
        uint32_t size = 2u << below(g, 3), first = at & ~(size - 1), end = first + size;
        uint32_t target = below(g, 2) && first > 0 ? first : end < count ? end : count - 1;
        targets[degree++] = target;
    }
    return degree;
}

static void body_make(struct generator *g, const struct generate_options *options)
{
    uint32_t count = 2 + below(g, options->blocks < MAX_BLOCKS ? options->blocks : MAX_BLOCKS - 2);
    struct geo_ir_block *blocks[MAX_BLOCKS];
    for (uint32_t i = 0; i < count; i++) {
        blocks[i] = geo_ir_block_create(g->function, NULL);
        assert_non_null(blocks[i]);
    }
    g->global_count = g->value_count = 0;
    for (uint32_t i = 0; i < g->function->parameter_count; i++) {
        g->values[g->value_count++] = g->function->parameters[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t targets[4];
        struct geo_ir_block *list[4];
        g->block = blocks[i];
        if (i == 0) {
            variables_add(g);
        }
        for (uint32_t s = below(g, options->instructions); s > 0; s--) {
            statement(g);
        }
        uint32_t degree = options->any_graph ? targets_any(g, i, count, targets)
                                             : targets_nested(g, i, count, targets);
        for (uint32_t t = 0; t < degree; t++) {
            list[t] = blocks[targets[t]];
        }
        terminate(g, list, degree);
        if (i == 0) {
            g->global_count = g->value_count;
        }
        g->value_count = g->global_count;
    }
}

static void types_make(struct generator *g)
{
    static const uint32_t widths[] = {8, 16, 32, 64};
    for (int i = 0; i < 4; i++) {
        g->scalars[i] = geo_ir_type_int(g->module, widths[i]);
    }
    g->scalars[F32] = geo_ir_type_float(g->module, 32);
    g->scalars[BOOL] = geo_ir_type_bool(g->module);
    g->v2i32 = geo_ir_type_vector(g->module, g->scalars[I32], 2);
    g->v4i32 = geo_ir_type_vector(g->module, g->scalars[I32], 4);
    g->v4i8 = geo_ir_type_vector(g->module, g->scalars[I8], 4);
    g->buffer = geo_ir_type_array(g->module, g->scalars[I8], BUFFER_BYTES);
    struct geo_ir_type *inner = geo_ir_type_struct(g->module, 2);
    inner->members[0] = g->scalars[I16];
    inner->members[1] = g->scalars[I64];
    inner->packed = true;
    assert_true(geo_ir_struct_layout(inner));
    g->record = geo_ir_type_struct(g->module, 3);
    g->record->packed = true;
    g->record->members[0] = g->scalars[I32];
    g->record->members[1] = inner;
    g->record->members[2] = geo_ir_type_array(g->module, g->scalars[I16], 3);
    assert_true(geo_ir_struct_layout(g->record));
}

struct geo_ir_module *generate_module(const struct generate_options *options)
{
    struct generator g = {.random = {options->seed * 2654435761u + 12345}};
    g.module = geo_ir_module_create((size_t)256 << 20);
    assert_non_null(g.module);
    types_make(&g);
    const struct geo_ir_type *parameters[3] = {g.scalars[I32], g.scalars[I64], g.scalars[F32]};
    const struct geo_ir_type *type = geo_ir_type_function(g.module, g.scalars[I64], 3, parameters);
    for (uint32_t i = 0; i <= options->functions && i < 8; i++) {
        bool last = i == options->functions;
        struct generate_options own = *options;
        own.blocks = last ? options->blocks : 4;
        g.function = geo_ir_function_create(g.module, type);
        assert_non_null(g.function);
        if (last) {
            g.function->linkage = GEO_LINKAGE_EXPORT;
            g.function->linkage_name = "random";
        }
        body_make(&g, &own);
        g.callees[g.callee_count++] = g.function;
    }
    return g.module;
}
