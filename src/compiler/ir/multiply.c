/* How the literal of a matrix product interprets its operands. See multiply.h. */
#include "compiler/ir/multiply.h"

/* A bit of the literal, and what it makes of the components of A or B. */
struct interpretation {
    uint32_t a, b; /* the bits */
    enum geo_element kind;
    uint32_t bits;              /* of an element */
    enum geo_ir_type_kind type; /* of the components */
};

/* Integers are signed if another bit says so. */
static const struct interpretation interpretations[] = {
    {GEO_MULTIPLY_A_INT8, GEO_MULTIPLY_B_INT8, GEO_ELEMENT_UNSIGNED, 8, GEO_TYPE_INT},
    {GEO_MULTIPLY_A_INT4, GEO_MULTIPLY_B_INT4, GEO_ELEMENT_UNSIGNED, 4, GEO_TYPE_INT},
    {GEO_MULTIPLY_A_TF32, GEO_MULTIPLY_B_TF32, GEO_ELEMENT_TF32, 32, GEO_TYPE_FLOAT},
    {GEO_MULTIPLY_A_FLOAT16, GEO_MULTIPLY_B_FLOAT16, GEO_ELEMENT_FLOAT, 16, GEO_TYPE_INT},
    {GEO_MULTIPLY_A_BFLOAT16, GEO_MULTIPLY_B_BFLOAT16, GEO_ELEMENT_BFLOAT, 16, GEO_TYPE_INT},
};

/* Interprets the components as their type says. */
static void plain(const struct geo_ir_type *type, struct geo_multiply_matrix *matrix)
{
    matrix->bits = type->width;
    matrix->kind = geo_ir_is_bfloat(type)         ? GEO_ELEMENT_BFLOAT
                   : type->kind == GEO_TYPE_FLOAT ? GEO_ELEMENT_FLOAT
                                                  : GEO_ELEMENT_UNSIGNED;
}

/* Describes A or B. Only one bit of the literal may interpret it. */
static bool factor(const struct geo_ir_type *type, uint32_t literal, bool is_a,
                   struct geo_multiply_matrix *matrix)
{
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof(interpretations) / sizeof(interpretations[0]); i++) {
        const struct interpretation *as = &interpretations[i];
        if (!(literal & (is_a ? as->a : as->b))) {
            continue;
        }
        if (type->kind != as->type || geo_ir_is_bfloat(type) || type->width % as->bits != 0 ||
            (as->kind == GEO_ELEMENT_TF32 && type->width != 32)) {
            return false;
        }
        matrix->kind = as->kind;
        matrix->bits = as->bits;
        found++;
    }
    bool is_signed = literal & (is_a ? GEO_MULTIPLY_A_SIGNED : GEO_MULTIPLY_B_SIGNED);
    if (is_signed && geo_multiply_is_real(matrix->kind)) {
        return false;
    }
    matrix->kind = is_signed ? GEO_ELEMENT_SIGNED : matrix->kind;
    return found <= 1;
}

bool geo_multiply_describe(const struct geo_ir_inst *inst, enum geo_multiply_of of,
                           struct geo_multiply_matrix *matrix)
{
    uint32_t literal = inst->literal_count ? inst->literals[0] : 0;
    const struct geo_ir_type *whole =
        of == GEO_MULTIPLY_RESULT ? inst->value.type : inst->operands[of]->type;
    const struct geo_ir_type *type = geo_ir_scalar_of(whole);
    if (type->kind != GEO_TYPE_INT && type->kind != GEO_TYPE_FLOAT) {
        return false;
    }
    *matrix = (struct geo_multiply_matrix){.components = geo_ir_components(whole)};
    plain(type, matrix);
    if (of == GEO_MULTIPLY_A || of == GEO_MULTIPLY_B) {
        if (!factor(type, literal, of == GEO_MULTIPLY_A, matrix)) {
            return false;
        }
    } else if (literal &
               (of == GEO_MULTIPLY_C ? GEO_MULTIPLY_C_BFLOAT : GEO_MULTIPLY_RESULT_BFLOAT)) {
        if (type->kind != GEO_TYPE_INT || type->width != 16) {
            return false;
        }
        matrix->kind = GEO_ELEMENT_BFLOAT;
    } else if (matrix->kind == GEO_ELEMENT_UNSIGNED) {
        matrix->kind = GEO_ELEMENT_SIGNED;
    }
    matrix->packed = type->width / matrix->bits;
    return true;
}
