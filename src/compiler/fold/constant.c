/* Folds operations on composites: takes them apart, folds each scalar by scalar.c and puts the
 * results together. See constant.h. */
#include "compiler/fold/constant.h"

#include "compiler/fold/scalar.h"
#include "compiler/ir/grammar.h"

#include <fenv.h>
#include <string.h>

#define MAX_OPERANDS   3u
#define MAX_COMPONENTS 16u
#define MAX_PATH       255u /* nesting depth of types */
/* bound on the members of a composite that is copied to replace one */
#define MAX_MEMBERS 0x4000u

static bool is_scalar(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT ||
           type->kind == GEO_TYPE_BOOL;
}

static bool is_composite(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ||
           type->kind == GEO_TYPE_STRUCT;
}

/* Returns in *out member i of a composite constant. Returns false if the value is not such a
 * constant. True with *out NULL: memory ran out. */
static bool member_of(struct geo_ir_module *module, const struct geo_ir_value *value, uint64_t i,
                      struct geo_ir_value **out)
{
    const struct geo_ir_constant *constant = (const struct geo_ir_constant *)value;
    if (!is_composite(value->type) || i >= value->type->count) {
        return false;
    }
    const struct geo_ir_type *type =
        value->type->kind == GEO_TYPE_STRUCT ? value->type->members[i] : value->type->element;
    if (value->kind == GEO_VALUE_UNDEF) {
        *out = geo_ir_const_undef(module, type);
        return true;
    }
    if (value->kind != GEO_VALUE_CONSTANT || constant->op != SpvOpNop) {
        return false;
    }
    *out = constant->is_null ? geo_ir_const_null(module, type) : constant->members[i];
    return true;
}

static bool composite_make(struct geo_ir_module *module, const struct geo_ir_type *type,
                           struct geo_ir_value *const *members, struct geo_ir_value **out)
{
    struct geo_ir_constant *constant = geo_ir_const_composite(module, type, members);
    *out = constant ? &constant->value : NULL;
    return true;
}

/* ---- operations on scalars ---- */

/* Returns whether the operand has the result's type. It matters for the values of OpSelect only. */
static bool operand_fits(const struct geo_fold_operation *operation, uint32_t i)
{
    return operation->op != SpvOpSelect || i == 0 ||
           operation->operands[i]->type == operation->type;
}

/* Folds component c of the result. Vector operands contribute their component c, scalar operands
 * their value. */
static bool component_fold(struct geo_ir_module *module, const struct geo_fold_operation *operation,
                           uint64_t c, struct geo_ir_value **out)
{
    const struct geo_ir_type *type = geo_ir_scalar_of(operation->type);
    const struct geo_ir_type *source = geo_ir_scalar_of(operation->operands[0]->type);
    uint64_t bits[MAX_OPERANDS] = {0}, result;
    for (uint32_t i = 0; i < operation->operand_count; i++) {
        struct geo_ir_value *operand = operation->operands[i];
        if (operand->type->kind == GEO_TYPE_VECTOR) {
            if (!member_of(module, operand, c, &operand)) {
                return false;
            }
            if (!operand) {
                *out = NULL;
                return true;
            }
        }
        if (!is_scalar(operand->type) || !operand_fits(operation, i) ||
            !geo_ir_constant_bits(operand, &bits[i])) {
            return false;
        }
    }
    if (geo_fold_scalar(operation->op, type, source, bits, &result) == GEO_FOLD_NONE) {
        return false;
    }
    *out = geo_ir_const_int(module, type, result);
    return true;
}

static bool components_fold(struct geo_ir_module *module,
                            const struct geo_fold_operation *operation, struct geo_ir_value **out)
{
    const struct geo_ir_type *type = operation->type;
    struct geo_ir_value *members[MAX_COMPONENTS];
    if (type->kind != GEO_TYPE_VECTOR) {
        return is_scalar(type) && component_fold(module, operation, 0, out);
    }
    for (uint32_t i = 0; i < operation->operand_count; i++) {
        bool condition = operation->op == SpvOpSelect && i == 0;
        const struct geo_ir_type *operand = operation->operands[i]->type;
        if (operand->kind == GEO_TYPE_VECTOR ? operand->count != type->count : !condition) {
            return false;
        }
    }
    for (uint64_t c = 0; c < type->count; c++) {
        if (!component_fold(module, operation, c, &members[c])) {
            return false;
        }
        if (!members[c]) {
            *out = NULL;
            return true;
        }
    }
    return composite_make(module, type, members, out);
}

/* ---- composites ---- */

/* Returns whether a result is a constant or undef. A variable's address is not: the reader names
 * the result, which would rename the variable. */
static bool is_plain(const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_CONSTANT || value->kind == GEO_VALUE_UNDEF;
}

static bool extract_fold(struct geo_ir_module *module, const struct geo_fold_operation *operation,
                         struct geo_ir_value **out)
{
    if (operation->operand_count != 1) {
        return false;
    }
    struct geo_ir_value *value = operation->operands[0];
    for (uint32_t i = 0; i < operation->literal_count; i++) {
        if (!member_of(module, value, operation->literals[i], &value)) {
            return false;
        }
        if (!value) {
            *out = NULL;
            return true;
        }
    }
    *out = value;
    return value->type == operation->type && is_plain(value);
}

/* Folds OpCompositeInsert: walks down to the member to replace, then rebuilds the composites on the
 * path from the inside. */
static bool insert_fold(struct geo_ir_module *module, const struct geo_fold_operation *operation,
                        struct geo_ir_value **out)
{
    struct geo_ir_value *outer[MAX_PATH + 1];
    uint32_t depth = operation->literal_count;
    if (operation->operand_count != 2 || depth > MAX_PATH ||
        operation->operands[1]->type != operation->type) {
        return false;
    }
    outer[0] = operation->operands[1];
    for (uint32_t i = 0; i < depth; i++) {
        if (!member_of(module, outer[i], operation->literals[i], &outer[i + 1]) ||
            outer[i]->type->count > MAX_MEMBERS) {
            return false;
        }
        if (!outer[i + 1]) {
            *out = NULL;
            return true;
        }
    }
    *out = operation->operands[0];
    if (outer[depth]->type != (*out)->type || !is_plain(*out)) {
        return false;
    }
    while (depth-- > 0 && *out) {
        const struct geo_ir_type *type = outer[depth]->type;
        struct geo_ir_value **members =
            geo_arena_new_array(&module->arena, struct geo_ir_value *, type->count);
        for (uint64_t i = 0; members && i < type->count; i++) {
            members[i] = *out;
            if (i != operation->literals[depth] &&
                (!member_of(module, outer[depth], i, &members[i]) || !members[i])) {
                members = NULL;
            }
        }
        if (!members) {
            *out = NULL;
            return true;
        }
        composite_make(module, type, members, out);
    }
    return true;
}

static bool shuffle_fold(struct geo_ir_module *module, const struct geo_fold_operation *operation,
                         struct geo_ir_value **out)
{
    const struct geo_ir_type *type = operation->type;
    struct geo_ir_value *const *from = operation->operands;
    struct geo_ir_value *members[MAX_COMPONENTS];
    if (operation->operand_count != 2 || type->kind != GEO_TYPE_VECTOR ||
        operation->literal_count != type->count ||
        geo_ir_scalar_of(from[0]->type) != type->element ||
        geo_ir_scalar_of(from[1]->type) != type->element) {
        return false;
    }
    uint64_t left = from[0]->type->count;
    for (uint64_t c = 0; c < type->count; c++) {
        uint32_t pick = operation->literals[c];
        if (pick == UINT32_MAX) {
            members[c] = geo_ir_const_undef(module, type->element);
        } else if (!member_of(module, from[pick >= left], pick >= left ? pick - left : pick,
                              &members[c])) {
            return false;
        }
        if (!members[c]) {
            *out = NULL;
            return true;
        }
    }
    return composite_make(module, type, members, out);
}

/* Folds OpSelect of two composites whose condition is a single bool. */
static bool choice_fold(const struct geo_fold_operation *operation, struct geo_ir_value **out)
{
    uint64_t condition;
    if (operation->operand_count != 3 || !is_scalar(operation->operands[0]->type) ||
        !geo_ir_constant_bits(operation->operands[0], &condition)) {
        return false;
    }
    *out = operation->operands[condition ? 1 : 2];
    return (*out)->type == operation->type && is_plain(*out);
}

/* Returns whether the instruction has type and result and only ids as operands, and their number
 * fits. */
static bool count_fits(const struct geo_fold_operation *operation)
{
    const struct geo_grammar *grammar = geo_grammar_find(operation->op);
    return grammar && operation->literal_count == 0 && operation->operand_count > 0 &&
           operation->operand_count <= MAX_OPERANDS &&
           strlen(grammar->operands) == operation->operand_count + 2;
}

/* Folds an operation on scalars, component by component. */
static bool scalars_fold(struct geo_ir_module *module, const struct geo_fold_operation *operation,
                         struct geo_ir_value **out)
{
    return count_fits(operation) && components_fold(module, operation, out);
}

/* Folds OpSelect. */
static bool select_fold(struct geo_ir_module *module, const struct geo_fold_operation *operation,
                        struct geo_ir_value **out)
{
    return operation->type->kind == GEO_TYPE_ARRAY || operation->type->kind == GEO_TYPE_STRUCT
               ? choice_fold(operation, out)
               : scalars_fold(module, operation, out);
}

#define FOLD_UNFOLDED                              scalars_fold
#define FOLD_WHOLE(name)                           name##_fold
#define FOLD_CHOICE                                select_fold
#define FOLD_CONVERT(name)                         scalars_fold
#define FOLD_INTEGER(value)                        scalars_fold
#define FOLD_INTEGER_IF(defined, value, otherwise) scalars_fold
#define FOLD_TEST(value)                           scalars_fold
#define FOLD_FLOAT(value)                          scalars_fold
#define FOLD_FLOAT_BITS(value)                     scalars_fold
#define FOLD_ORDER(value, unordered)               scalars_fold
static bool (*const folds[GEO_ROW_COUNT])(struct geo_ir_module *module,
                                          const struct geo_fold_operation *operation,
                                          struct geo_ir_value **out) = {
#define ROW(op, types, shape, folding, ...) [GEO_ROW_##op] = FOLD_##folding,
#include "compiler/ir/opcodes.def"
};

bool geo_fold_constant(struct geo_ir_module *module, const struct geo_fold_operation *operation,
                       struct geo_ir_value **out)
{
    fenv_t callers;
    /* The calling thread belongs to the application, which may have changed its rounding modes. */
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    enum geo_row row = geo_op_row(operation->op);
    bool folded = row != GEO_ROW_NONE && folds[row](module, operation, out);
    fesetenv(&callers);
    return folded;
}
