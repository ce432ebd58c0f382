/* Replaces instructions of extensions by equivalent others, so that analyses and lowering handle
 * only one form:
 *
 *     OpFmaKHR                            fma of OpenCL.std
 *     OpCompositeConstructReplicateEXT    OpCompositeConstruct
 *     OpBitwiseFunctionINTEL              and, or, xor, not
 *     OpFPGARegINTEL                      OpCopyObject: it is a register of an FPGA
 *     OpPtrCastToCrossWorkgroupINTEL      OpBitcast, and back: all USM is global memory
 *     OpVariableLengthArrayINTEL          a private array, if its length is constant
 *     OpSaveMemoryINTEL, OpRestore...     removed: private arrays keep their place
 *     OpSubgroup(2D)BlockPrefetchINTEL    removed: a hint
 *
 * `predicated.c` expands accesses with a condition. This pass runs first, so that all others can
 * rely on it. */
#include "compiler/transform/expand/predicated.h"

#include <spirv/unified1/OpenCL.std.h>

#define MAX_PRIVATE_ARRAY_BYTES (UINT64_C(1) << 30)

/* Removes an instruction; uses of its result become uses of `value`. */
static bool replaced(struct geo_ir_inst *inst, struct geo_ir_value *value)
{
    if (!value) {
        return false;
    }
    if (value->kind == GEO_VALUE_INST) {
        value->flags |= inst->value.flags;
        value->align = inst->value.align;
    }
    inst->value.forward = value;
    geo_ir_inst_remove(inst);
    return true;
}

static bool fma_make(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    struct geo_ir_inst *made = geo_make(pass, inst, SpvOpExtInst, inst->value.type, 3, 2, 0);
    if (!made) {
        return false;
    }
    made->literals[0] = GEO_EXT_OPENCL_STD;
    made->literals[1] = OpenCLstd_Fma;
    for (uint32_t i = 0; i < 3; i++) {
        made->operands[i] = inst->operands[i];
    }
    return replaced(inst, &made->value);
}

static bool replicas_make(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    uint32_t count = (uint32_t)inst->value.type->count;
    struct geo_ir_inst *made =
        geo_make(pass, inst, SpvOpCompositeConstruct, inst->value.type, count, 0, 0);
    for (uint32_t i = 0; made && i < count; i++) {
        made->operands[i] = inst->operands[0];
    }
    return made && replaced(inst, &made->value);
}

static bool cast_make(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    SpvOp op = inst->operands[0]->type == type ? SpvOpCopyObject : SpvOpBitcast;
    return replaced(inst, geo_make_unary(pass, inst, op, type, inst->operands[0]));
}

/* ---- bitwise functions by truth table ---- */

/* Computes a function of two bits. Bit a + 2 b of the table is the result. */
static struct geo_ir_value *bits_of_two(struct geo_pass *pass, struct geo_ir_inst *inst,
                                        uint32_t table)
{
    const struct geo_ir_type *type = inst->value.type;
    struct geo_ir_value *a = inst->operands[0], *b = inst->operands[1];
    if (table & 1) { /* negation of a function that maps 0, 0 to 0 */
        return geo_make_unary(pass, inst, SpvOpNot, type, bits_of_two(pass, inst, ~table & 15u));
    }
    switch (table) {
    case 0:
        return geo_ir_const_null(pass->module, type);
    case 2: /* a and not b */
        b = geo_make_unary(pass, inst, SpvOpNot, type, b);
        return geo_make_binary(pass, inst, SpvOpBitwiseAnd, type, a, b);
    case 4:
        a = geo_make_unary(pass, inst, SpvOpNot, type, a);
        return geo_make_binary(pass, inst, SpvOpBitwiseAnd, type, a, b);
    case 6:
        return geo_make_binary(pass, inst, SpvOpBitwiseXor, type, a, b);
    case 8:
        return geo_make_binary(pass, inst, SpvOpBitwiseAnd, type, a, b);
    case 10:
        return a;
    case 12:
        return b;
    default:
        return geo_make_binary(pass, inst, SpvOpBitwiseOr, type, a, b);
    }
}

/* Computes a function of three bits: the third selects between two tables, g0 ^ (c & (g0 ^ g1)). */
static bool bitwise_make(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    uint64_t table = 0;
    geo_ir_constant_bits(inst->operands[3], &table);
    struct geo_ir_value *off = bits_of_two(pass, inst, table & 15u);
    struct geo_ir_value *on = bits_of_two(pass, inst, table >> 4 & 15u);
    if (!off || !on) {
        return geo_pass_no_memory(pass);
    }
    struct geo_ir_value *differs = geo_make_binary(pass, inst, SpvOpBitwiseXor, type, off, on);
    struct geo_ir_value *chosen =
        geo_make_binary(pass, inst, SpvOpBitwiseAnd, type, inst->operands[2], differs);
    return replaced(inst, geo_make_binary(pass, inst, SpvOpBitwiseXor, type, off, chosen));
}

/* ---- arrays of variable length ---- */

static bool array_make(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    char label[256];
    uint64_t count = 0;
    struct geo_ir_function *function = inst->block->function;
    const struct geo_ir_type *element = inst->value.type->element;
    const struct geo_ir_type *array =
        geo_ir_constant_bits(inst->operands[0], &count)
            ? geo_ir_type_array(pass->module, element, count ? count : 1)
            : NULL;
    if (!array || array->size > MAX_PRIVATE_ARRAY_BYTES) {
        return geo_pass_fail(
            pass,
            "%s at word %u in %s: the array's length must be known when the module "
            "is built, and the array have at most %llu bytes",
            geo_op_name(inst->op), inst->word_offset,
            geo_pass_function_label(function, label, sizeof(label)),
            (unsigned long long)MAX_PRIVATE_ARRAY_BYTES);
    }
    const struct geo_ir_type *pointer =
        geo_ir_type_pointer(pass->module, array, SpvStorageClassFunction);
    struct geo_ir_inst *variable =
        pointer ? geo_make(pass, function->first_block->first, SpvOpVariable, pointer, 0, 1, 0)
                : NULL;
    if (!variable) {
        return geo_pass_no_memory(pass);
    }
    variable->literals[0] = SpvStorageClassFunction;
    variable->value.align = inst->value.align;
    return replaced(inst,
                    geo_make_unary(pass, inst, SpvOpBitcast, inst->value.type, &variable->value));
}

/* ---- dispatch ---- */

static bool inst_visit(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    switch ((unsigned)inst->op) {
    case GEO_SPV_FMA_KHR:
        return fma_make(pass, inst);
    case GEO_SPV_COMPOSITE_CONSTRUCT_REPLICATE_EXT:
        return replicas_make(pass, inst);
    case GEO_SPV_BITWISE_FUNCTION_INTEL:
        return bitwise_make(pass, inst);
    case SpvOpFPGARegINTEL:
    case SpvOpPtrCastToCrossWorkgroupINTEL:
    case SpvOpCrossWorkgroupCastToPtrINTEL:
        return cast_make(pass, inst);
    case SpvOpVariableLengthArrayINTEL:
        return array_make(pass, inst);
    case SpvOpSaveMemoryINTEL:
        return replaced(inst, geo_pass_undef(pass, inst->value.type));
    case SpvOpRestoreMemoryINTEL:
    case GEO_SPV_SUBGROUP_BLOCK_PREFETCH_INTEL:
    case GEO_SPV_SUBGROUP_2D_BLOCK_PREFETCH_INTEL:
        geo_ir_inst_remove(inst);
        return true;
    default:
        return true;
    }
}

ze_result_t geo_transform_forms(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_pass_each(module, log, inst_visit, geo_expand_predicated);
}
