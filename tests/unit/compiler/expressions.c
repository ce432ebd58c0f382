/* Random expressions and their values; see expressions.h. */
#include "expressions.h"

#include "interpret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct geo_ir_inst *append(struct expressions *e, unsigned op,
                                  const struct geo_ir_type *type, uint32_t operands,
                                  uint32_t literals)
{
    struct geo_ir_inst *inst =
        geo_ir_inst_create(e->module, (SpvOp)op, type, operands, literals, 0);
    assert_non_null(inst);
    geo_ir_inst_append(e->function->first_block, inst);
    return inst;
}

static struct geo_ir_value *pick_value(struct expressions *e, const struct geo_ir_type *type)
{
    if (support_random_below(&e->random, 3)) {
        for (uint32_t tries = 0; tries < 8; tries++) {
            uint32_t among = support_random_below(&e->random, 3);
            uint32_t from = among == 0 ? 0 : among == 1 ? 2 : e->count - 2; /* any, id, last */
            uint32_t count = among == 0 ? e->count : among == 1 ? 1 : 2;
            struct geo_ir_inst *inst = e->insts[from + support_random_below(&e->random, count)];
            if (inst->value.type == type) {
                return &inst->value;
            }
        }
    }
    static const uint64_t constants[] = {0,
                                         1,
                                         2,
                                         3,
                                         4,
                                         5,
                                         7,
                                         12,
                                         15,
                                         16,
                                         31,
                                         32,
                                         30,
                                         48,
                                         64,
                                         96,
                                         255,
                                         256,
                                         UINT32_MAX,
                                         UINT64_C(1) << 32,
                                         ~UINT64_C(15),
                                         ~UINT64_C(31),
                                         UINT64_MAX,
                                         0x80000000u};
    uint32_t count = sizeof(constants) / sizeof(constants[0]);
    uint32_t at = support_random_below(&e->random, count + 1);
    if (at == count) {
        return e->function->parameters[type->width == 64];
    }
    return geo_ir_const_int(e->module, type, constants[at]);
}

static void add_expression(struct expressions *e)
{
    static const unsigned ops[] = {SpvOpIAdd,
                                   SpvOpISub,
                                   SpvOpIMul,
                                   SpvOpBitwiseAnd,
                                   SpvOpBitwiseOr,
                                   SpvOpBitwiseXor,
                                   SpvOpShiftLeftLogical,
                                   SpvOpShiftRightArithmetic,
                                   SpvOpShiftRightLogical,
                                   SpvOpSNegate,
                                   SpvOpSConvert,
                                   SpvOpUConvert,
                                   SpvOpUMod,
                                   SpvOpUDiv,
                                   SpvOpSDiv,
                                   SpvOpSRem,
                                   SpvOpSMod};
    unsigned op = ops[support_random_below(&e->random, sizeof(ops) / sizeof(ops[0]))];
    uint32_t wide = support_random_below(&e->random, 2);
    const struct geo_ir_type *type = e->types[wide];
    bool convert = op == SpvOpSConvert || op == SpvOpUConvert;
    bool shift = op == SpvOpShiftLeftLogical || op == SpvOpShiftRightArithmetic ||
                 op == SpvOpShiftRightLogical;
    bool divide =
        op == SpvOpUMod || op == SpvOpUDiv || op == SpvOpSDiv || op == SpvOpSRem || op == SpvOpSMod;
    struct geo_ir_inst *inst = append(e, op, type, convert || op == SpvOpSNegate ? 1 : 2, 0);
    inst->operands[0] = pick_value(e, e->types[convert ? !wide : wide]);
    if (shift || divide) {
        uint64_t divisor = 1 + support_random_below(&e->random, 9);
        divisor <<= support_random_below(&e->random, 2) ? 4 : 0;
        uint64_t amount = !shift ? divisor
                          : support_random_below(&e->random, 2)
                              ? support_random_below(&e->random, 7)
                              : support_random_below(&e->random, type->width);
        inst->operands[1] = geo_ir_const_int(e->module, type, amount);
    } else if (inst->operand_count == 2) {
        inst->operands[1] = pick_value(e, type);
    }
    e->insts[e->count++] = inst;
}

void expressions_make(struct expressions *e, uint64_t seed)
{
    memset(e, 0, sizeof(*e));
    e->random.state = seed * 0x9E3779B97F4A7C15u + 1;
    e->module = geo_ir_module_create((size_t)16 << 20);
    e->types[0] = geo_ir_type_int(e->module, 32);
    e->types[1] = geo_ir_type_int(e->module, 64);
    e->function = geo_ir_function_create(
        e->module, geo_ir_type_function(e->module, geo_ir_type_void(e->module), 2, e->types));
    geo_ir_block_create(e->function, NULL);
    struct geo_ir_inst *id = append(e, GEO_OP_BUILTIN, e->types[1], 0, 2);
    id->literals[0] = SpvBuiltInGlobalInvocationId;
    struct geo_ir_inst *narrow = append(e, SpvOpUConvert, e->types[0], 1, 0);
    narrow->operands[0] = &id->value;
    struct geo_ir_inst *local = append(e, GEO_OP_BUILTIN, e->types[1], 0, 2);
    local->literals[0] = SpvBuiltInLocalInvocationId;
    e->insts[e->count++] = id;
    e->insts[e->count++] = narrow;
    e->insts[e->count++] = local;
    while (e->count < EXPRESSIONS) {
        add_expression(e);
    }
    append(e, SpvOpReturn, geo_ir_type_void(e->module), 0, 0);
}

void expressions_evaluate(const struct expressions *e, uint64_t first, uint64_t first_local,
                          const uint64_t parameters[2], uint64_t values[EXPRESSIONS][LANES])
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        values[0][lane] = first + lane;
        values[2][lane] = first_local + lane;
        for (uint32_t i = 1; i < e->count; i++) {
            const struct geo_ir_inst *inst = e->insts[i];
            if (i == 2) {
                continue;
            }
            uint64_t operands[3] = {0};
            for (uint32_t k = 0; k < inst->operand_count; k++) {
                const struct geo_ir_value *operand = inst->operands[k];
                if (operand->kind == GEO_VALUE_PARAMETER) {
                    operands[k] = parameters[operand == e->function->parameters[1]];
                } else if (!geo_ir_constant_bits(operand, &operands[k])) {
                    for (uint32_t from = 0; from < i; from++) {
                        if (&e->insts[from]->value == operand) {
                            operands[k] = values[from][lane];
                        }
                    }
                }
            }
            assert_true(interp_scalar(inst->op, inst->value.type, inst->operands[0]->type, 0,
                                      operands, &values[i][lane]));
        }
    }
}
