/* Uses the freedom that build options and decorations give to float arithmetic. It is done on the
 * model, so that all vector widths, and vectors and scalars, produce the same bits. LLVM's
 * fast-math flags would not guarantee that. docs/user/features.md has a table of the flags'
 * effects.
 *
 * The first pass runs before built-ins are linked, as their accuracy relies on each operation as
 * written. It gives each operation its flags, and chooses fast variants within OpenCL's error
 * bounds: inverse roots, fast divisions, native functions. The second pass runs after inlining,
 * when variables are values. It contracts products and sums to multiply-adds. */
#include "compiler/transform/pass/pass.h"

#include <spirv/unified1/OpenCL.std.h>

#define ONE_BITS 0x3f800000u

/* ---- functions without contraction ---- */

/* The list of functions to visit while contraction is switched off. */
struct off {
    /* functions without contraction whose callees are not visited yet */
    struct geo_ir_function **items;
    uint32_t count;
};

static void off_add(struct off *off, struct geo_ir_function *function)
{
    function->float_modes |= GEO_FLOAT_CONTRACTION_OFF;
    off->items[off->count++] = function;
}

static void callees_add(struct off *off, struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            struct geo_ir_function *callee =
                inst->op == SpvOpFunctionCall ? geo_ir_as_function(inst->operands[0]) : NULL;
            if (callee && !(callee->float_modes & GEO_FLOAT_CONTRACTION_OFF)) {
                off_add(off, callee);
            }
        }
    }
}

/* Turns contraction off in functions that a kernel without contraction calls, directly or possibly
 * through pointers. */
static bool contraction_off_spread(struct geo_pass *pass)
{
    struct geo_ir_module *module = pass->module;
    struct off off = {NULL, 0};
    uint32_t count = 0;
    geo_ir_for_each_function(function, module) {
        count++;
    }
    off.items = geo_arena_new_array(&pass->arena, struct geo_ir_function *, count + 1);
    if (!off.items) {
        return geo_pass_no_memory(pass);
    }
    geo_ir_for_each_function(function, module) {
        if (function->float_modes & GEO_FLOAT_CONTRACTION_OFF) {
            off_add(&off, function);
        }
    }
    geo_ir_for_each_function(function, module) {
        if (off.count && function->indirect &&
            !(function->float_modes & GEO_FLOAT_CONTRACTION_OFF)) {
            off_add(&off, function);
        }
    }
    while (off.count) {
        callees_add(&off, off.items[--off.count]);
    }
    return true;
}

/* ---- flags of each operation ---- */

static bool is_single(const struct geo_ir_type *type)
{
    const struct geo_ir_type *scalar = geo_ir_scalar_of(type);
    return scalar->kind == GEO_TYPE_FLOAT && scalar->width == 32;
}

static uint32_t ext_number(const struct geo_ir_inst *inst)
{
    return inst && inst->op == SpvOpExtInst && inst->literals[0] == GEO_EXT_OPENCL_STD
               ? inst->literals[1]
               : UINT32_MAX;
}

static bool is_one(const struct geo_ir_value *value)
{
    uint64_t bits;
    const struct geo_ir_constant *constant = (const struct geo_ir_constant *)value;
    if (value->kind != GEO_VALUE_CONSTANT || value->type->kind != GEO_TYPE_VECTOR) {
        return geo_ir_constant_bits(value, &bits) && bits == ONE_BITS;
    }
    for (uint64_t i = 0; constant->members && i < value->type->count; i++) {
        if (!geo_ir_constant_bits(constant->members[i], &bits) || bits != ONE_BITS) {
            return false;
        }
    }
    return constant->members != NULL;
}

/* Returns the flags that options allow in a function; none if its float modes demand each operation
 * as written. */
static uint32_t allowed_in(const struct geo_ir_function *function, const struct geo_ir_type *type)
{
    const struct geo_ir_module *module = function->module;
    uint32_t width = geo_ir_scalar_of(type)->width;
    uint32_t flags = module->fast_math & GEO_VALUE_FAST_ALL;
    if (geo_ir_float_mode(function->float_modes, width) &
        (GEO_FLOAT_ROUNDING | GEO_FLOAT_FLUSH | GEO_FLOAT_STRICT)) {
        return 0;
    }
    return function->float_modes & GEO_FLOAT_CONTRACTION_OFF ? flags
                                                             : flags | GEO_VALUE_FAST_CONTRACT;
}

static bool is_exact_mode(const struct geo_ir_inst *inst)
{
    const struct geo_ir_function *function = inst->block->function;
    return inst->value.flags & 7u << GEO_VALUE_ROUND_SHIFT ||
           geo_ir_float_mode(function->float_modes, 32) &
               (GEO_FLOAT_ROUNDING | GEO_FLOAT_FLUSH | GEO_FLOAT_STRICT);
}

/* Replaces a float division by a call of an OpenCL.std function. `first` is its first operand; with
 * `operands` 2 the divisor is the second. */
static bool division_become(struct geo_pass *pass, struct geo_ir_inst *inst, uint32_t number,
                            uint32_t operands, struct geo_ir_value *first)
{
    struct geo_ir_inst *made = geo_make(pass, inst, SpvOpExtInst, inst->value.type, operands, 2, 0);
    if (!made) {
        return false;
    }
    made->literals[0] = GEO_EXT_OPENCL_STD;
    made->literals[1] = number;
    made->operands[0] = first;
    if (operands > 1) {
        made->operands[1] = inst->operands[1];
    }
    made->value.flags = inst->value.flags;
    inst->value.forward = &made->value;
    geo_ir_inst_remove(inst);
    return true;
}

/* Replaces divisions by faster functions. A single function for 1 / sqrt(x) is more accurate than
 * two (2 ulp against 3 and 2.5; OpenCL C, Relative Error as ULPs), and much faster. */
static bool division_choose(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    struct geo_ir_inst *divisor = geo_ir_as_inst(inst->operands[1]);
    uint32_t number = ext_number(divisor);
    bool one = is_one(inst->operands[0]);
    if (!is_single(inst->value.type) || is_exact_mode(inst) || pass->module->exact_divide_sqrt) {
        return true;
    }
    if (one && (number == OpenCLstd_Sqrt || number == OpenCLstd_Native_sqrt ||
                number == OpenCLstd_Half_sqrt)) {
        return division_become(pass, inst,
                               number == OpenCLstd_Sqrt &&
                                       !(pass->module->fast_math & GEO_VALUE_RELAXED)
                                   ? OpenCLstd_Rsqrt
                                   : OpenCLstd_Native_rsqrt,
                               1, divisor->operands[0]);
    }
    if (inst->value.flags & GEO_VALUE_FAST_ALLOW_RECIP) {
        return one ? division_become(pass, inst, OpenCLstd_Native_recip, 1, inst->operands[1])
                   : division_become(pass, inst, OpenCLstd_Native_divide, 2, inst->operands[0]);
    }
    return true;
}

/* Marks relaxed functions. They become native functions where those exist (builtins/expand.c). */
static void function_choose(struct geo_ir_inst *inst)
{
    const struct geo_ir_module *module = inst->block->function->module;
    if (!(module->fast_math & GEO_VALUE_RELAXED) || !is_single(inst->value.type) ||
        is_exact_mode(inst)) {
        return;
    }
    inst->value.flags |= GEO_VALUE_RELAXED;
    if (ext_number(inst) == OpenCLstd_Sqrt && !module->exact_divide_sqrt) {
        inst->literals[1] = OpenCLstd_Native_sqrt;
    }
}

static bool inst_visit(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
        inst->value.flags |= allowed_in(inst->block->function, inst->value.type);
        return inst->op != SpvOpFDiv || division_choose(pass, inst);
    case SpvOpExtInst:
        if (geo_ir_scalar_of(inst->value.type)->kind == GEO_TYPE_FLOAT &&
            ext_number(inst) != UINT32_MAX) {
            inst->value.flags |= allowed_in(inst->block->function, inst->value.type);
            function_choose(inst);
        }
        return true;
    default:
        return true;
    }
}

ze_result_t geo_transform_fast_math(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    if (geo_pass_begin(&pass, module, log)) {
        contraction_off_spread(&pass);
    }
    ze_result_t result = geo_pass_end(&pass);
    return result == ZE_RESULT_SUCCESS ? geo_pass_each(module, log, inst_visit, NULL) : result;
}

/* ---- multiply-adds ---- */

#define NOT_PLAIN (7u << GEO_VALUE_ROUND_SHIFT | GEO_VALUE_FLUSH_OPERANDS | GEO_VALUE_FLUSH_RESULT)

static bool may_contract(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *scalar = geo_ir_scalar_of(inst->value.type);
    return inst->value.flags & GEO_VALUE_FAST_CONTRACT && !(inst->value.flags & NOT_PLAIN) &&
           scalar->kind == GEO_TYPE_FLOAT && scalar->width >= 32;
}

/* Returns the product that is an operand of `user`, if `user` is its only use and in the same
 * block. Otherwise the product is computed anyway, or its factors stay live for longer. */
static struct geo_ir_inst *product_of(const struct geo_uses *uses, const struct geo_ir_inst *user,
                                      uint32_t operand)
{
    struct geo_ir_inst *product = geo_ir_as_inst(user->operands[operand]);
    uint32_t count = 0;
    if (!product || product->op != SpvOpFMul || product->block != user->block ||
        !may_contract(product)) {
        return NULL;
    }
    geo_uses_of(uses, &product->value, &count);
    return count == 1 ? product : NULL;
}

/* Contracts a b + c, a b - c and c - a b. If both operands are products, the first one is
 * contracted. */
static bool sum_contract(struct geo_pass *pass, const struct geo_uses *uses,
                         struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    struct geo_ir_inst *product = product_of(uses, inst, 0);
    uint32_t other = product ? 1 : 0;
    product = product ? product : product_of(uses, inst, 1);
    if (!product) {
        return true;
    }
    struct geo_ir_value *a = product->operands[0], *c = inst->operands[other];
    if (inst->op == SpvOpFSub && other == 0) {
        a = geo_make_unary(pass, inst, SpvOpFNegate, type, a);
    } else if (inst->op == SpvOpFSub) {
        c = geo_make_unary(pass, inst, SpvOpFNegate, type, c);
    }
    struct geo_ir_inst *made = a && c ? geo_make(pass, inst, SpvOpExtInst, type, 3, 2, 0) : NULL;
    if (!made) {
        return false;
    }
    made->literals[0] = GEO_EXT_OPENCL_STD;
    made->literals[1] = OpenCLstd_Mad;
    made->operands[0] = a;
    made->operands[1] = product->operands[1];
    made->operands[2] = c;
    made->value.flags = inst->value.flags & product->value.flags;
    inst->value.forward = &made->value;
    geo_ir_inst_remove(inst);
    geo_ir_inst_remove(product);
    return true;
}

static bool function_contract(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct geo_uses uses;
    geo_ir_function_number(function);
    if (!geo_uses_build(function, &pass->arena, &uses)) {
        return geo_pass_no_memory(pass);
    }
    geo_ir_for_each_block(block, function) {
        struct geo_ir_inst *next = NULL;
        for (struct geo_ir_inst *inst = block->first; inst; inst = next) {
            next = inst->next;
            if ((inst->op == SpvOpFAdd || inst->op == SpvOpFSub) && may_contract(inst) &&
                !sum_contract(pass, &uses, inst)) {
                return false;
            }
        }
    }
    geo_ir_function_resolve(function);
    return true;
}

ze_result_t geo_transform_contract(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    if (geo_pass_begin(&pass, module, log)) {
        geo_ir_for_each_function(function, module) {
            if (function->first_block && !function_contract(&pass, function)) {
                break;
            }
        }
    }
    return geo_pass_end(&pass);
}
