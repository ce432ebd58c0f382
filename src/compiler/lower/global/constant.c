/* Constants: scalars and parts of composites, whole constants in memory form for globals, constant
 * expressions.
 *
 * Undefined values are zero. Expressions come from untrusted input: their depth and the work they
 * cause are bounded, because operands may be shared many times over. */
#include "compiler/lower/global/constant.h"

#include "compiler/lower/arith/operation.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/global/variable.h"
#include "compiler/lower/state/parts.h"

#include <string.h>

#define DEPTH_LIMIT 64u
#define WORK_LIMIT  65536u

struct evaluation {
    struct geo_lower_function *f;
    uint32_t depth, work;
};

static LLVMValueRef evaluate(struct evaluation *run, const struct geo_ir_value *value,
                             uint32_t part);

static LLVMTypeRef part_llvm_type(struct geo_lower_function *f, const struct geo_ir_value *value,
                                  uint32_t part)
{
    return geo_emit_type_of(f, geo_part_type(value->type, part));
}

static void fail(struct geo_lower_function *f, const struct geo_ir_value *value, const char *text)
{
    const struct geo_ir_constant *constant =
        value->kind == GEO_VALUE_CONSTANT ? (const struct geo_ir_constant *)value : NULL;
    if (constant && constant->op != SpvOpNop) {
        geo_lower_error(f, NULL, "%s in constant %%%u: %s", geo_ir_op_name(constant->op), value->id,
                        text);
    } else {
        geo_lower_error(f, NULL, "constant %%%u: %s", value->id, text);
    }
}

static LLVMValueRef scalar_bits(struct geo_lower_function *f, const struct geo_ir_type *type,
                                uint64_t bits)
{
    LLVMTypeRef llvm_type = geo_emit_type_of(f, type);
    if (LLVMGetTypeKind(llvm_type) == LLVMIntegerTypeKind) {
        return LLVMConstInt(llvm_type, bits, false);
    }
    if (type->kind == GEO_TYPE_FLOAT) {
        return LLVMConstBitCast(LLVMConstInt(geo_emit_int_type(f, type->width), bits, false),
                                llvm_type);
    }
    return LLVMConstIntToPtr(LLVMConstInt(geo_emit_int_type(f, 64), bits, false), llvm_type);
}

/* ---- expressions ---- */

static LLVMValueRef expression_part(struct evaluation *run, const struct geo_ir_constant *constant,
                                    const struct geo_operation *operation, uint32_t part)
{
    struct geo_lower_function *f = run->f;
    struct geo_emit e = {.f = f, .op = constant->op, .count = operation->operand_count};
    if (constant->operand_count != operation->operand_count) {
        return NULL;
    }
    e.flags = constant->value.flags;
    e.type = geo_part_type(constant->value.type, part);
    for (uint32_t i = 0; i < e.count; i++) {
        const struct geo_ir_value *operand = constant->operands[i];
        uint32_t from = geo_part_count(operand->type) == 1 ? 0 : part;
        e.v[i] = evaluate(run, operand, from);
        if (!e.v[i]) {
            return NULL;
        }
        if (i == 0) {
            e.source = geo_part_type(operand->type, from);
        }
    }
    return geo_operation_emit(&e, operation);
}

static LLVMValueRef expression_address(struct evaluation *run,
                                       const struct geo_ir_constant *constant)
{
    struct geo_lower_function *f = run->f;
    const struct geo_ir_value *base = constant->operands[0];
    const struct geo_ir_type *type = base->type->element;
    LLVMValueRef address = evaluate(run, base, 0);
    bool steps = constant->op == SpvOpPtrAccessChain || constant->op == SpvOpInBoundsPtrAccessChain;
    uint64_t offset = 0;
    for (uint32_t i = 1; address && i < constant->operand_count; i++) {
        uint64_t index;
        LLVMValueRef value = evaluate(run, constant->operands[i], 0);
        if (!type || !value || !LLVMIsAConstantInt(value)) {
            return NULL;
        }
        index = (uint64_t)LLVMConstIntGetSExtValue(value);
        if (i == 1 && steps) {
            offset += index * type->size;
        } else if (type->kind == GEO_TYPE_STRUCT) {
            if (index >= type->count) {
                return NULL;
            }
            offset += type->offsets[index];
            type = type->members[index];
        } else if (type->kind == GEO_TYPE_ARRAY || type->kind == GEO_TYPE_VECTOR) {
            type = type->element;
            offset += index * type->size;
        } else {
            return NULL;
        }
    }
    return address ? geo_emit_offset_const(f, address, (int64_t)offset) : NULL;
}

static LLVMValueRef expression_function(struct evaluation *run,
                                        const struct geo_ir_constant *constant)
{
    const struct geo_ir_function *function =
        constant->operand_count ? geo_ir_as_function(constant->operands[0]) : NULL;
    return function ? geo_lower_address(run->f, &function->value) : NULL;
}

static LLVMValueRef expression_bitcast(struct evaluation *run,
                                       const struct geo_ir_constant *constant, uint32_t part)
{
    struct geo_lower_function *f = run->f;
    const struct geo_ir_value *operand = constant->operands[0];
    if (geo_part_count(operand->type) != geo_part_count(constant->value.type)) {
        return NULL;
    }
    LLVMValueRef value = evaluate(run, operand, part);
    LLVMTypeRef type = part_llvm_type(f, &constant->value, part);
    if (!value || LLVMTypeOf(value) == type) {
        return value;
    }
    bool from_pointer = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
    bool to_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    LLVMValueRef bits = from_pointer
                            ? LLVMBuildPtrToInt(f->builder, value, geo_emit_int_type(f, 64), "")
                            : geo_emit_to_bits(f, value);
    if (to_pointer) {
        return LLVMBuildIntToPtr(f->builder, geo_emit_zext(f, bits, 64), type, "");
    }
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) {
        return geo_emit_zext(f, bits, LLVMGetIntTypeWidth(type));
    }
    return LLVMBuildBitCast(f->builder, bits, type, "");
}

/* CompositeExtract, CompositeInsert, VectorShuffle: which part of which operand is meant. */
static LLVMValueRef expression_composite(struct evaluation *run,
                                         const struct geo_ir_constant *constant, uint32_t part)
{
    const struct geo_ir_type *type;
    uint32_t first;
    if (constant->op == SpvOpVectorShuffle) {
        uint32_t low = geo_part_count(constant->operands[0]->type);
        uint32_t pick = part < constant->literal_count ? constant->literals[part] : UINT32_MAX;
        if (pick == UINT32_MAX) {
            return LLVMConstNull(part_llvm_type(run->f, &constant->value, part));
        }
        uint32_t high = geo_part_count(constant->operands[1]->type);
        if (pick >= low + high) {
            return NULL;
        }
        return pick < low ? evaluate(run, constant->operands[0], pick)
                          : evaluate(run, constant->operands[1], pick - low);
    }
    bool extracts = constant->op == SpvOpCompositeExtract;
    const struct geo_ir_value *composite = constant->operands[extracts ? 0 : 1];
    if (!geo_part_select(composite->type, constant->literals, constant->literal_count, &first,
                         &type)) {
        return NULL;
    }
    if (extracts) {
        return evaluate(run, composite, first + part);
    }
    return part >= first && part - first < geo_part_count(type)
               ? evaluate(run, constant->operands[0], part - first)
               : evaluate(run, composite, part);
}

static LLVMValueRef expression(struct evaluation *run, const struct geo_ir_constant *constant,
                               uint32_t part)
{
    static const uint8_t least[] = {1, 2};
    bool two = constant->op == SpvOpVectorShuffle || constant->op == SpvOpCompositeInsert;
    if (constant->operand_count < least[two]) {
        return NULL;
    }
    switch (constant->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return expression_address(run, constant);
    case SpvOpConstantFunctionPointerINTEL:
        return expression_function(run, constant);
    case SpvOpBitcast:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        return expression_bitcast(run, constant, part);
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpCopyObject:
        return evaluate(run, constant->operands[0], part);
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
        return expression_composite(run, constant, part);
    default: {
        const struct geo_operation *operation = geo_operation_find(constant->op);
        return operation ? expression_part(run, constant, operation, part) : NULL;
    }
    }
}

/* The member of a composite constant that holds `part`, and the part within it. */
static const struct geo_ir_value *member_of(const struct geo_ir_constant *constant, uint32_t *part)
{
    const struct geo_ir_type *type = constant->value.type;
    if (type->kind != GEO_TYPE_STRUCT) {
        uint32_t each = geo_part_count(type->element);
        uint32_t member = each ? *part / each : 0;
        *part -= member * each;
        return constant->members[member];
    }
    uint64_t member = 0;
    uint32_t each;
    while (*part >= (each = geo_part_count(type->members[member]))) {
        *part -= each;
        member++;
    }
    return constant->members[member];
}

static LLVMValueRef evaluate(struct evaluation *run, const struct geo_ir_value *value,
                             uint32_t part)
{
    struct geo_lower_function *f = run->f;
    for (;;) {
        if (value->kind == GEO_VALUE_VARIABLE || value->kind == GEO_VALUE_FUNCTION) {
            return geo_lower_address(f, value);
        }
        if (value->kind != GEO_VALUE_CONSTANT) {
            return value->kind == GEO_VALUE_UNDEF ? LLVMConstNull(part_llvm_type(f, value, part))
                                                  : NULL;
        }
        const struct geo_ir_constant *constant = (const struct geo_ir_constant *)value;
        if (constant->op != SpvOpNop) {
            if (run->depth >= DEPTH_LIMIT || run->work >= WORK_LIMIT) {
                fail(f, value, "the expression is too large");
                return NULL;
            }
            run->depth++;
            run->work++;
            LLVMValueRef result = expression(run, constant, part);
            run->depth--;
            if (!result && !f->failed) {
                fail(f, value, "this expression is not supported");
            }
            return result;
        }
        if (constant->is_null) {
            return LLVMConstNull(part_llvm_type(f, value, part));
        }
        if (!constant->members) {
            return scalar_bits(f, value->type, constant->bits);
        }
        value = member_of(constant, &part);
    }
}

LLVMValueRef geo_lower_constant(struct geo_lower_function *f, const struct geo_ir_value *value,
                                uint32_t part)
{
    struct evaluation run = {.f = f};
    LLVMValueRef result = evaluate(&run, value, part);
    return result ? result : LLVMConstNull(part_llvm_type(f, value, part));
}

/* ---- memory form ---- */

/* Expressions are built in a block of their own, which must stay empty of what could not be
 * folded. */
static LLVMValueRef fold(struct geo_lower_function *f, const struct geo_ir_value *value,
                         uint32_t part)
{
    LLVMBasicBlockRef saved = LLVMGetInsertBlock(f->builder);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->context), NULL, 0, false);
    LLVMValueRef function = LLVMAddFunction(f->llvm_module, "geo.fold", type);
    LLVMPositionBuilderAtEnd(f->builder,
                             LLVMAppendBasicBlockInContext(f->context, function, "entry"));
    LLVMValueRef result = geo_lower_constant(f, value, part);
    if (!LLVMIsConstant(result)) {
        fail(f, value, "not a constant that a variable can start with");
        result = LLVMConstNull(LLVMTypeOf(result));
    }
    if (saved) {
        LLVMPositionBuilderAtEnd(f->builder, saved);
    } else {
        LLVMClearInsertionPosition(f->builder);
    }
    LLVMDeleteFunction(function);
    return result;
}

static LLVMValueRef zero_bytes(struct geo_lower_function *f, uint64_t bytes)
{
    return LLVMConstNull(LLVMArrayType2(LLVMInt8TypeInContext(f->context), bytes));
}

static bool has_expression(const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_CONSTANT &&
           ((const struct geo_ir_constant *)value)->op != SpvOpNop;
}

static LLVMValueRef memory_leaf(struct geo_lower_function *f, const struct geo_ir_value *value,
                                uint32_t part, const struct geo_ir_type *type)
{
    LLVMValueRef constant =
        has_expression(value) ? fold(f, value, part) : geo_lower_constant(f, value, part);
    if (type->kind == GEO_TYPE_BOOL) {
        uint64_t bit = LLVMIsAConstantInt(constant) ? LLVMConstIntGetZExtValue(constant) : 0;
        return LLVMConstInt(LLVMInt8TypeInContext(f->context), bit, false);
    }
    return constant;
}

/* Members at their offsets with the gaps filled, exactly `bytes` long. */
static LLVMValueRef memory_packed(struct geo_lower_function *f, LLVMValueRef *members,
                                  const uint64_t *offsets, const uint64_t *sizes, uint32_t count,
                                  uint64_t bytes)
{
    LLVMValueRef *fields = geo_arena_new_array(f->arena, LLVMValueRef, 2 * (size_t)count + 1);
    if (!fields) {
        f->failed = f->no_memory = true;
        return zero_bytes(f, bytes);
    }
    uint32_t used = 0;
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (offsets[i] > at) {
            fields[used++] = zero_bytes(f, offsets[i] - at);
        }
        fields[used++] = members[i];
        at = offsets[i] + sizes[i];
    }
    if (bytes > at) {
        fields[used++] = zero_bytes(f, bytes - at);
    }
    return LLVMConstStructInContext(f->context, fields, used, true);
}

static LLVMValueRef memory_form(struct geo_lower_function *f, const struct geo_ir_value *value,
                                uint32_t depth);

/* Members of a vector, array or struct that are constants of their own. */
static LLVMValueRef memory_members(struct geo_lower_function *f,
                                   const struct geo_ir_constant *constant, uint32_t depth)
{
    const struct geo_ir_type *type = constant->value.type;
    uint32_t count = (uint32_t)type->count;
    LLVMValueRef *members = geo_arena_new_array(f->arena, LLVMValueRef, count ? count : 1);
    uint64_t *offsets = geo_arena_new_array(f->arena, uint64_t, count ? count : 1);
    uint64_t *sizes = geo_arena_new_array(f->arena, uint64_t, count ? count : 1);
    if (!members || !offsets || !sizes) {
        f->failed = f->no_memory = true;
        return zero_bytes(f, type->size);
    }
    bool same = type->kind != GEO_TYPE_STRUCT;
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_type *member = same ? type->element : type->members[i];
        members[i] = memory_form(f, constant->members[i], depth + 1);
        offsets[i] = same ? i * member->size : type->offsets[i];
        sizes[i] = member->size;
    }
    for (uint32_t i = 1; same && i < count; i++) {
        same = LLVMTypeOf(members[i]) == LLVMTypeOf(members[0]);
    }
    if (same && count && type->size == type->element->size * count) {
        return LLVMConstArray2(LLVMTypeOf(members[0]), members, count);
    }
    return memory_packed(f, members, offsets, sizes, count, type->size);
}

/* An expression of composite type: leaf by leaf. */
static LLVMValueRef memory_leaves(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    uint32_t count = 0;
    const struct geo_part_place *leaves = geo_part_places(f, NULL, value->type, &count);
    LLVMValueRef *members = geo_arena_new_array(f->arena, LLVMValueRef, count ? count : 1);
    uint64_t *offsets = geo_arena_new_array(f->arena, uint64_t, count ? count : 1);
    uint64_t *sizes = geo_arena_new_array(f->arena, uint64_t, count ? count : 1);
    if (!leaves || !members || !offsets || !sizes) {
        f->failed = true;
        return zero_bytes(f, value->type->size);
    }
    for (uint32_t i = 0; i < count; i++) {
        members[i] = memory_leaf(f, value, i, leaves[i].type);
        offsets[i] = leaves[i].offset;
        sizes[i] = leaves[i].type->size;
    }
    return memory_packed(f, members, offsets, sizes, count, value->type->size);
}

static LLVMValueRef memory_form(struct geo_lower_function *f, const struct geo_ir_value *value,
                                uint32_t depth)
{
    const struct geo_ir_type *type = value->type;
    const struct geo_ir_constant *constant =
        value->kind == GEO_VALUE_CONSTANT ? (const struct geo_ir_constant *)value : NULL;
    if (depth > DEPTH_LIMIT) {
        fail(f, value, "nested too deeply");
        return zero_bytes(f, type->size);
    }
    if (value->kind == GEO_VALUE_UNDEF || (constant && constant->is_null)) {
        return zero_bytes(f, type->size);
    }
    bool composite = type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ||
                     type->kind == GEO_TYPE_STRUCT;
    if (!composite) {
        return memory_leaf(f, value, 0, type);
    }
    return constant && constant->members ? memory_members(f, constant, depth)
                                         : memory_leaves(f, value);
}

LLVMValueRef geo_lower_constant_memory(struct geo_lower_function *f,
                                       const struct geo_ir_value *value)
{
    return memory_form(f, value, 0);
}
