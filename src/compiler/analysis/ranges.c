/* Interval arithmetic for ranges.h. It is exact in 128 bits; a result that may overflow its type
 * becomes the full range of the type. Called by shape.c. */
#include "compiler/analysis/ranges.h"

#include "base/assert.h"
#include "native/kernel.h"

__extension__ typedef __int128 wide;

static struct geo_range range_any(const struct geo_ir_type *type)
{
    uint32_t width = type->kind == GEO_TYPE_INT && type->width < 64 ? type->width : 64;
    int64_t high = (int64_t)(UINT64_MAX >> 1 >> (64 - width));
    return (struct geo_range){.low = -high - 1, .high = high, .zeros = 0};
}

static struct geo_range range_make(const struct geo_ir_type *type, wide low, wide high,
                                   uint32_t zeros)
{
    GEO_ASSERT(type->kind == GEO_TYPE_INT && low <= high);
    struct geo_range range = range_any(type);
    range.zeros = zeros < type->width ? zeros : type->width;
    if (low >= range.low && high <= range.high) {
        range.low = (int64_t)low;
        range.high = (int64_t)high;
    }
    return range;
}

bool geo_ranges_constant_signed(const struct geo_ir_value *value, int64_t *bits)
{
    uint64_t raw;
    if (value->type->kind != GEO_TYPE_INT || !geo_ir_constant_bits(value, &raw)) {
        return false;
    }
    uint32_t unused = 64 - value->type->width;
    *bits = (int64_t)(raw << unused) >> unused;
    return true;
}

static uint32_t trailing_zeros(int64_t bits)
{
    return bits ? (uint32_t)__builtin_ctzll((uint64_t)bits) : 64;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

struct geo_range geo_range_of(const struct geo_range *ranges, const struct geo_ir_value *value)
{
    int64_t bits;
    if (value->kind == GEO_VALUE_INST || value->kind == GEO_VALUE_PARAMETER) {
        return ranges[value->index];
    }
    if (geo_ranges_constant_signed(value, &bits)) {
        uint32_t zeros = trailing_zeros(bits);
        return (struct geo_range){.low = bits,
                                  .high = bits,
                                  .zeros = zeros < value->type->width ? zeros : value->type->width};
    }
    return range_any(value->type);
}

/* ---- one instruction ---- */

/* Returns the range of a local size. A size that the kernel requires is a constant. */
static struct geo_range local_size_range(const struct geo_ir_type *type, const uint32_t *required,
                                         uint32_t component)
{
    if (!required[0] || component > 2) {
        return range_make(type, 0, GEO_LAUNCH_GROUP_LIMIT, 0);
    }
    uint32_t size = required[component];
    return range_make(type, size, size, trailing_zeros(size));
}

/* Returns the range of a local id. */
static struct geo_range local_id_range(const struct geo_ir_type *type, const uint32_t *required,
                                       uint32_t component)
{
    uint32_t size = required[0] && component <= 2 ? required[component] : GEO_LAUNCH_GROUP_LIMIT;
    return range_make(type, 0, size ? size - 1 : 0, 0);
}

static struct geo_range builtin_range(const struct geo_ir_inst *inst, const uint32_t *required,
                                      bool ids_fit)
{
    const struct geo_ir_type *type = inst->value.type;
    const wide any_32 = ((wide)1 << 32) - 1;
    switch ((SpvBuiltIn)inst->literals[0]) {
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInGlobalSize:
    case SpvBuiltInGlobalOffset:
        return ids_fit ? range_make(type, 0, GEO_LAUNCH_IDS_LIMIT - 1, 0) : range_any(type);
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInNumWorkgroups:
        return range_make(type, 0, ids_fit ? (wide)GEO_LAUNCH_IDS_LIMIT : any_32, 0);
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
        return local_size_range(type, required, inst->literals[1]);
    case SpvBuiltInLocalInvocationId:
        return local_id_range(type, required, inst->literals[1]);
    case SpvBuiltInLocalInvocationIndex:
    case SpvBuiltInWorkDim:
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInSubgroupMaxSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupLocalInvocationId:
        return range_make(type, 0, GEO_LAUNCH_GROUP_LIMIT, 0);
    default:
        return range_any(type);
    }
}

static struct geo_range mul_range(const struct geo_ir_type *type, struct geo_range a,
                                  struct geo_range b)
{
    wide products[] = {(wide)a.low * b.low, (wide)a.low * b.high, (wide)a.high * b.low,
                       (wide)a.high * b.high};
    wide low = products[0], high = products[0];
    for (int i = 1; i < 4; i++) {
        low = products[i] < low ? products[i] : low;
        high = products[i] > high ? products[i] : high;
    }
    return range_make(type, low, high, a.zeros + b.zeros);
}

/* Returns the range of a bitwise operation. Results have no bit above those of both operands, or,
 * for "and", of one operand. */
static struct geo_range bits_range(const struct geo_ir_inst *inst, struct geo_range a,
                                   struct geo_range b)
{
    const struct geo_ir_type *type = inst->value.type;
    uint32_t zeros = smaller(a.zeros, b.zeros);
    if (inst->op == SpvOpBitwiseAnd) {
        int64_t high = a.low < 0 || (b.low >= 0 && b.high < a.high) ? b.high : a.high;
        zeros = a.zeros > b.zeros ? a.zeros : b.zeros;
        return a.low < 0 && b.low < 0 ? range_any(type) : range_make(type, 0, high, zeros);
    }
    if (a.low < 0 || b.low < 0) {
        return range_any(type);
    }
    uint64_t high = (uint64_t)a.high | (uint64_t)b.high;
    for (uint32_t i = 1; i < 64; i *= 2) {
        high |= high >> i;
    }
    return range_make(type, 0, (wide)high, zeros);
}

/* Returns the range of an operation with a constant second operand. */
static struct geo_range constant_range(const struct geo_ir_inst *inst, struct geo_range a,
                                       int64_t c)
{
    const struct geo_ir_type *type = inst->value.type;
    bool shift = c >= 0 && c < (int64_t)type->width;
    uint32_t less = a.zeros > (uint64_t)c ? a.zeros - (uint32_t)c : 0;
    switch ((uint32_t)inst->op) {
    case SpvOpShiftLeftLogical:
        return !shift ? range_any(type)
                      : range_make(type, (wide)a.low * ((wide)1 << c),
                                   (wide)a.high * ((wide)1 << c), a.zeros + (uint32_t)c);
    case SpvOpShiftRightArithmetic:
        return !shift ? range_any(type) : range_make(type, a.low >> c, a.high >> c, less);
    case SpvOpShiftRightLogical:
        if (!shift || (a.low < 0 && c == 0)) {
            return range_any(type);
        }
        return a.low >= 0 ? range_make(type, a.low >> c, a.high >> c, less)
                          : range_make(type, 0, ((wide)1 << (type->width - c)) - 1, less);
    case SpvOpBitwiseAnd:
        if (c >= 0) {
            uint32_t zeros = trailing_zeros(c);
            return range_make(type, 0, a.low >= 0 && a.high < c ? a.high : c,
                              zeros > a.zeros ? zeros : a.zeros);
        }
        return range_any(type);
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
        /* Acts as an addition if the constant fits into low bits that are zero. */
        return c >= 0 && a.zeros < 63 && c < (int64_t)1 << a.zeros
                   ? range_make(type, (wide)a.low + c, (wide)a.high + c,
                                smaller(a.zeros, trailing_zeros(c)))
                   : bits_range(inst, a, geo_range_of(NULL, inst->operands[1]));
    case SpvOpUMod:
    case SpvOpSMod:
        return c > 0 ? range_make(type, 0, c - 1, 0) : range_any(type);
    case SpvOpUDiv:
        return c > 0 && a.low >= 0 ? range_make(type, a.low / c, a.high / c, 0) : range_any(type);
    default:
        return range_any(type);
    }
}

static struct geo_range inst_range(const struct geo_ir_inst *inst, const struct geo_range *ranges,
                                   const uint32_t *required, bool ids_fit)
{
    const struct geo_ir_type *type = inst->value.type;
    if (inst->op == (SpvOp)GEO_OP_BUILTIN) {
        return builtin_range(inst, required, ids_fit);
    }
    if (inst->operand_count == 0 || inst->operands[0]->type->kind != GEO_TYPE_INT) {
        return range_any(type);
    }
    struct geo_range a = geo_range_of(ranges, inst->operands[0]);
    struct geo_range b = {0};
    int64_t c;
    if (inst->operand_count > 1 && inst->operands[1]->type->kind == GEO_TYPE_INT) {
        b = geo_range_of(ranges, inst->operands[1]);
    }
    switch ((uint32_t)inst->op) {
    case SpvOpIAdd:
        return range_make(type, (wide)a.low + b.low, (wide)a.high + b.high,
                          smaller(a.zeros, b.zeros));
    case SpvOpISub:
        return range_make(type, (wide)a.low - b.high, (wide)a.high - b.low,
                          smaller(a.zeros, b.zeros));
    case SpvOpIMul:
        return mul_range(type, a, b);
    case SpvOpSNegate:
        return range_make(type, -(wide)a.high, -(wide)a.low, a.zeros);
    case SpvOpSConvert:
        return range_make(type, a.low, a.high, a.zeros);
    case SpvOpUConvert: {
        wide size = (wide)1 << inst->operands[0]->type->width;
        if (a.low >= 0) {
            return range_make(type, a.low, a.high, a.zeros);
        }
        return type->width > inst->operands[0]->type->width
                   ? range_make(type, a.high < 0 ? a.low + size : 0,
                                a.high < 0 ? a.high + size : size - 1, a.zeros)
                   : range_make(type, a.low, a.high, a.zeros);
    }
    case SpvOpCopyObject:
        return a;
    default:
        break;
    }
    if (inst->operand_count == 2 && geo_ranges_constant_signed(inst->operands[1], &c)) {
        return constant_range(inst, a, c);
    }
    bool bits =
        inst->op == SpvOpBitwiseAnd || inst->op == SpvOpBitwiseOr || inst->op == SpvOpBitwiseXor;
    return bits ? bits_range(inst, a, b) : range_any(type);
}

bool geo_ranges_compute(const struct geo_cfg *cfg, bool ids_fit, struct geo_arena *arena,
                        struct geo_range **out)
{
    const struct geo_ir_function *function = cfg->function;
    struct geo_range *ranges = geo_arena_new_array(arena, struct geo_range, function->value_count);
    if (!ranges && function->value_count) {
        return false;
    }
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        struct geo_ir_value *parameter = function->parameters[i];
        ranges[parameter->index] = range_any(parameter->type);
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            if (inst->value.type->kind != GEO_TYPE_INT || inst->op == SpvOpPhi) {
                ranges[inst->value.index] = range_any(inst->value.type);
            } else {
                ranges[inst->value.index] =
                    inst_range(inst, ranges, function->required_size, ids_fit);
            }
        }
    }
    *out = ranges;
    return true;
}
