/* Implements moves between lanes by known lane numbers; see lanes.h. */
#include "compiler/lower/emit/lanes.h"

#include "base/assert.h"
#include "compiler/lower/emit/number.h"

static LLVMValueRef lane_numbers(struct geo_lower_function *f, LLVMTypeRef scalar, int64_t stride)
{
    LLVMValueRef lanes[GEO_LOWER_LANES_LIMIT];
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        lanes[lane] = LLVMConstInt(scalar, (uint64_t)stride * lane, 0);
    }
    return LLVMConstVector(lanes, f->lanes);
}

LLVMValueRef geo_lanes_splat(struct geo_lower_function *f, LLVMValueRef scalar)
{
    GEO_ASSERT(geo_type_lanes(scalar) == 1 && f->lanes <= GEO_LOWER_LANES_LIMIT);
    if (f->lanes == 1) {
        return scalar;
    }
    if (LLVMIsConstant(scalar)) {
        LLVMValueRef lanes[GEO_LOWER_LANES_LIMIT];
        for (uint32_t lane = 0; lane < f->lanes; lane++) {
            lanes[lane] = scalar;
        }
        return LLVMConstVector(lanes, f->lanes);
    }
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), f->lanes);
    LLVMValueRef first = LLVMBuildInsertElement(f->llvm.builder, LLVMGetPoison(type), scalar,
                                                geo_emit_const_i32(f, 0), "");
    return LLVMBuildShuffleVector(f->llvm.builder, first, LLVMGetPoison(type),
                                  LLVMConstNull(LLVMVectorType(geo_type_i32(f), f->lanes)),
                                  "splat");
}

LLVMValueRef geo_lanes_ramp(struct geo_lower_function *f, LLVMValueRef first, int64_t stride)
{
    GEO_ASSERT(geo_type_lanes(first) == 1);
    if (f->lanes == 1) {
        return first;
    }
    LLVMTypeRef type = LLVMTypeOf(first);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        LLVMValueRef offsets = lane_numbers(f, geo_type_i64(f), stride);
        return LLVMBuildGEP2(f->llvm.builder, geo_type_i8(f), first, &offsets, 1, "lanes");
    }
    return LLVMBuildAdd(f->llvm.builder, geo_lanes_splat(f, first), lane_numbers(f, type, stride),
                        "lanes");
}

LLVMValueRef geo_emit_lane(struct geo_lower_function *f, LLVMValueRef vector, uint32_t lane)
{
    GEO_ASSERT(geo_type_lanes(vector) == f->lanes && lane < f->lanes);
    if (f->lanes == 1) {
        return vector;
    }
    return LLVMBuildExtractElement(f->llvm.builder, vector, geo_emit_const_i32(f, lane), "");
}

LLVMValueRef geo_lanes_stride(struct geo_lower_function *f, LLVMValueRef vector, int32_t start,
                              int32_t step, uint32_t count)
{
    LLVMValueRef picks[256];
    int64_t last = start + ((int64_t)count - 1) * step;
    GEO_ASSERT(count >= 1 && count <= 256 && start >= 0 && last >= 0);
    GEO_ASSERT(start < (int64_t)geo_type_lanes(vector) && last < (int64_t)geo_type_lanes(vector));
    for (uint32_t i = 0; i < count; i++) {
        picks[i] = LLVMConstInt(LLVMInt32TypeInContext(f->llvm.context),
                                (uint64_t)(uint32_t)(start + (int32_t)i * step), false);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(picks, count), "");
}

LLVMValueRef geo_lanes_slice(struct geo_lower_function *f, LLVMValueRef vector, uint32_t start,
                             uint32_t count)
{
    if (start == 0 && count == geo_type_lanes(vector)) {
        return vector;
    }
    return geo_lanes_stride(f, vector, (int32_t)start, 1, count);
}

LLVMValueRef geo_lanes_concat(struct geo_lower_function *f, LLVMValueRef low, LLVMValueRef high)
{
    LLVMValueRef picks[256];
    LLVMTypeRef number = LLVMInt32TypeInContext(f->llvm.context);
    uint32_t lows = geo_type_lanes(low), highs = geo_type_lanes(high);
    uint32_t count = lows + highs;
    GEO_ASSERT(count <= 256 && highs <= lows);
    for (uint32_t i = 0; i < count; i++) {
        picks[i] = LLVMConstInt(number, i, false);
    }
    if (highs < lows) { /* a shuffle needs two vectors of one type */
        LLVMValueRef widened[256];
        for (uint32_t i = 0; i < lows; i++) {
            widened[i] = i < highs ? picks[i] : LLVMGetPoison(number);
        }
        high = LLVMBuildShuffleVector(f->llvm.builder, high, LLVMGetPoison(LLVMTypeOf(high)),
                                      LLVMConstVector(widened, lows), "");
    }
    return LLVMBuildShuffleVector(f->llvm.builder, low, high, LLVMConstVector(picks, count), "");
}
