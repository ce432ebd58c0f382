/* See generator.h. The kernel is made as unoptimised code is: variables in Function storage. */
#include "generator.h"

#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BLOCKS_LIMIT 24u
#define LOOPS_LIMIT  4u
#define VARYING      4u /* variables 0 .. 3 */
#define UNIFORM      2u /* variables 4, 5: written with uniform values where flow is uniform */
#define VARIABLES    (VARYING + UNIFORM)
#define TABLE        8u

struct loop {
    uint32_t first, last;
};

struct generator {
    struct support_random random;
    struct geo_ir_module *module;
    struct geo_ir_function *function;
    struct geo_ir_block *at; /* where instructions go */
    struct geo_ir_block *blocks[BLOCKS_LIMIT];
    uint32_t block_count;
    struct loop loops[LOOPS_LIMIT];
    uint32_t loop_count;
    bool barriers;
    const struct geo_ir_type *i32, *i64, *boolean, *nothing, *global_pointer, *local_pointer;
    struct geo_ir_value *variables[VARIABLES], *fuel, *table; /* table: TABLE numbers */
    struct geo_ir_value *id, *local_id, *group_size;          /* i64 */
};

static uint32_t pick(struct generator *g, uint32_t bound)
{
    return support_random_below(&g->random, bound);
}

/* ---- instructions ---- */

static struct geo_ir_value *add(struct generator *g, unsigned op, const struct geo_ir_type *type,
                                uint32_t count, struct geo_ir_value *a, struct geo_ir_value *b,
                                struct geo_ir_value *c)
{
    struct geo_ir_value *operands[] = {a, b, c};
    struct geo_ir_inst *inst = geo_ir_inst_create(g->module, (SpvOp)op, type, count, 0, 0);
    assert_non_null(inst);
    for (uint32_t i = 0; i < count; i++) {
        inst->operands[i] = operands[i];
    }
    geo_ir_inst_append(g->at, inst);
    return &inst->value;
}

static struct geo_ir_value *constant(struct generator *g, uint32_t value)
{
    return geo_ir_const_int(g->module, g->i32, value);
}

static struct geo_ir_value *binary(struct generator *g, unsigned op, struct geo_ir_value *a,
                                   struct geo_ir_value *b)
{
    return add(g, op, a->type, 2, a, b, NULL);
}

static struct geo_ir_value *compare(struct generator *g, unsigned op, struct geo_ir_value *a,
                                    struct geo_ir_value *b)
{
    return add(g, op, g->boolean, 2, a, b, NULL);
}

static struct geo_ir_value *load(struct generator *g, struct geo_ir_value *pointer)
{
    return add(g, SpvOpLoad, g->i32, 1, pointer, NULL, NULL);
}

static void store(struct generator *g, struct geo_ir_value *pointer, struct geo_ir_value *value)
{
    add(g, SpvOpStore, g->nothing, 2, pointer, value, NULL);
}

static struct geo_ir_value *element(struct generator *g, struct geo_ir_value *base,
                                    struct geo_ir_value *index)
{
    return add(g, SpvOpInBoundsPtrAccessChain, base->type, 2, base, index, NULL);
}

static struct geo_ir_value *widen(struct generator *g, struct geo_ir_value *value)
{
    return add(g, SpvOpSConvert, g->i64, 1, value, NULL, NULL);
}

static struct geo_ir_value *read_variable(struct generator *g, bool uniform)
{
    uint32_t at = uniform ? VARYING + pick(g, UNIFORM) : pick(g, VARIABLES);
    return load(g, g->variables[at]);
}

static struct geo_ir_value *builtin(struct generator *g, SpvBuiltIn which)
{
    struct geo_ir_inst *inst =
        geo_ir_inst_create(g->module, (SpvOp)GEO_OP_BUILTIN, g->i64, 0, 2, 0);
    assert_non_null(inst);
    inst->literals[0] = which;
    geo_ir_inst_append(g->at, inst);
    return &inst->value;
}

/* ---- statements ---- */

static struct geo_ir_value *input_at(struct generator *g, struct geo_ir_value *index)
{
    struct geo_ir_value *mask = geo_ir_const_int(g->module, g->i64, GENERATOR_INPUTS - 1);
    return load(g, element(g, g->function->parameters[0], binary(g, SpvOpBitwiseAnd, index, mask)));
}

/* &table[index & (TABLE - 1)] */
static struct geo_ir_value *table_at(struct generator *g, struct geo_ir_value *index)
{
    const struct geo_ir_type *pointer =
        geo_ir_type_pointer(g->module, g->i32, SpvStorageClassFunction);
    struct geo_ir_value *at = binary(g, SpvOpBitwiseAnd, index, constant(g, TABLE - 1));
    return add(g, SpvOpInBoundsAccessChain, pointer, 2, g->table, at, NULL);
}

static struct geo_ir_value *arithmetic(struct generator *g, bool uniform)
{
    static const unsigned ops[] = {SpvOpIAdd,       SpvOpISub,      SpvOpIMul, SpvOpBitwiseXor,
                                   SpvOpBitwiseAnd, SpvOpBitwiseOr, SpvOpUDiv, SpvOpUMod};
    unsigned op = ops[pick(g, 8)];
    struct geo_ir_value *a = read_variable(g, uniform);
    struct geo_ir_value *b = pick(g, 2) ? read_variable(g, uniform) : constant(g, 1 + pick(g, 9));
    if (op == SpvOpUDiv || op == SpvOpUMod) {
        b = binary(g, SpvOpBitwiseOr, b, constant(g, 1));
    }
    return binary(g, op, a, b);
}

static struct geo_ir_value *expression(struct generator *g, bool uniform)
{
    struct geo_ir_value *offset;
    switch (pick(g, uniform ? 3 : 7)) {
    case 0:
        return constant(g, pick(g, 100));
    case 1:
        return input_at(g, widen(g, read_variable(g, uniform)));
    case 3:
        offset = geo_ir_const_int(g->module, g->i64, pick(g, 64));
        return load(g, element(g, g->function->parameters[0], binary(g, SpvOpIAdd, g->id, offset)));
    case 5:
        return load(g, table_at(g, read_variable(g, false)));
    case 4: {
        struct geo_ir_value *condition =
            compare(g, SpvOpSLessThan, read_variable(g, false), read_variable(g, false));
        return add(g, SpvOpSelect, g->i32, 3, condition, read_variable(g, false),
                   read_variable(g, false));
    }
    default:
        return arithmetic(g, uniform);
    }
}

static struct geo_ir_value *output(struct generator *g)
{
    struct geo_ir_value *outputs = geo_ir_const_int(g->module, g->i64, GENERATOR_OUTPUTS);
    struct geo_ir_value *place = geo_ir_const_int(g->module, g->i64, pick(g, GENERATOR_OUTPUTS));
    struct geo_ir_value *first = binary(g, SpvOpIMul, g->id, outputs);
    return element(g, g->function->parameters[1], binary(g, SpvOpIAdd, first, place));
}

static void barrier(struct generator *g)
{
    struct geo_ir_value *scope = constant(g, SpvScopeWorkgroup);
    struct geo_ir_value *semantics = constant(g, SpvMemorySemanticsWorkgroupMemoryMask |
                                                     SpvMemorySemanticsSequentiallyConsistentMask);
    add(g, SpvOpControlBarrier, g->nothing, 3, scope, scope, semantics);
}

/* shared[l] = v; barrier; w = shared[(l + k) % n]; barrier */
static void exchange(struct generator *g)
{
    struct geo_ir_value *shared = g->function->parameters[3];
    struct geo_ir_value *step = geo_ir_const_int(g->module, g->i64, 1 + pick(g, 5));
    store(g, element(g, shared, g->local_id), read_variable(g, false));
    barrier(g);
    struct geo_ir_value *other = binary(g, SpvOpIAdd, g->local_id, step);
    other = binary(g, SpvOpUMod, other, g->group_size);
    store(g, g->variables[pick(g, VARYING)], load(g, element(g, shared, other)));
    barrier(g);
}

static void branch(struct generator *g, struct geo_ir_block *to)
{
    struct geo_ir_inst *inst = geo_ir_inst_create(g->module, SpvOpBranch, g->nothing, 0, 0, 1);
    inst->targets[0] = to;
    geo_ir_inst_append(g->at, inst);
}

static void branch_conditional(struct generator *g, struct geo_ir_value *condition,
                               struct geo_ir_block *on, struct geo_ir_block *off)
{
    struct geo_ir_inst *inst =
        geo_ir_inst_create(g->module, SpvOpBranchConditional, g->nothing, 1, 0, 2);
    inst->operands[0] = condition;
    inst->targets[0] = on;
    inst->targets[1] = off;
    geo_ir_inst_append(g->at, inst);
}

static struct geo_ir_value *condition(struct generator *g, bool uniform)
{
    struct geo_ir_value *value = read_variable(g, uniform);
    if (pick(g, 3) == 0) {
        return compare(g, SpvOpSLessThan, value, read_variable(g, uniform));
    }
    uint32_t mask = 1 + pick(g, 7);
    return compare(g, SpvOpIEqual, binary(g, SpvOpBitwiseAnd, value, constant(g, mask)),
                   constant(g, pick(g, 2) ? 0 : mask));
}

/* if (condition) v = e; */
static void small_branch(struct generator *g)
{
    struct geo_ir_block *then = geo_ir_block_create(g->function, g->at);
    struct geo_ir_block *after = geo_ir_block_create(g->function, then);
    branch_conditional(g, condition(g, false), then, after);
    g->at = then;
    store(g, g->variables[pick(g, VARYING)], expression(g, false));
    branch(g, after);
    g->at = after;
}

static void statement(struct generator *g)
{
    switch (pick(g, 9)) {
    case 5:
        store(g, table_at(g, read_variable(g, false)), read_variable(g, false));
        break;
    case 0:
        store(g, output(g), read_variable(g, false));
        break;
    case 1: {
        struct geo_ir_value *place = output(g);
        store(g, place, binary(g, SpvOpIAdd, load(g, place), expression(g, false)));
        break;
    }
    case 2:
        store(g, g->variables[VARYING + pick(g, UNIFORM)], expression(g, true));
        break;
    case 3:
        if (g->barriers) {
            exchange(g);
            break;
        }
        small_branch(g);
        break;
    case 4:
        small_branch(g);
        break;
    default:
        store(g, g->variables[pick(g, VARYING)], expression(g, false));
        break;
    }
}

/* ---- control flow ---- */

/* Loops nest and share no last block. */
static void loops_choose(struct generator *g)
{
    for (uint32_t i = 0; i < LOOPS_LIMIT; i++) {
        struct loop loop = {.first = 1 + pick(g, g->block_count - 2)};
        loop.last = loop.first + pick(g, g->block_count - 1 - loop.first);
        bool fits = true;
        for (uint32_t k = 0; k < g->loop_count; k++) {
            const struct loop *other = &g->loops[k];
            bool apart = loop.last < other->first || other->last < loop.first;
            bool inside = loop.first > other->first && loop.last < other->last;
            bool around = loop.first < other->first && loop.last > other->last;
            fits = fits && (apart || inside || around);
        }
        if (fits) {
            g->loops[g->loop_count++] = loop;
        }
    }
}

/* A later block; the header of a loop stands for its inside, seen from outside. */
static struct geo_ir_block *target(struct generator *g, uint32_t from)
{
    uint32_t to = from + 1 + pick(g, pick(g, 3) ? 2 : g->block_count - 1 - from);
    to = to < g->block_count ? to : g->block_count - 1;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < g->loop_count; i++) {
            const struct loop *loop = &g->loops[i];
            bool from_inside = from >= loop->first && from <= loop->last;
            if (!from_inside && to > loop->first && to <= loop->last) {
                to = loop->first;
                moved = true;
            }
        }
    }
    return g->blocks[to];
}

static void switch_to(struct generator *g, uint32_t from)
{
    const uint32_t cases = 3;
    struct geo_ir_inst *inst =
        geo_ir_inst_create(g->module, SpvOpSwitch, g->nothing, 1, 2 * cases, cases + 1);
    inst->operands[0] = binary(g, SpvOpBitwiseAnd, read_variable(g, g->barriers), constant(g, 7));
    for (uint32_t i = 0; i < cases; i++) {
        inst->literals[2 * i] = i * 2;
        inst->targets[1 + i] = target(g, from);
    }
    inst->targets[0] = target(g, from);
    geo_ir_inst_append(g->at, inst);
}

static const struct loop *loop_ending(const struct generator *g, uint32_t block)
{
    for (uint32_t i = 0; i < g->loop_count; i++) {
        if (g->loops[i].last == block) {
            return &g->loops[i];
        }
    }
    return NULL;
}

static void terminate(struct generator *g, uint32_t block)
{
    const struct loop *loop = loop_ending(g, block);
    if (block + 1 == g->block_count) {
        struct geo_ir_inst *inst = geo_ir_inst_create(g->module, SpvOpReturn, g->nothing, 0, 0, 0);
        geo_ir_inst_append(g->at, inst);
    } else if (loop) {
        struct geo_ir_value *fuel = binary(g, SpvOpISub, load(g, g->fuel), constant(g, 1));
        store(g, g->fuel, fuel);
        struct geo_ir_value *more = compare(g, SpvOpSGreaterThan, fuel, constant(g, 0));
        more = add(g, SpvOpLogicalAnd, g->boolean, 2, more, condition(g, g->barriers), NULL);
        branch_conditional(g, more, g->blocks[loop->first], target(g, block));
    } else {
        switch (pick(g, 6)) {
        case 0:
            branch(g, target(g, block));
            break;
        case 1:
            switch_to(g, block);
            break;
        default:
            branch_conditional(g, condition(g, g->barriers || pick(g, 3) == 0), target(g, block),
                               target(g, block));
            break;
        }
    }
}

/* ---- the kernel ---- */

static struct geo_ir_value *variable(struct generator *g, const struct geo_ir_type *type)
{
    struct geo_ir_inst *inst =
        geo_ir_inst_create(g->module, SpvOpVariable,
                           geo_ir_type_pointer(g->module, type, SpvStorageClassFunction), 0, 1, 0);
    inst->literals[0] = SpvStorageClassFunction;
    geo_ir_inst_append(g->at, inst);
    return &inst->value;
}

static void function_create(struct generator *g)
{
    const struct geo_ir_type *parameters[] = {g->global_pointer, g->global_pointer, g->i32,
                                              g->local_pointer};
    g->function = geo_ir_function_create(
        g->module, geo_ir_type_function(g->module, g->nothing, 4, parameters));
    assert_non_null(g->function);
    g->function->is_kernel = true;
    g->function->entry_name = "random";
    g->block_count = 4 + pick(g, BLOCKS_LIMIT - 4);
    for (uint32_t i = 0; i < g->block_count; i++) {
        g->blocks[i] = geo_ir_block_create(g->function, g->function->last_block);
    }
}

static void entry_fill(struct generator *g)
{
    g->at = g->blocks[0];
    for (uint32_t i = 0; i < VARIABLES; i++) {
        g->variables[i] = variable(g, g->i32);
    }
    g->fuel = variable(g, g->i32);
    g->table = variable(g, geo_ir_type_array(g->module, g->i32, TABLE));
    g->id = builtin(g, SpvBuiltInGlobalInvocationId);
    g->local_id = builtin(g, SpvBuiltInLocalInvocationId);
    g->group_size = builtin(g, SpvBuiltInWorkgroupSize);
    store(g, g->variables[0], add(g, SpvOpUConvert, g->i32, 1, g->id, NULL, NULL));
    store(g, g->variables[1], load(g, element(g, g->function->parameters[0], g->id)));
    store(g, g->variables[2], constant(g, 0));
    store(g, g->variables[3], g->function->parameters[2]);
    store(g, g->variables[4], g->function->parameters[2]);
    store(g, g->variables[5], constant(g, 3));
    store(g, g->fuel, constant(g, 40));
    for (uint32_t i = 0; i < TABLE; i++) {
        store(g, table_at(g, constant(g, i)), constant(g, 3 * i));
    }
}

struct geo_ir_module *generator_run(const struct generator_options *options)
{
    struct generator g = {.random = {options->seed * 0x9E3779B97F4A7C15u + 1},
                          .barriers = options->barriers};
    g.module = geo_ir_module_create((size_t)64 << 20);
    assert_non_null(g.module);
    g.i32 = geo_ir_type_int(g.module, 32);
    g.i64 = geo_ir_type_int(g.module, 64);
    g.boolean = geo_ir_type_bool(g.module);
    g.nothing = geo_ir_type_void(g.module);
    g.global_pointer = geo_ir_type_pointer(g.module, g.i32, SpvStorageClassCrossWorkgroup);
    g.local_pointer = geo_ir_type_pointer(g.module, g.i32, SpvStorageClassWorkgroup);
    function_create(&g);
    loops_choose(&g);
    entry_fill(&g);
    for (uint32_t i = 0; i < g.block_count; i++) {
        g.at = g.blocks[i];
        for (uint32_t n = pick(&g, 4); n > 0; n--) {
            statement(&g);
        }
        terminate(&g, i);
    }
    geo_ir_function_number(g.function);
    return g.module;
}
