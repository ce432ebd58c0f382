/* Expands work-group collectives (OpGroup* at Workgroup scope) into local memory, barriers and
 * local atomics. See docs/decisions/builtins.md, "Work-group collectives are a transform".
 *
 *     barrier; total = identity; barrier; before = atomic(total, x); barrier; all = load total
 *
 * A work-group runs on one thread: its items in the order of their linear ids, the lanes of a chunk
 * in turn. So the atomic's old value is the exclusive scan, its combination with x the inclusive
 * scan, and the last load the reduction. They are equal at every vector width. Local atomics and
 * barriers are cheap here. Lowering handles sub-group scope.
 *
 * Where items run at the same time, an order of atomics is not that of the items. There, scans and
 * sums of floats remain, and the machine lowers them (lower/machine.h, `collective`). */
#include "compiler/transform/pass/pass.h"

#include <spirv/unified1/OpenCL.std.h>

/* Identity elements of binary operations. */
enum identity {
    IDENTITY_ZERO,
    IDENTITY_ONE,
    IDENTITY_ONES,     /* all bits set */
    IDENTITY_SIGN,     /* the sign bit: the least signed integer, or -0.0 */
    IDENTITY_NOT_SIGN, /* the greatest signed integer */
    IDENTITY_INFINITY,
    IDENTITY_MINUS_INFINITY,
};

/* How a group operation is computed: its row in the table. */
struct collective {
    uint32_t group_op;
    uint32_t atomic; /* atomic on local memory */
    uint32_t join;   /* binary operation: an opcode, or OpExtInst with `number` */
    uint32_t number;
    enum identity identity;
    bool is_signed; /* narrow integers are sign-extended */
};

static const struct collective collectives[] = {
    {SpvOpGroupIAdd, SpvOpAtomicIAdd, SpvOpIAdd, 0, IDENTITY_ZERO, false},
    {SpvOpGroupFAdd, SpvOpAtomicFAddEXT, SpvOpFAdd, 0, IDENTITY_SIGN, false},
    {SpvOpGroupFMin, SpvOpAtomicFMinEXT, SpvOpExtInst, OpenCLstd_Fmin, IDENTITY_INFINITY, false},
    {SpvOpGroupUMin, SpvOpAtomicUMin, SpvOpExtInst, OpenCLstd_UMin, IDENTITY_ONES, false},
    {SpvOpGroupSMin, SpvOpAtomicSMin, SpvOpExtInst, OpenCLstd_SMin, IDENTITY_NOT_SIGN, true},
    {SpvOpGroupFMax, SpvOpAtomicFMaxEXT, SpvOpExtInst, OpenCLstd_Fmax, IDENTITY_MINUS_INFINITY,
     false},
    {SpvOpGroupUMax, SpvOpAtomicUMax, SpvOpExtInst, OpenCLstd_UMax, IDENTITY_ZERO, false},
    {SpvOpGroupSMax, SpvOpAtomicSMax, SpvOpExtInst, OpenCLstd_SMax, IDENTITY_SIGN, true},
    {SpvOpGroupIMulKHR, GEO_OP_LOCAL_IMUL, SpvOpIMul, 0, IDENTITY_ONE, false},
    {SpvOpGroupFMulKHR, GEO_OP_LOCAL_FMUL, SpvOpFMul, 0, IDENTITY_ONE, false},
    {SpvOpGroupBitwiseAndKHR, SpvOpAtomicAnd, SpvOpBitwiseAnd, 0, IDENTITY_ONES, false},
    {SpvOpGroupBitwiseOrKHR, SpvOpAtomicOr, SpvOpBitwiseOr, 0, IDENTITY_ZERO, false},
    {SpvOpGroupBitwiseXorKHR, SpvOpAtomicXor, SpvOpBitwiseXor, 0, IDENTITY_ZERO, false},
    {SpvOpGroupLogicalAndKHR, SpvOpAtomicAnd, SpvOpBitwiseAnd, 0, IDENTITY_ONE, false},
    {SpvOpGroupLogicalOrKHR, SpvOpAtomicOr, SpvOpBitwiseOr, 0, IDENTITY_ZERO, false},
    {SpvOpGroupLogicalXorKHR, SpvOpAtomicXor, SpvOpBitwiseXor, 0, IDENTITY_ZERO, false},
    {SpvOpGroupAll, SpvOpAtomicAnd, SpvOpBitwiseAnd, 0, IDENTITY_ONE, false},
    {SpvOpGroupAny, SpvOpAtomicOr, SpvOpBitwiseOr, 0, IDENTITY_ZERO, false},
};

static const struct collective *collective_find(uint32_t op)
{
    for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++) {
        if (collectives[i].group_op == op) {
            return &collectives[i];
        }
    }
    return NULL;
}

static bool is_work_group(const struct geo_ir_inst *inst)
{
    uint64_t scope;
    return inst->operand_count > 0 && geo_ir_constant_bits(inst->operands[0], &scope) &&
           scope == SpvScopeWorkgroup;
}

/* ---- expansion of one instruction ---- */

/* The expansion of one instruction. */
struct expansion {
    struct geo_pass *pass;
    struct geo_ir_inst *inst; /* new instructions are inserted before it */
    const struct collective *collective;
    const struct geo_ir_type *wide; /* type of the local variable: 32 or 64 bits */
    struct geo_ir_value *scope, *semantics;
};

static bool begin(struct expansion *x, struct geo_pass *pass, struct geo_ir_inst *inst)
{
    x->pass = pass;
    x->inst = inst;
    x->scope = geo_pass_int(pass, pass->type_i32, SpvScopeWorkgroup);
    x->semantics =
        geo_pass_int(pass, pass->type_i32,
                     SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask);
    return x->scope && x->semantics;
}

static void barrier(struct expansion *x)
{
    struct geo_ir_inst *inst =
        geo_make(x->pass, x->inst, SpvOpControlBarrier, x->pass->type_void, 3, 0, 0);
    if (inst) {
        inst->operands[0] = inst->operands[1] = x->scope;
        inst->operands[2] = x->semantics;
    }
}

static void store(struct expansion *x, struct geo_ir_value *pointer, struct geo_ir_value *value)
{
    geo_make_binary(x->pass, x->inst, SpvOpStore, x->pass->type_void, pointer, value);
}

static struct geo_ir_value *local_variable(struct expansion *x, const struct geo_ir_type *type)
{
    const struct geo_ir_type *pointer =
        geo_ir_type_pointer(x->pass->module, type, SpvStorageClassWorkgroup);
    struct geo_ir_variable *variable =
        pointer ? geo_ir_variable_create(x->pass->module, pointer) : NULL;
    if (!variable) {
        geo_pass_no_memory(x->pass);
        return NULL;
    }
    return &variable->value;
}

/* ---- conversions between the value and the variable ---- */

static const struct geo_ir_type *wide_type(struct expansion *x, const struct geo_ir_type *type)
{
    if (type->kind == GEO_TYPE_BOOL || (type->kind == GEO_TYPE_INT && type->width < 32)) {
        return x->pass->type_i32;
    }
    return type->kind == GEO_TYPE_FLOAT && type->width < 32 ? geo_ir_type_float(x->pass->module, 32)
                                                            : type;
}

static struct geo_ir_value *widen(struct expansion *x, struct geo_ir_value *value)
{
    struct geo_pass *pass = x->pass;
    if (value->type == x->wide) {
        return value;
    }
    if (value->type->kind == GEO_TYPE_BOOL) {
        return geo_make_select(pass, x->inst, value, geo_pass_int(pass, x->wide, 1),
                               geo_pass_int(pass, x->wide, 0));
    }
    SpvOp op = value->type->kind == GEO_TYPE_FLOAT ? SpvOpFConvert
               : x->collective->is_signed          ? SpvOpSConvert
                                                   : SpvOpUConvert;
    return geo_make_unary(pass, x->inst, op, x->wide, value);
}

static struct geo_ir_value *narrow(struct expansion *x, struct geo_ir_value *value,
                                   const struct geo_ir_type *type)
{
    if (!value || value->type == type) {
        return value;
    }
    if (type->kind == GEO_TYPE_BOOL) {
        return geo_make_binary(x->pass, x->inst, SpvOpINotEqual, type, value,
                               geo_pass_int(x->pass, x->wide, 0));
    }
    return geo_make_unary(x->pass, x->inst,
                          type->kind == GEO_TYPE_FLOAT ? SpvOpFConvert : SpvOpUConvert, type,
                          value);
}

/* Returns the identity of the operation in the variable's type. For narrow integers it is a value
 * of their own type, as the first item of an exclusive scan receives it. With `zero`, the identity
 * of a float sum is 0 instead of -0. */
static struct geo_ir_value *identity_value(struct expansion *x, const struct geo_ir_type *type,
                                           bool zero)
{
    uint32_t width = x->wide->width;
    bool is_float = x->wide->kind == GEO_TYPE_FLOAT;
    uint64_t all = UINT64_MAX >> (64 - width);
    uint64_t sign = UINT64_C(1) << ((type->kind == GEO_TYPE_INT ? type->width : width) - 1);
    uint64_t infinity = width == 64 ? UINT64_C(0x7FF) << 52 : UINT64_C(0xFF) << 23;
    uint64_t one = !is_float ? 1 : width == 64 ? UINT64_C(0x3FF) << 52 : UINT64_C(0x7F) << 23;
    switch (x->collective->identity) {
    case IDENTITY_ONE:
        return geo_pass_int(x->pass, x->wide, one);
    case IDENTITY_ONES:
        return geo_pass_int(x->pass, x->wide, all);
    case IDENTITY_SIGN:
        return geo_pass_int(x->pass, x->wide, is_float && zero ? 0 : all & ~(sign - 1));
    case IDENTITY_NOT_SIGN:
        return geo_pass_int(x->pass, x->wide, sign - 1);
    case IDENTITY_INFINITY:
        return geo_pass_int(x->pass, x->wide, infinity);
    case IDENTITY_MINUS_INFINITY:
        return geo_pass_int(x->pass, x->wide, sign | infinity);
    default:
        return geo_pass_int(x->pass, x->wide, 0);
    }
}

/* ---- reductions and scans ---- */

static struct geo_ir_value *update(struct expansion *x, struct geo_ir_value *variable,
                                   struct geo_ir_value *value)
{
    struct geo_ir_inst *inst =
        geo_make(x->pass, x->inst, (SpvOp)x->collective->atomic, x->wide, 4, 0, 0);
    if (!inst || !variable || !value) {
        return NULL;
    }
    inst->operands[0] = variable;
    inst->operands[1] = x->scope;
    inst->operands[2] = geo_pass_int(x->pass, x->pass->type_i32, SpvMemorySemanticsMaskNone);
    inst->operands[3] = value;
    return inst->operands[2] ? &inst->value : NULL;
}

static struct geo_ir_value *join(struct expansion *x, struct geo_ir_value *a,
                                 struct geo_ir_value *b)
{
    if (x->collective->join != SpvOpExtInst) {
        return geo_make_binary(x->pass, x->inst, (SpvOp)x->collective->join, x->wide, a, b);
    }
    struct geo_ir_inst *inst = geo_make(x->pass, x->inst, SpvOpExtInst, x->wide, 2, 2, 0);
    if (!inst || !a || !b) {
        return NULL;
    }
    inst->operands[0] = a;
    inst->operands[1] = b;
    inst->literals[0] = GEO_EXT_OPENCL_STD;
    inst->literals[1] = x->collective->number;
    return &inst->value;
}

/* Sets *operation to reduce, inclusive scan or exclusive scan. Returns false for other operations.
 * ir/group_op.c has checked the types. */
static bool operation_ok(const struct geo_ir_inst *inst, uint32_t *operation)
{
    bool votes = inst->op == SpvOpGroupAll || inst->op == SpvOpGroupAny;
    *operation = votes ? SpvGroupOperationReduce : inst->literals[0];
    return *operation <= SpvGroupOperationExclusiveScan;
}

static struct geo_ir_value *scalar_expand(struct expansion *x, struct geo_ir_value *operand,
                                          uint32_t operation)
{
    x->wide = operand ? wide_type(x, operand->type) : NULL;
    if (!x->wide) {
        geo_pass_no_memory(x->pass);
        return NULL;
    }
    struct geo_ir_value *variable = local_variable(x, x->wide);
    struct geo_ir_value *value = widen(x, operand);
    barrier(x); /* waits for items that still read the previous result */
    bool exclusive = operation == SpvGroupOperationExclusiveScan;
    store(x, variable, identity_value(x, operand->type, exclusive));
    barrier(x);
    struct geo_ir_value *result = update(x, variable, value);
    if (operation == SpvGroupOperationInclusiveScan) {
        result = join(x, result, value);
    }
    barrier(x);
    if (operation == SpvGroupOperationReduce) {
        result = geo_make_unary(x->pass, x->inst, SpvOpLoad, x->wide, variable);
    }
    return narrow(x, result, operand->type);
}

/* Expands a reduction or scan; vectors component by component. */
static struct geo_ir_value *reduction_expand(struct expansion *x, uint32_t operation)
{
    struct geo_ir_value *operand = x->inst->operands[1];
    const struct geo_ir_type *type = operand->type;
    if (type->kind != GEO_TYPE_VECTOR) {
        return scalar_expand(x, operand, operation);
    }
    uint32_t count = (uint32_t)type->count;
    struct geo_ir_value **parts =
        geo_arena_new_array(&x->pass->arena, struct geo_ir_value *, count);
    if (!parts) {
        geo_pass_no_memory(x->pass);
        return NULL;
    }
    for (uint32_t c = 0; c < count; c++) {
        parts[c] = scalar_expand(
            x, geo_make_extract(x->pass, x->inst, type->element, operand, &c, 1), operation);
        if (!parts[c]) {
            return NULL;
        }
    }
    struct geo_ir_inst *whole =
        geo_make(x->pass, x->inst, SpvOpCompositeConstruct, type, count, 0, 0);
    for (uint32_t c = 0; whole && c < count; c++) {
        whole->operands[c] = parts[c];
    }
    return whole ? &whole->value : NULL;
}

/* ---- broadcast: the source item writes element 0, which all items read; the others write element
 * 1 ---- */

static struct geo_ir_value *local_id(struct expansion *x, const struct geo_ir_type *type,
                                     uint32_t component)
{
    struct geo_ir_inst *inst = geo_make(x->pass, x->inst, (SpvOp)GEO_OP_BUILTIN, type, 0, 2, 0);
    if (!inst) {
        return NULL;
    }
    inst->literals[0] = SpvBuiltInLocalInvocationId;
    inst->literals[1] = component;
    return &inst->value;
}

static struct geo_ir_value *is_source(struct expansion *x, struct geo_ir_value *id)
{
    struct geo_pass *pass = x->pass;
    bool vector = id->type->kind == GEO_TYPE_VECTOR;
    const struct geo_ir_type *type = vector ? id->type->element : id->type;
    uint32_t count = vector ? (uint32_t)id->type->count : 1;
    struct geo_ir_value *result = NULL;
    for (uint32_t c = 0; c < count; c++) {
        struct geo_ir_value *wanted =
            vector ? geo_make_extract(pass, x->inst, type, id, &c, 1) : id;
        struct geo_ir_value *equal = geo_make_binary(pass, x->inst, SpvOpIEqual, pass->type_bool,
                                                     local_id(x, type, c), wanted);
        result =
            result ? geo_make_binary(pass, x->inst, SpvOpLogicalAnd, pass->type_bool, result, equal)
                   : equal;
    }
    return result;
}

static struct geo_ir_value *element_address(struct expansion *x, struct geo_ir_value *pair,
                                            struct geo_ir_value *index)
{
    const struct geo_ir_type *type =
        geo_ir_type_pointer(x->pass->module, x->inst->value.type, SpvStorageClassWorkgroup);
    return type ? geo_make_binary(x->pass, x->inst, SpvOpInBoundsAccessChain, type, pair, index)
                : NULL;
}

static struct geo_ir_value *broadcast_expand(struct expansion *x)
{
    struct geo_pass *pass = x->pass;
    const struct geo_ir_type *type = x->inst->value.type;
    const struct geo_ir_type *pair_type = geo_ir_type_array(pass->module, type, 2);
    struct geo_ir_value *pair = pair_type ? local_variable(x, pair_type) : NULL;
    struct geo_ir_value *zero = geo_pass_int(pass, pass->type_i32, 0);
    struct geo_ir_value *one = geo_pass_int(pass, pass->type_i32, 1);
    if (!pair || !zero || !one) {
        geo_pass_no_memory(pass);
        return NULL;
    }
    struct geo_ir_value *index =
        geo_make_select(pass, x->inst, is_source(x, x->inst->operands[2]), zero, one);
    struct geo_ir_value *place = element_address(x, pair, index);
    barrier(x);
    store(x, place, x->inst->operands[1]);
    barrier(x);
    return geo_make_unary(pass, x->inst, SpvOpLoad, type, element_address(x, pair, zero));
}

/* ---- the pass ---- */

/* Returns whether the result depends on the order in which items come. */
static bool needs_order(const struct collective *collective, uint32_t operation)
{
    return operation != SpvGroupOperationReduce || collective->group_op == SpvOpGroupFAdd ||
           collective->group_op == SpvOpGroupFMulKHR;
}

static bool inst_expand(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    struct expansion x = {.collective = collective_find((uint32_t)inst->op)};
    bool broadcast = inst->op == SpvOpGroupBroadcast;
    uint32_t operation = 0;
    struct geo_ir_value *result;
    if ((!x.collective && !broadcast) || !is_work_group(inst)) {
        return true;
    }
    if (!broadcast && !operation_ok(inst, &operation)) {
        return geo_pass_fail(pass, "%s at word %u: group operation %u is not supported",
                             geo_op_name(inst->op), inst->word_offset, operation);
    }
    if (!broadcast && pass->module->concurrent_items && needs_order(x.collective, operation)) {
        return true;
    }
    if (!begin(&x, pass, inst)) {
        return false;
    }
    result = broadcast ? broadcast_expand(&x) : reduction_expand(&x, operation);
    if (!result || pass->result != ZE_RESULT_SUCCESS) {
        return geo_pass_no_memory(pass);
    }
    inst->value.forward = result;
    geo_ir_inst_remove(inst);
    return true;
}

ze_result_t geo_transform_collectives(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_pass_each(module, log, inst_expand, NULL);
}
