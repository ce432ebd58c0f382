/* Random kernels as SPIR-V: expressions as instructions. See spirv.h. */
#include "spirv.h"

#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

static struct gen_words *out(struct gen_spirv *spirv)
{
    return &spirv->current->body;
}

static struct gen_program *program_of(struct gen_spirv *spirv)
{
    return (struct gen_program *)(uintptr_t)spirv->program;
}

/* ---- expressions ---- */

static uint32_t emit_id(struct gen_spirv *spirv, const struct gen_expr *expr)
{
    const struct gen_type *type = gen_builtin_type(spirv, (enum gen_id)expr->number);
    uint32_t variable = gen_builtin_variable(spirv, (enum gen_id)expr->number);
    uint32_t type_id = gen_type_id(spirv, type), id = spirv->bound++;
    gen_put(out(spirv), SpvOpLoad, 3, type_id, id, variable);
    if (type == expr->type) {
        return id;
    }
    uint32_t component = spirv->bound++;
    gen_put(out(spirv), SpvOpCompositeExtract, 4, gen_type_id(spirv, type->element), component, id,
            expr->number2);
    return component;
}

static uint32_t emit_canon(struct gen_spirv *spirv, const struct gen_expr *expr, uint32_t value)
{
    struct gen_program *program = program_of(spirv);
    const struct gen_type *truth =
        gen_type_vector(program, gen_type_bool(program), gen_components(expr->type));
    uint64_t zeros[16] = {0};
    uint32_t zero = gen_const_id(spirv, expr->type, zeros);
    uint32_t truth_id = gen_type_id(spirv, truth), type = gen_type_id(spirv, expr->type);
    uint32_t ordered = spirv->bound++, id = spirv->bound++;
    gen_put(out(spirv), SpvOpFOrdEqual, 4, truth_id, ordered, value, value);
    gen_put(out(spirv), SpvOpSelect, 5, type, id, ordered, value, zero);
    return id;
}

static uint32_t float_constant(struct gen_spirv *spirv, const struct gen_type *type, double value)
{
    uint64_t leaves[16];
    for (uint32_t i = 0; i < 16; i++) {
        leaves[i] = gen_float_bits(gen_scalar_of(type), value);
    }
    return gen_const_id(spirv, type, leaves);
}

static uint32_t emit_in_range(struct gen_spirv *spirv, const struct gen_expr *expr, uint32_t value)
{
    struct gen_program *program = program_of(spirv);
    const struct gen_type *truth =
        gen_type_vector(program, gen_type_bool(program), gen_components(expr->type));
    double low, high;
    gen_integer_range(expr->number, expr->number2, &low, &high);
    if (gen_scalar_of(expr->type)->bits == 16) {
        low = low < -65504 ? -65504 : low; /* halves hold no more, but for -infinity */
    }
    uint32_t low_id = float_constant(spirv, expr->type, low);
    uint32_t high_id = float_constant(spirv, expr->type, high);
    uint32_t zero = float_constant(spirv, expr->type, 0);
    uint32_t truth_id = gen_type_id(spirv, truth), type = gen_type_id(spirv, expr->type);
    uint32_t above = spirv->bound++, below = spirv->bound++, both = spirv->bound++;
    uint32_t id = spirv->bound++;
    gen_put(out(spirv), SpvOpFOrdGreaterThanEqual, 4, truth_id, above, value, low_id);
    gen_put(out(spirv), SpvOpFOrdLessThan, 4, truth_id, below, value, high_id);
    gen_put(out(spirv), SpvOpLogicalAnd, 4, truth_id, both, above, below);
    gen_put(out(spirv), SpvOpSelect, 5, type, id, both, value, zero);
    return id;
}

static uint32_t emit_vload(struct gen_spirv *spirv, const struct gen_expr *expr, uint32_t index)
{
    uint32_t type = gen_type_id(spirv, expr->type), id = spirv->bound++;
    gen_put(out(spirv), SpvOpExtInst, 7, type, id, spirv->ext_set, OpenCLstd_Vloadn, index,
            spirv->addresses[expr->place->base->slot], expr->type->count);
    return id;
}

static uint32_t emit_vector(struct gen_spirv *spirv, const struct gen_expr *expr,
                            const uint32_t *args)
{
    uint32_t type = gen_type_id(spirv, expr->type), id = spirv->bound++;
    struct gen_words *words = out(spirv);
    switch (expr->op) {
    case GEN_CONSTRUCT:
        gen_words_put(words, (expr->arg_count + 3) << 16 | SpvOpCompositeConstruct);
        gen_words_put(words, type);
        gen_words_put(words, id);
        for (uint32_t i = 0; i < expr->arg_count; i++) {
            gen_words_put(words, args[i]);
        }
        break;
    case GEN_EXTRACT:
        gen_put(words, SpvOpCompositeExtract, 4, type, id, args[0], expr->number);
        break;
    case GEN_EXTRACT_DYN:
        gen_put(words, SpvOpVectorExtractDynamic, 4, type, id, args[0], args[1]);
        break;
    case GEN_INSERT:
        gen_put(words, SpvOpCompositeInsert, 5, type, id, args[1], args[0], expr->number);
        break;
    case GEN_INSERT_DYN:
        gen_put(words, SpvOpVectorInsertDynamic, 5, type, id, args[0], args[1], args[2]);
        break;
    case GEN_SHUFFLE:
        gen_words_put(words, (expr->type->count + 5) << 16 | SpvOpVectorShuffle);
        gen_words_put(words, type);
        gen_words_put(words, id);
        gen_words_put(words, args[0]);
        gen_words_put(words, args[1]);
        for (uint32_t i = 0; i < expr->type->count; i++) {
            gen_words_put(words, expr->lanes[i]);
        }
        break;
    case GEN_SELECT:
        gen_put(words, SpvOpSelect, 5, type, id, args[0], args[1], args[2]);
        break;
    default:
        gen_put(words, expr->op == GEN_ANY ? SpvOpAny : SpvOpAll, 3, type, id, args[0]);
        break;
    }
    return id;
}

uint32_t gen_emit_expr(struct gen_spirv *spirv, const struct gen_expr *expr)
{
    uint32_t args[16];
    expr = gen_expr_resolve(expr);
    if (expr->op == GEN_CONST) {
        return gen_const_id(spirv, expr->type, expr->bits);
    }
    if (expr->op == GEN_LOAD) {
        return gen_emit_load(spirv, expr->place);
    }
    if (expr->op == GEN_ID) {
        return emit_id(spirv, expr);
    }
    if (expr->op == GEN_SPACE) {
        return gen_emit_space(spirv, expr);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        bool repeated = i > 0 && expr->args[i] == expr->args[i - 1];
        args[i] = repeated ? args[i - 1] : gen_emit_expr(spirv, expr->args[i]);
    }
    if (expr->op == GEN_CANON) {
        return emit_canon(spirv, expr, args[0]);
    }
    if (expr->op == GEN_IN_RANGE) {
        return emit_in_range(spirv, expr, args[0]);
    }
    if (expr->op == GEN_VLOAD) {
        return emit_vload(spirv, expr, args[0]);
    }
    const struct gen_op_info *op = &gen_ops[expr->op];
    if (op->spirv == 0 && op->op_class == GEN_CLASS_OTHER) {
        return emit_vector(spirv, expr, args);
    }
    uint32_t type = gen_type_id(spirv, expr->type), id = spirv->bound++;
    uint32_t head = op->spirv ? 3 : 5;
    struct gen_words *words = out(spirv);
    gen_words_put(words, (head + expr->arg_count) << 16 | (op->spirv ? op->spirv : SpvOpExtInst));
    gen_words_put(words, type);
    gen_words_put(words, id);
    if (!op->spirv) {
        gen_words_put(words, spirv->ext_set);
        gen_words_put(words, op->ext);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        gen_words_put(words, args[i]);
    }
    if (expr->rounding) {
        gen_put(&spirv->annotations, SpvOpDecorate, 3, id, SpvDecorationFPRoundingMode,
                expr->rounding - 1);
        if (gen_scalar_of(expr->type)->kind == GEN_INT) {
            gen_put(&spirv->annotations, SpvOpDecorate, 2, id, SpvDecorationSaturatedConversion);
        }
    }
    return id;
}
