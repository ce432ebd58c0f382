/* Random kernels as SPIR-V: atomics, with all scopes that reach whoever else comes to the place,
 * and all orders. See spirv.h. */
#include "spirv.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct gen_words *out(struct gen_spirv *spirv)
{
    return &spirv->current->body;
}

static SpvOp atomic_op(enum gen_op op)
{
    switch (op) {
    case GEN_ADD:
        return SpvOpAtomicIAdd;
    case GEN_SUB:
        return SpvOpAtomicISub;
    case GEN_AND:
        return SpvOpAtomicAnd;
    case GEN_OR:
        return SpvOpAtomicOr;
    case GEN_XOR:
        return SpvOpAtomicXor;
    case GEN_UMIN:
        return SpvOpAtomicUMin;
    case GEN_UMAX:
        return SpvOpAtomicUMax;
    case GEN_SMIN:
        return SpvOpAtomicSMin;
    default:
        return SpvOpAtomicSMax;
    }
}

/* ---- scopes and orders ---- */

struct order {
    uint32_t scope;    /* id */
    uint32_t acquires; /* semantics of what reads, */
    uint32_t releases; /* writes, */
    uint32_t both;     /* and does both */
};

enum { READS = 1, WRITES = 2 };

static uint32_t order_id(struct gen_spirv *spirv, const struct order *order, uint32_t does)
{
    return gen_u32_id(spirv, does == READS    ? order->acquires
                             : does == WRITES ? order->releases
                                              : order->both);
}

/* Nobody else comes to an own place; to one that a group shares, the group. */
static SpvScope scope_choose(const struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    static const SpvScope scopes[] = {SpvScopeCrossDevice, SpvScopeDevice, SpvScopeWorkgroup,
                                      SpvScopeSubgroup};
    const struct gen_variable *base = stmt->atomic_place->base;
    uint32_t count = base->use == GEN_USE_OWN ? 4 : base->use == GEN_USE_PHASES ? 3 : 2;
    return scopes[gen_way(spirv, count)];
}

static struct order order_make(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    static const struct order orders[] = {
        {0, 0, 0, 0},
        {0, SpvMemorySemanticsAcquireMask, 0, SpvMemorySemanticsAcquireMask},
        {0, 0, SpvMemorySemanticsReleaseMask, SpvMemorySemanticsReleaseMask},
        {0, SpvMemorySemanticsAcquireMask, SpvMemorySemanticsReleaseMask,
         SpvMemorySemanticsAcquireReleaseMask},
        {0, SpvMemorySemanticsSequentiallyConsistentMask,
         SpvMemorySemanticsSequentiallyConsistentMask,
         SpvMemorySemanticsSequentiallyConsistentMask}};
    bool local = stmt->atomic_place->base->role == GEN_SHARED;
    uint32_t memory =
        local ? SpvMemorySemanticsWorkgroupMemoryMask : SpvMemorySemanticsCrossWorkgroupMemoryMask;
    SpvScope scope = local ? SpvScopeWorkgroup : SpvScopeDevice;
    struct order order = {0};
    if (spirv->program->forms) {
        order = orders[gen_way(spirv, COUNT(orders))];
        scope = scope_choose(spirv, stmt);
        if (stmt->number % 3 == 0) {
            memory =
                SpvMemorySemanticsWorkgroupMemoryMask | SpvMemorySemanticsCrossWorkgroupMemoryMask;
        }
    } else if (stmt->atomic_ordered) {
        order.both = SpvMemorySemanticsAcquireReleaseMask;
    }
    order.scope = gen_u32_id(spirv, scope);
    order.acquires |= order.acquires ? memory : 0;
    order.releases |= order.releases ? memory : 0;
    order.both |= order.both ? memory : 0;
    return order;
}

/* ---- operations ---- */

/* What the statement makes of the old value. */
static uint32_t emit_joined(struct gen_spirv *spirv, const struct gen_stmt *stmt, uint32_t old,
                            uint32_t value)
{
    const struct gen_op_info *info = &gen_ops[stmt->atomic];
    uint32_t type = gen_type_id(spirv, stmt->atomic_place->type), id = spirv->bound++;
    if (info->spirv) {
        gen_put(out(spirv), info->spirv, 4, type, id, old, value);
    } else {
        gen_put(out(spirv), SpvOpExtInst, 6, type, id, spirv->ext_set, info->ext, old, value);
    }
    return id;
}

/* header: old = *address, new, seen = compare-exchange -> header, exit. The old value. */
static uint32_t emit_exchange_loop(struct gen_spirv *spirv, const struct gen_stmt *stmt,
                                   uint32_t address, const struct order *order, uint32_t value)
{
    struct gen_program *program = (struct gen_program *)(uintptr_t)spirv->program;
    uint32_t type = gen_type_id(spirv, stmt->atomic_place->type);
    uint32_t loaded = order_id(spirv, order, READS);
    uint32_t truth = gen_type_id(spirv, gen_type_bool(program));
    struct gen_node *header = gen_node_create(spirv), *exit = gen_node_create(spirv);
    struct gen_node *next = gen_node_create(spirv);
    gen_branch(spirv, header);
    gen_node_begin(spirv, header);
    uint32_t old = spirv->bound++, seen = spirv->bound++, same = spirv->bound++;
    gen_put(out(spirv), SpvOpAtomicLoad, 5, type, old, address, order->scope, loaded);
    uint32_t joined = emit_joined(spirv, stmt, old, value);
    gen_put(out(spirv), SpvOpAtomicCompareExchange, 8, type, seen, address, order->scope,
            order_id(spirv, order, READS | WRITES), loaded, joined, old);
    gen_put(out(spirv), SpvOpIEqual, 4, truth, same, seen, old);
    if (program->loop_merges) {
        gen_put(out(spirv), SpvOpLoopMerge, 3, exit->id, next->id, 0);
    }
    gen_branch_if(spirv, same, exit, next);
    gen_node_begin_sealed(spirv, next);
    gen_branch(spirv, header);
    gen_node_seal(spirv, header);
    gen_node_begin_sealed(spirv, exit);
    return seen;
}

static uint32_t emit_operation(struct gen_spirv *spirv, const struct gen_stmt *stmt,
                               uint32_t address, const struct order *order, uint32_t value)
{
    const struct gen_expr *operand = gen_expr_resolve(stmt->value);
    bool one = operand->op == GEN_CONST && operand->bits[0] == 1 && stmt->number % 2 &&
               stmt->atomic_form == GEN_ATOMIC_OP;
    bool swaps = stmt->atomic_form == GEN_ATOMIC_SWAP;
    if (swaps && !stmt->place && spirv->program->forms) {
        gen_put(out(spirv), SpvOpAtomicStore, 4, address, order->scope,
                order_id(spirv, order, WRITES), value);
        return 0;
    }
    uint32_t semantics = order_id(spirv, order, READS | WRITES);
    uint32_t type = gen_type_id(spirv, stmt->atomic_place->type), id = spirv->bound++;
    if (one && spirv->program->shapes && (stmt->atomic == GEN_ADD || stmt->atomic == GEN_SUB)) {
        gen_put(out(spirv), stmt->atomic == GEN_ADD ? SpvOpAtomicIIncrement : SpvOpAtomicIDecrement,
                5, type, id, address, order->scope, semantics);
        return id;
    }
    gen_put(out(spirv), swaps ? SpvOpAtomicExchange : (uint32_t)atomic_op(stmt->atomic), 6, type,
            id, address, order->scope, semantics, value);
    return id;
}

void gen_emit_atomic(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    uint32_t value = gen_emit_expr(spirv, stmt->value);
    uint32_t address = gen_emit_address(spirv, stmt->atomic_place);
    struct order order = order_make(spirv, stmt);
    bool loops = stmt->atomic_form == GEN_ATOMIC_LOOP;
    uint32_t id =
        (loops ? emit_exchange_loop : emit_operation)(spirv, stmt, address, &order, value);
    if (stmt->place) {
        gen_emit_store(spirv, stmt->place, id);
    }
}
