/* Repairs code of producers that violates the specification:
 *
 *     OpAny, OpAll of integers        any(int4), all(int4): become tests of the signs (clang-22)
 *     UConvert, SConvert              to the same type: become copies (clang-22)
 *     OpSelect of function pointers   operands of other pointer types get a cast (clang-22 -O0)
 *     media blocks of an image        the image is the last operand, as in OpenCL C's functions
 *                                     (clang-22): it is moved to the front
 *     integers of another width       an operand wider or narrower than the result is truncated or
 *                                     zero-extended (clang-22 -O2 drops such conversions)
 *     OpCompositeExtract              a fourth component of a built-in variable of three, for
 *                                     get_local_size(3) (llvm-spirv): becomes what OpenCL says
 *     matrices of a C++ class         DPC++ passes a sycl::half or bfloat16 that fills a matrix by
 *                                     its address: it is loaded. Matrices are loaded from and
 *                                     stored to pointers to such a class: they get a cast
 *     OpPhi                           names a block once for each case of its switch (llvm-spirv):
 *                                     the repetitions are dropped
 *
 * Repaired instructions satisfy validate/rules.c. */
#include "compiler/spirv/quirks.h"

#include "compiler/ir/matrix.h"
#include "compiler/spirv/debug.h"
#include "compiler/spirv/id.h"

#include <string.h>

/* Index of the value among the operands of OpCooperativeMatrixConstructCheckedINTEL. */
#define MATRIX_FILL_VALUE 4u

/* Appends an instruction of one or two operands (b may be NULL) to the current block. */
static struct geo_ir_value *append(struct spirv_reader *reader, SpvOp op,
                                   const struct geo_ir_type *type, struct geo_ir_value *a,
                                   struct geo_ir_value *b)
{
    struct geo_ir_inst *inst =
        type ? geo_ir_inst_create(reader->module, op, type, b ? 2 : 1, 0, 0) : NULL;
    if (!inst) {
        spirv_out_of_memory(reader);
        return NULL;
    }
    inst->operands[0] = a;
    if (b) {
        inst->operands[1] = b;
    }
    inst->word_offset = (uint32_t)reader->at;
    inst->location = spirv_debug_location(reader);
    geo_ir_inst_append(reader->block, inst);
    return &inst->value;
}

static bool signs_test(struct spirv_reader *reader, struct geo_ir_inst *inst)
{
    struct geo_ir_value *value = inst->operands[0];
    const struct geo_ir_type *type = value->type;
    const struct geo_ir_type *result = geo_ir_type_bool(reader->module);
    if (geo_ir_scalar_of(type)->kind != GEO_TYPE_INT) {
        return true;
    }
    if (type->kind == GEO_TYPE_VECTOR && result) {
        result = geo_ir_type_vector(reader->module, result, type->count);
    }
    struct geo_ir_value *zero = geo_ir_const_null(reader->module, type);
    if (!zero) {
        return spirv_out_of_memory(reader);
    }
    inst->operands[0] = append(reader, SpvOpSLessThan, result, value, zero);
    return inst->operands[0] != NULL;
}

/* Returns how many operands, counted from the first, must be as wide as the result: all of them,
 * but for shifts only the first. */
static uint32_t widened_operands(SpvOp op)
{
    switch (op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
        return 2;
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpNot:
    case SpvOpSNegate:
        return 1;
    default:
        return 0;
    }
}

static bool widths_match(struct spirv_reader *reader, struct geo_ir_inst *inst)
{
    uint32_t count = widened_operands(inst->op);
    const struct geo_ir_type *type = inst->value.type;
    for (uint32_t i = 0; i < count && i < inst->operand_count; i++) {
        struct geo_ir_value *operand = inst->operands[i];
        if (!operand || operand->type == type || geo_ir_scalar_of(type)->kind != GEO_TYPE_INT ||
            geo_ir_scalar_of(operand->type)->kind != GEO_TYPE_INT ||
            geo_ir_components(type) != geo_ir_components(operand->type)) {
            continue;
        }
        inst->operands[i] = append(reader, SpvOpUConvert, type, operand, NULL);
        if (!inst->operands[i]) {
            return false;
        }
    }
    return true;
}

/* Casts the pointers that an OpSelect selects from to the result's type. */
static bool pointers_match(struct spirv_reader *reader, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    for (uint32_t i = 1; type->kind == GEO_TYPE_POINTER && i < inst->operand_count; i++) {
        struct geo_ir_value *operand = inst->operands[i];
        if (!operand || operand->type == type || operand->type->kind != GEO_TYPE_POINTER) {
            continue;
        }
        inst->operands[i] = append(reader, SpvOpBitcast, type, operand, NULL);
        if (!inst->operands[i]) {
            return false;
        }
    }
    return true;
}

/* Moves an image operand from the end to the front. */
static void image_first(struct geo_ir_inst *inst)
{
    struct geo_ir_value *last = inst->operands[inst->operand_count - 1];
    if (!last || last->type->kind != GEO_TYPE_OPAQUE) {
        return;
    }
    memmove(inst->operands + 1, inst->operands,
            (inst->operand_count - 1) * sizeof(*inst->operands));
    inst->operands[0] = last;
}

/* Replaces a component that a built-in variable does not have by the constant that OpenCL's
 * function returns for that dimension. */
static bool outside_replace(struct spirv_reader *reader, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->operands[0]->type;
    const struct geo_ir_inst *load = geo_ir_as_inst(inst->operands[0]);
    const struct geo_ir_variable *variable = load && load->op == SpvOpLoad && load->operands[0]
                                                 ? geo_ir_as_variable(load->operands[0])
                                                 : NULL;
    if (!variable || variable->builtin < 0 || inst->literal_count != 1 ||
        type->kind != GEO_TYPE_VECTOR || type->count != 3 || inst->literals[0] < type->count ||
        inst->value.type != type->element || type->element->kind != GEO_TYPE_INT) {
        return true;
    }
    inst->op = SpvOpCopyObject;
    inst->literal_count = 0;
    inst->operands[0] = geo_ir_const_int(reader->module, inst->value.type,
                                         geo_ir_builtin_outside((SpvBuiltIn)variable->builtin));
    return inst->operands[0] || spirv_out_of_memory(reader);
}

/* ---- matrices of a C++ class ---- */

/* Returns whether a type is a class that holds one number of the element's size. */
static bool is_class_of_number(const struct geo_ir_type *type, const struct geo_ir_type *element)
{
    if (!type || type->kind != GEO_TYPE_STRUCT) {
        return false;
    }
    while (type->kind == GEO_TYPE_STRUCT && type->count == 1) {
        type = type->members[0];
    }
    return (type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT) &&
           type->size == element->size;
}

/* Casts a pointer to a class of one number to a pointer to elements of the matrix. */
static bool class_pointer_cast(struct spirv_reader *reader, struct geo_ir_inst *inst,
                               uint32_t index, const struct geo_ir_type *matrix)
{
    struct geo_ir_value *pointer = inst->operands[index];
    if (pointer->type->kind != GEO_TYPE_POINTER || !geo_ir_is_matrix(matrix) ||
        !is_class_of_number(pointer->type->element, matrix->element)) {
        return true;
    }
    inst->operands[index] =
        append(reader, SpvOpBitcast,
               geo_ir_type_pointer(reader->module, matrix->element, pointer->type->storage),
               pointer, NULL);
    return inst->operands[index] != NULL;
}

/* Loads the number that fills a matrix if the operand is its address. */
static bool fill_load(struct spirv_reader *reader, struct geo_ir_inst *inst, uint32_t index)
{
    const struct geo_ir_type *matrix = inst->value.type;
    if (index >= inst->operand_count || !inst->operands[index] || !geo_ir_is_matrix(matrix)) {
        return true;
    }
    if (!class_pointer_cast(reader, inst, index, matrix)) {
        return false;
    }
    const struct geo_ir_type *type = inst->operands[index]->type;
    if (type->kind == GEO_TYPE_POINTER && type->element == matrix->element) {
        inst->operands[index] =
            append(reader, SpvOpLoad, matrix->element, inst->operands[index], NULL);
    }
    return inst->operands[index] != NULL;
}

static bool matrix_access_repair(struct spirv_reader *reader, struct geo_ir_inst *inst)
{
    uint32_t object = geo_matrix_place_of((uint32_t)inst->op).object;
    if (object >= inst->operand_count || (object && !inst->operands[object])) {
        return true;
    }
    return class_pointer_cast(reader, inst, 0,
                              object ? inst->operands[object]->type : inst->value.type);
}

bool spirv_make_right(struct spirv_reader *reader, struct geo_ir_inst *inst)
{
    if (inst->operand_count == 0 || !inst->operands[0]) {
        return true;
    }
    switch ((uint32_t)inst->op) {
    case SpvOpCompositeConstruct:
        return fill_load(reader, inst, 0);
    case GEO_SPV_COOPERATIVE_MATRIX_CONSTRUCT_CHECKED:
        return fill_load(reader, inst, MATRIX_FILL_VALUE);
    case GEO_SPV_COOPERATIVE_MATRIX_LOAD_KHR:
    case GEO_SPV_COOPERATIVE_MATRIX_STORE_KHR:
    case GEO_SPV_COOPERATIVE_MATRIX_LOAD_CHECKED:
    case GEO_SPV_COOPERATIVE_MATRIX_STORE_CHECKED:
        return matrix_access_repair(reader, inst);
    case SpvOpAny:
    case SpvOpAll:
        return signs_test(reader, inst);
    case SpvOpUConvert:
    case SpvOpSConvert:
        if (inst->operands[0]->type == inst->value.type &&
            geo_ir_scalar_of(inst->value.type)->kind == GEO_TYPE_INT) {
            inst->op = SpvOpCopyObject;
        }
        return true;
    case SpvOpSubgroupImageMediaBlockReadINTEL:
    case SpvOpSubgroupImageMediaBlockWriteINTEL:
        image_first(inst);
        return true;
    case SpvOpCompositeExtract:
        return outside_replace(reader, inst);
    case SpvOpSelect:
        return pointers_match(reader, inst);
    default:
        return widths_match(reader, inst);
    }
}

bool spirv_phi_repeats(struct spirv_reader *reader, uint32_t block, uint32_t value)
{
    struct spirv_id *entry = &reader->ids[block];
    uint32_t at = (uint32_t)reader->at;
    if (entry->phi_at == at) {
        /* a second, different value is an error that validation reports */
        return entry->phi_value == value;
    }
    entry->phi_at = at;
    entry->phi_value = value;
    return false;
}
