/* Lowers address arithmetic: access chains, byte offsets, pointer casts, comparisons and
 * differences.
 *
 * Constant and uniform steps are added to the scalar base. Only steps that differ between lanes
 * make a vector, in the index's type: base + <W x i32> * 4 is the address of one gather. */
#include "compiler/lower/memory/pointer.h"

#include "base/assert.h"
#include "compiler/analysis/interleave.h"
#include "compiler/ir/grammar.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/value/value.h"

#include <stddef.h>

/* An address under construction. It is a scalar (uniform, strided) until a varying step is
 * added. */
struct chain {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst;
    bool as_scalar;
    uint64_t scale;     /* factor of all offsets */
    int64_t constant;   /* constant offset that is not added yet */
    LLVMValueRef base;  /* ptr or <W x ptr> */
    LLVMValueRef later; /* varying offset in bytes, <W x i64>; NULL: none */
    LLVMValueRef index; /* a single varying index, not yet multiplied by its size; NULL: none */
    uint64_t index_size;
};

static int64_t sign_extend(uint64_t bits, uint32_t width)
{
    uint32_t shift = 64 - width;
    return width >= 64 ? (int64_t)bits : (int64_t)(bits << shift) >> shift;
}

static LLVMValueRef times(struct geo_lower_function *f, LLVMValueRef index, uint64_t size)
{
    LLVMValueRef wide = geo_emit_sext(f, index, 64);
    return size == 1 ? wide
                     : LLVMBuildMul(f->llvm.builder, wide, geo_emit_const_like(wide, size), "");
}

/* Adds a varying step. */
static void chain_varying(struct chain *c, LLVMValueRef index, uint64_t size)
{
    struct geo_lower_function *f = c->f;
    if (!c->index && !c->later) {
        c->index = index;
        c->index_size = size;
        return;
    }
    if (c->index) {
        c->later = times(f, c->index, c->index_size);
        c->index = NULL;
    }
    c->later = LLVMBuildAdd(f->llvm.builder, c->later, times(f, index, size), "");
}

/* Adds index * size. */
static void chain_step(struct chain *c, struct geo_ir_value *index, uint64_t size)
{
    struct geo_lower_function *f = c->f;
    uint64_t bits;
    if (size == 0) {
        return;
    }
    if (geo_ir_constant_bits(index, &bits)) {
        c->constant += (int64_t)((uint64_t)sign_extend(bits, index->type->width) * size);
        return;
    }
    if (c->as_scalar || geo_value_as_scalar(f, index)) {
        bool strided = geo_value_shape(f, index).kind == GEO_SHAPE_STRIDED;
        if (c->as_scalar || !strided) {
            LLVMValueRef offset = times(f, geo_value_scalar(f, index, 0), size * c->scale);
            c->base = geo_emit_offset(f, c->base, offset);
            return;
        }
    }
    chain_varying(c, geo_value_vector(f, index, 0), size * c->scale);
}

/* Returns the finished address. */
static LLVMValueRef chain_end(struct chain *c)
{
    struct geo_lower_function *f = c->f;
    GEO_ASSERT(!c->index || !c->later); /* a second varying step replaces the single index */
    GEO_ASSERT(!c->as_scalar || (!c->index && !c->later));
    LLVMValueRef address =
        geo_emit_offset_const(f, c->base, (int64_t)((uint64_t)c->constant * c->scale));
    if (c->index) {
        LLVMTypeRef unit = LLVMIntTypeInContext(f->llvm.context, 8);
        if (c->index_size == 2 || c->index_size == 4 || c->index_size == 8) {
            unit = LLVMIntTypeInContext(f->llvm.context, (unsigned)c->index_size * 8);
        } else if (c->index_size != 1) {
            unit = LLVMArrayType2(unit, c->index_size);
        }
        address = LLVMBuildGEP2(f->llvm.builder, unit, address, &c->index, 1, "");
    }
    return c->later ? geo_emit_offset(f, address, c->later) : address;
}

static bool chain_walk(struct chain *c, const struct geo_ir_type *type, uint32_t first)
{
    const struct geo_ir_inst *inst = c->inst;
    for (uint32_t i = first; i < inst->operand_count; i++) {
        struct geo_ir_value *index = inst->operands[i];
        if (index->type->kind != GEO_TYPE_INT) {
            geo_state_error(c->f, inst, "index %u is not an integer", i);
            return false;
        }
        if (type->kind == GEO_TYPE_STRUCT) {
            uint64_t member;
            if (!geo_ir_constant_bits(index, &member) || member >= type->count) {
                geo_state_error(c->f, inst, "struct member index %u is not a constant in range", i);
                return false;
            }
            c->constant += (int64_t)type->offsets[member];
            type = type->members[member];
        } else if (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY) {
            chain_step(c, index, type->element->size);
            type = type->element;
        } else {
            geo_state_error(c->f, inst, "index %u applies to a type without components", i);
            return false;
        }
    }
    return true;
}

bool geo_pointer_access_chain(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_ir_value *base = inst->operands[0];
    struct chain c = {.f = f, .inst = inst};
    c.as_scalar = geo_value_as_scalar(f, &inst->value);
    c.scale = geo_interleave_scale(&inst->value, f->lanes);
    bool base_scalar = c.as_scalar || geo_value_is_uniform(f, base);
    c.base = geo_value_operand(f, base, 0, base_scalar);
    if ((uint32_t)inst->op == GEO_OP_PTR_ADD) {
        chain_step(&c, inst->operands[1], 1);
    } else {
        const struct geo_ir_type *type = base->type->element;
        bool steps = geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN);
        if (base->type->kind != GEO_TYPE_POINTER || !type || inst->operand_count < 1u + steps) {
            geo_state_error(f, inst, "base is not a pointer that can be indexed");
            return false;
        }
        if (steps) {
            chain_step(&c, inst->operands[1], type->size);
        }
        if (!chain_walk(&c, type, 1u + steps)) {
            return false;
        }
    }
    geo_value_set_wide(f, inst, 0, chain_end(&c));
    return true;
}

/* ---- comparisons ---- */

bool geo_pointer_compare(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    LLVMValueRef a = geo_value_operand(f, inst->operands[0], 0, as_scalar);
    LLVMValueRef b = geo_value_operand(f, inst->operands[1], 0, as_scalar);
    LLVMTypeRef bits = geo_type_like(a, geo_type_int(f, 64));
    a = LLVMBuildPtrToInt(f->llvm.builder, a, bits, "");
    b = LLVMBuildPtrToInt(f->llvm.builder, b, bits, "");
    LLVMValueRef result;
    if (inst->op == SpvOpPtrDiff) {
        const struct geo_ir_type *type = inst->operands[0]->type->element;
        uint64_t size = type && type->size ? type->size : 1;
        result = LLVMBuildSub(f->llvm.builder, a, b, "");
        if (size > 1) {
            result = LLVMBuildSDiv(f->llvm.builder, result, geo_emit_const_like(result, size), "");
        }
        result = geo_emit_sext(f, result, inst->value.type->width);
    } else {
        result = geo_emit_icmp(f, inst->op == SpvOpPtrEqual ? LLVMIntEQ : LLVMIntNE, a, b);
    }
    geo_value_set_wide(f, inst, 0, result);
    return true;
}

/* ---- address spaces ---- */

/* Returns where the operand, a generic pointer, points. */
static struct geo_lower_space space_of(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    return f->lower->machine->space_of(f, inst->operands[0], geo_value_as_scalar(f, &inst->value));
}

bool geo_pointer_cast(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    LLVMTypeRef type = geo_type_of(f, inst->value.type);
    LLVMValueRef pointer = geo_value_operand(f, inst->operands[0], 0, as_scalar);
    geo_value_set_wide(f, inst, 0, geo_emit_pointer_cast(f, pointer, type));
    return true;
}

static bool cast_explicit(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_lower_space space = space_of(f, inst);
    LLVMValueRef is;
    switch (inst->value.type->storage) {
    case SpvStorageClassWorkgroup:
        is = space.in_local;
        break;
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
        is = LLVMBuildAnd(f->llvm.builder, space.in_group,
                          LLVMBuildNot(f->llvm.builder, space.in_local, ""), "");
        break;
    default:
        is = LLVMBuildNot(f->llvm.builder, space.in_group, "");
    }
    LLVMValueRef pointer =
        geo_emit_pointer_cast(f, space.pointer, geo_type_of(f, inst->value.type));
    geo_value_set_wide(f, inst, 0, geo_emit_select(f, is, pointer, geo_emit_zero_like(pointer)));
    return true;
}

/* Lowers OpGenericPtrMemSemantics. Private memory has no semantics bit and needs no order. */
static bool memory_semantics(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_lower_space space = space_of(f, inst);
    LLVMTypeRef type = geo_type_like(space.pointer, geo_type_of(f, inst->value.type));
    LLVMValueRef none = LLVMConstNull(type);
    LLVMValueRef local = geo_emit_const_like(none, SpvMemorySemanticsWorkgroupMemoryMask);
    LLVMValueRef global = geo_emit_const_like(none, SpvMemorySemanticsCrossWorkgroupMemoryMask);
    LLVMValueRef elsewhere = geo_emit_select(f, space.in_group, none, global);
    geo_value_set_wide(f, inst, 0, geo_emit_select(f, space.in_local, local, elsewhere));
    return true;
}

static bool size_of(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->operands[0]->type->element;
    LLVMTypeRef result = geo_type_of(f, inst->value.type);
    geo_value_set_wide(f, inst, 0, LLVMConstInt(result, type ? type->size : 0, false));
    return true;
}

bool geo_pointer_lower(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpGenericCastToPtrExplicit:
        return cast_explicit(f, inst);
    case SpvOpGenericPtrMemSemantics:
        return memory_semantics(f, inst);
    default:
        return size_of(f, inst);
    }
}
