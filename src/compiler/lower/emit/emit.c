/* Small LLVM vocabulary of the instruction files; see emit.h. */
#include "compiler/lower/emit/emit.h"

#include <assert.h>
#include <string.h>

static bool type_is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMTypeRef type_element(LLVMTypeRef type)
{
    return type_is_vector(type) ? LLVMGetElementType(type) : type;
}

static LLVMValueRef type_splat(LLVMTypeRef type, LLVMValueRef scalar)
{
    if (!type_is_vector(type)) {
        return scalar;
    }
    LLVMValueRef lanes[256];
    uint32_t count = LLVMGetVectorSize(type);
    assert(count <= 256);
    for (uint32_t i = 0; i < count; i++) {
        lanes[i] = scalar;
    }
    return LLVMConstVector(lanes, count);
}

uint32_t geo_emit_lanes(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return type_is_vector(type) ? LLVMGetVectorSize(type) : 1;
}

LLVMTypeRef geo_emit_element(LLVMValueRef value)
{
    return type_element(LLVMTypeOf(value));
}

uint32_t geo_emit_bits(LLVMValueRef value)
{
    LLVMTypeRef element = geo_emit_element(value);
    switch (LLVMGetTypeKind(element)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(element);
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 64;
    }
}

LLVMTypeRef geo_emit_wide_type(LLVMTypeRef element, uint32_t lanes)
{
    return lanes > 1 ? LLVMVectorType(element, lanes) : element;
}

LLVMTypeRef geo_emit_like(LLVMValueRef like, LLVMTypeRef element)
{
    return geo_emit_wide_type(element, geo_emit_lanes(like));
}

LLVMTypeRef geo_emit_int_type(struct geo_lower_function *f, uint32_t bits)
{
    return LLVMIntTypeInContext(f->context, bits);
}

LLVMTypeRef geo_emit_float_type(struct geo_lower_function *f, uint32_t bits)
{
    return bits == 64 ? LLVMDoubleTypeInContext(f->context) : LLVMFloatTypeInContext(f->context);
}

LLVMValueRef geo_emit_const(LLVMTypeRef type, uint64_t bits)
{
    return type_splat(type, LLVMConstInt(type_element(type), bits, true));
}

LLVMValueRef geo_emit_real(LLVMTypeRef type, double value)
{
    return type_splat(type, LLVMConstReal(type_element(type), value));
}

LLVMValueRef geo_emit_const_like(LLVMValueRef like, uint64_t bits)
{
    return geo_emit_const(LLVMTypeOf(like), bits);
}

LLVMValueRef geo_emit_real_like(LLVMValueRef like, double value)
{
    return geo_emit_real(LLVMTypeOf(like), value);
}

LLVMValueRef geo_emit_zero_like(LLVMValueRef like)
{
    return LLVMConstNull(LLVMTypeOf(like));
}

LLVMValueRef geo_emit_lane_steps(struct geo_lower_function *f, uint32_t bits, uint32_t lanes,
                                 int64_t step)
{
    LLVMValueRef steps[64];
    assert(lanes <= 64);
    for (uint32_t i = 0; i < lanes; i++) {
        steps[i] =
            LLVMConstInt(geo_emit_int_type(f, bits), (uint64_t)i * (uint64_t)step, bits < 64);
    }
    return LLVMConstVector(steps, lanes);
}

LLVMValueRef geo_emit_zext(struct geo_lower_function *f, LLVMValueRef value, uint32_t bits)
{
    uint32_t from = geo_emit_bits(value);
    LLVMTypeRef type = geo_emit_like(value, geo_emit_int_type(f, bits));
    return from == bits  ? value
           : from < bits ? LLVMBuildZExt(f->builder, value, type, "")
                         : LLVMBuildTrunc(f->builder, value, type, "");
}

LLVMValueRef geo_emit_sext(struct geo_lower_function *f, LLVMValueRef value, uint32_t bits)
{
    uint32_t from = geo_emit_bits(value);
    LLVMTypeRef type = geo_emit_like(value, geo_emit_int_type(f, bits));
    return from == bits  ? value
           : from < bits ? LLVMBuildSExt(f->builder, value, type, "")
                         : LLVMBuildTrunc(f->builder, value, type, "");
}

LLVMValueRef geo_emit_to_bits(struct geo_lower_function *f, LLVMValueRef value)
{
    if (LLVMGetTypeKind(geo_emit_element(value)) == LLVMIntegerTypeKind) {
        return value;
    }
    LLVMTypeRef type = geo_emit_like(value, geo_emit_int_type(f, geo_emit_bits(value)));
    return LLVMBuildBitCast(f->builder, value, type, "");
}

LLVMValueRef geo_emit_from_bits(struct geo_lower_function *f, LLVMValueRef value)
{
    if (LLVMGetTypeKind(geo_emit_element(value)) != LLVMIntegerTypeKind) {
        return value;
    }
    LLVMTypeRef type = geo_emit_like(value, geo_emit_float_type(f, geo_emit_bits(value)));
    return LLVMBuildBitCast(f->builder, value, type, "");
}

LLVMValueRef geo_emit_intrinsic_of(struct geo_lower_function *f, const char *name,
                                   LLVMTypeRef *types, uint32_t type_count, LLVMValueRef *args,
                                   uint32_t count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    assert(id);
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(f->llvm_module, id, types, type_count);
    return LLVMBuildCall2(f->builder, LLVMGlobalGetValueType(callee), callee, args, count, "");
}

LLVMValueRef geo_emit_intrinsic(struct geo_lower_function *f, const char *name, LLVMValueRef *args,
                                uint32_t count)
{
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    return geo_emit_intrinsic_of(f, name, &type, 1, args, count);
}

LLVMValueRef geo_emit_masked(struct geo_lower_function *f, const char *name, LLVMTypeRef data,
                             LLVMValueRef *args, uint32_t count, uint32_t pointer, uint32_t align)
{
    LLVMTypeRef types[2] = {data, LLVMTypeOf(args[pointer - 1])};
    LLVMValueRef call = geo_emit_intrinsic_of(f, name, types, 2, args, count);
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, pointer, LLVMCreateEnumAttribute(f->context, kind, align));
    return call;
}

/* Frozen: instcombine of LLVM 22.1.8 makes one load of select(mask, masked load, other), where the
 * select is, though the memory may have been written since. */
LLVMValueRef geo_emit_masked_load(struct geo_lower_function *f, LLVMTypeRef type,
                                  LLVMValueRef pointer, LLVMValueRef mask, uint32_t align)
{
    LLVMValueRef args[3] = {pointer, mask, LLVMConstNull(type)};
    LLVMValueRef load = geo_emit_masked(f, "llvm.masked.load", type, args, 3, 1, align);
    return LLVMBuildFreeze(f->builder, load, "");
}

void geo_emit_masked_store(struct geo_lower_function *f, LLVMValueRef value, LLVMValueRef pointer,
                           LLVMValueRef mask, uint32_t align)
{
    LLVMValueRef args[3] = {value, pointer, mask};
    geo_emit_masked(f, "llvm.masked.store", LLVMTypeOf(value), args, 3, 2, align);
}

LLVMValueRef geo_emit_abs(struct geo_lower_function *f, LLVMValueRef value)
{
    if (LLVMGetTypeKind(geo_emit_element(value)) == LLVMIntegerTypeKind) {
        LLVMValueRef args[2] = {value, LLVMConstInt(LLVMInt1TypeInContext(f->context), 0, false)};
        return geo_emit_intrinsic(f, "llvm.abs", args, 2);
    }
    return geo_emit_intrinsic(f, "llvm.fabs", &value, 1);
}

LLVMValueRef geo_emit_minmax(struct geo_lower_function *f, const char *name, LLVMValueRef a,
                             LLVMValueRef b)
{
    LLVMValueRef args[2] = {a, b};
    return geo_emit_intrinsic(f, name, args, 2);
}

LLVMValueRef geo_emit_select(struct geo_lower_function *f, LLVMValueRef condition, LLVMValueRef on,
                             LLVMValueRef off)
{
    return LLVMBuildSelect(f->builder, condition, on, off, "");
}

LLVMValueRef geo_emit_icmp(struct geo_lower_function *f, LLVMIntPredicate predicate, LLVMValueRef a,
                           LLVMValueRef b)
{
    return LLVMBuildICmp(f->builder, predicate, a, b, "");
}

LLVMValueRef geo_emit_fcmp(struct geo_lower_function *f, LLVMRealPredicate predicate,
                           LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFCmp(f->builder, predicate, a, b, "");
}

LLVMValueRef geo_emit_stride(struct geo_lower_function *f, LLVMValueRef vector, int32_t start,
                             int32_t step, uint32_t count)
{
    LLVMValueRef picks[256];
    assert(count <= 256);
    for (uint32_t i = 0; i < count; i++) {
        picks[i] = LLVMConstInt(LLVMInt32TypeInContext(f->context),
                                (uint64_t)(uint32_t)(start + (int32_t)i * step), false);
    }
    return LLVMBuildShuffleVector(f->builder, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(picks, count), "");
}

LLVMValueRef geo_emit_slice(struct geo_lower_function *f, LLVMValueRef vector, uint32_t start,
                            uint32_t count)
{
    if (start == 0 && count == geo_emit_lanes(vector)) {
        return vector;
    }
    return geo_emit_stride(f, vector, (int32_t)start, 1, count);
}

LLVMValueRef geo_emit_concat(struct geo_lower_function *f, LLVMValueRef low, LLVMValueRef high)
{
    LLVMValueRef picks[256];
    LLVMTypeRef number = LLVMInt32TypeInContext(f->context);
    uint32_t lows = geo_emit_lanes(low), highs = geo_emit_lanes(high);
    uint32_t count = lows + highs;
    assert(count <= 256 && highs <= lows);
    for (uint32_t i = 0; i < count; i++) {
        picks[i] = LLVMConstInt(number, i, false);
    }
    if (highs < lows) { /* a shuffle takes two vectors of one type */
        LLVMValueRef widened[256];
        for (uint32_t i = 0; i < lows; i++) {
            widened[i] = i < highs ? picks[i] : LLVMGetPoison(number);
        }
        high = LLVMBuildShuffleVector(f->builder, high, LLVMGetPoison(LLVMTypeOf(high)),
                                      LLVMConstVector(widened, lows), "");
    }
    return LLVMBuildShuffleVector(f->builder, low, high, LLVMConstVector(picks, count), "");
}

LLVMValueRef geo_emit_offset(struct geo_lower_function *f, LLVMValueRef pointer,
                             LLVMValueRef offset)
{
    if (LLVMIsNull(offset) && geo_emit_lanes(offset) == 1) {
        return pointer;
    }
    return LLVMBuildGEP2(f->builder, LLVMInt8TypeInContext(f->context), pointer, &offset, 1, "");
}

LLVMValueRef geo_emit_offset_const(struct geo_lower_function *f, LLVMValueRef pointer,
                                   int64_t offset)
{
    return geo_emit_offset(
        f, pointer, LLVMConstInt(LLVMInt64TypeInContext(f->context), (uint64_t)offset, true));
}

LLVMBasicBlockRef geo_emit_block(struct geo_lower_function *f, const char *name)
{
    LLVMBasicBlockRef current = LLVMGetInsertBlock(f->builder);
    LLVMBasicBlockRef next = LLVMGetNextBasicBlock(current);
    return next ? LLVMInsertBasicBlockInContext(f->context, next, name)
                : LLVMAppendBasicBlockInContext(f->context, LLVMGetBasicBlockParent(current), name);
}
