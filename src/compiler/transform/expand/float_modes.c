/* Applies the float execution modes of kernels: rounding, denormals, signs of zeros. A mode also
 * holds in the functions that the kernel calls. Built-in functions of the library are excluded, as
 * their accuracy assumes rounding to nearest, and so are functions called through pointers.
 *
 * The first pass propagates the modes from kernels to functions, before built-ins are linked. The
 * second pass, after that, marks each instruction. From then on the modes of functions are not
 * used, as inlining may move instructions anywhere. */
#include "base/ptrmap.h"
#include "compiler/ir/grammar.h"
#include "compiler/transform/calls/clone.h"
#include "compiler/transform/pass/pass.h"

#include <string.h>

/* ---- from kernels to functions ---- */

/* A copy of a function for other modes. */
struct variant {
    struct geo_ir_function *made;
    struct variant *next; /* next copy of the same function */
};

/* The propagation of modes through one module. */
struct spread {
    struct geo_pass *pass;
    struct geo_ptrmap variants; /* function -> its variants, in the pass's arena */
    struct geo_ptrmap origins;  /* function of a variant -> the original function */
};

/* Copies a function: creates one that only calls `from`, and inlines the call. */
static struct geo_ir_function *function_copy(struct geo_pass *pass, struct geo_ir_function *from)
{
    struct geo_ir_module *module = pass->module;
    struct geo_ir_function *made = geo_ir_function_create(module, from->value.type);
    struct geo_ir_block *block = made ? geo_ir_block_create(made, NULL) : NULL;
    const struct geo_ir_type *type = from->value.type->element;
    bool gives = type->kind != GEO_TYPE_VOID;
    struct geo_ir_inst *call =
        block ? geo_ir_inst_create(module, SpvOpFunctionCall, type, from->parameter_count + 1, 0, 0)
              : NULL;
    struct geo_ir_inst *leave =
        call ? geo_ir_inst_create(module, gives ? SpvOpReturnValue : SpvOpReturn, pass->type_void,
                                  gives, 0, 0)
             : NULL;
    if (!leave) {
        geo_pass_no_memory(pass);
        return NULL;
    }
    made->control = from->control;
    made->value.name = from->linkage_name ? from->linkage_name : from->value.name;
    call->operands[0] = &from->value;
    for (uint32_t i = 0; i < from->parameter_count; i++) {
        made->parameters[i]->flags = from->parameters[i]->flags;
        made->parameters[i]->align = from->parameters[i]->align;
        made->parameters[i]->name = from->parameters[i]->name;
        call->operands[i + 1] = made->parameters[i];
    }
    if (gives) {
        leave->operands[0] = &call->value;
    }
    geo_ir_inst_append(block, call);
    geo_ir_inst_append(block, leave);
    struct geo_ir_block *end = NULL; /* its only block has no phis behind it */
    geo_ir_function_number(made);
    if (!geo_transform_inline_call(pass, call, &end)) {
        return NULL;
    }
    geo_ir_function_resolve(made);
    return made;
}

/* Returns the variant of a function for these modes. Each is made once, so that cycles of calls
 * end. */
static struct geo_ir_function *variant_get(struct spread *spread, struct geo_ir_function *callee,
                                           uint32_t modes)
{
    struct geo_ir_function *origin = geo_ptrmap_find(&spread->origins, callee);
    struct geo_ir_function *from = origin ? origin : callee;
    struct variant *first = geo_ptrmap_find(&spread->variants, from);
    for (const struct variant *variant = first; variant; variant = variant->next) {
        if (variant->made->float_modes == modes) {
            return variant->made;
        }
    }
    struct variant *variant = geo_arena_new(&spread->pass->arena, struct variant);
    struct geo_ir_function *made = variant ? function_copy(spread->pass, from) : NULL;
    if (!made || !geo_ptrmap_set(&spread->variants, from, variant) ||
        !geo_ptrmap_set(&spread->origins, made, from)) {
        geo_pass_no_memory(spread->pass);
        return NULL;
    }
    made->float_modes = modes;
    *variant = (struct variant){made, first};
    return made;
}

/* Redirects the calls in `function` to variants of its modes. New variants are appended to the
 * module, so that the caller's loop reaches them. */
static bool calls_lead(struct spread *spread, struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            struct geo_ir_function *callee =
                inst->op == SpvOpFunctionCall ? geo_ir_as_function(inst->operands[0]) : NULL;
            if (!callee || !callee->first_block) {
                continue;
            }
            struct geo_ir_function *made = variant_get(spread, callee, function->float_modes);
            if (!made) {
                return false;
            }
            inst->operands[0] = &made->value;
        }
    }
    return true;
}

ze_result_t geo_transform_float_modes_spread(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    struct spread spread = {.pass = &pass};
    if (geo_pass_begin(&pass, module, log)) {
        geo_ir_for_each_function(function, module) {
            if (function->float_modes & GEO_FLOAT_MODES && function->first_block &&
                !calls_lead(&spread, function)) {
                break;
            }
        }
    }
    bool changed = spread.variants.map.count > 0;
    geo_ptrmap_finish(&spread.variants);
    geo_ptrmap_finish(&spread.origins);
    ze_result_t result = geo_pass_end(&pass);
    return result == ZE_RESULT_SUCCESS && changed ? geo_transform_reachability(module, log)
                                                  : result;
}

/* ---- from functions to instructions ---- */

static uint32_t float_width(const struct geo_ir_type *type)
{
    const struct geo_ir_type *scalar = geo_ir_scalar_of(type);
    return scalar->kind == GEO_TYPE_FLOAT ? scalar->width : 0;
}

enum rounding { NO_FLOAT, EXACT, ROUNDED };

static enum rounding ext_rounding(const struct geo_ir_inst *inst)
{
    static const uint8_t roundings[GEO_OPENCL_ROW_COUNT] = {
#define ROW(name, types, shape, rounding, ...) [GEO_OPENCL_ROW_##name] = rounding,
#include "compiler/ir/opencl_std.def"
    };
    bool known = inst->literal_count >= 2 && inst->literals[0] == GEO_EXT_OPENCL_STD;
    return known ? (enum rounding)roundings[geo_grammar_opencl_row(inst->literals[1])] : NO_FLOAT;
}

/* Returns how an instruction computes with float values. Moves and operations on bits count as
 * NO_FLOAT. */
static enum rounding inst_rounding(const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpVectorTimesScalar:
    case SpvOpDot:
    case SpvOpFConvert:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
        return ROUNDED;
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpLessOrGreater:
    case SpvOpFOrdEqual:
    case SpvOpFUnordEqual:
    case SpvOpFOrdNotEqual:
    case SpvOpFUnordNotEqual:
    case SpvOpFOrdLessThan:
    case SpvOpFUnordLessThan:
    case SpvOpFOrdGreaterThan:
    case SpvOpFUnordGreaterThan:
    case SpvOpFOrdLessThanEqual:
    case SpvOpFUnordLessThanEqual:
    case SpvOpFOrdGreaterThanEqual:
    case SpvOpFUnordGreaterThanEqual:
        return EXACT;
    case SpvOpExtInst:
        return ext_rounding(inst);
    default:
        return NO_FLOAT;
    }
}

static void inst_mark(struct geo_ir_inst *inst, uint32_t modes)
{
    enum rounding rounding = inst_rounding(inst);
    if (rounding == NO_FLOAT || inst->operand_count == 0) {
        return;
    }
    uint32_t to = float_width(inst->value.type), from = float_width(inst->operands[0]->type);
    uint32_t result = to ? geo_ir_float_mode(modes, to) : 0;
    uint32_t operands = from ? geo_ir_float_mode(modes, from) : 0;
    uint32_t *flags = &inst->value.flags;
    if (rounding == ROUNDED && result & GEO_FLOAT_ROUNDING &&
        !(*flags & 7u << GEO_VALUE_ROUND_SHIFT)) {
        *flags |= ((result & GEO_FLOAT_ROUNDING) + 1) << GEO_VALUE_ROUND_SHIFT;
    }
    if (result & GEO_FLOAT_FLUSH) {
        *flags |= GEO_VALUE_FLUSH_RESULT;
    }
    if (operands & GEO_FLOAT_FLUSH) {
        *flags |= GEO_VALUE_FLUSH_OPERANDS;
    }
    if (result & GEO_FLOAT_STRICT) {
        *flags &= ~(uint32_t)(GEO_VALUE_FAST_NOT_NAN | GEO_VALUE_FAST_NOT_INF | GEO_VALUE_FAST_NSZ |
                              GEO_VALUE_FAST_ALLOW_RECIP | GEO_VALUE_FAST_REASSOC);
    }
}

ze_result_t geo_transform_float_modes(struct geo_ir_module *module)
{
    geo_ir_for_each_function(function, module) {
        if (!(function->float_modes & GEO_FLOAT_MODES)) {
            continue;
        }
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                inst_mark(inst, function->float_modes);
            }
        }
    }
    return ZE_RESULT_SUCCESS;
}
