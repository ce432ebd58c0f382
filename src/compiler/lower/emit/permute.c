/* Implements permutations of lanes by run-time indices; see permute.h.
 *
 * A table (arch.h) lists the target's instructions. Each permutes the units of one or more
 * registers. An element consists of one or more units, a longer vector of several registers:
 *
 *     element of s units      unit k of lane i is unit s * numbers[i] + k of the source
 *     several registers       each is permuted; the upper bits of an index select among the results
 *
 * i1 elements are shifted out of the mask's bits. If no row fits, the vector goes through
 * memory. */
#include "compiler/lower/emit/permute.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

#include <string.h>

/* Largest number of registers of a vector. The cost is its square, since each result register is
 * selected from all source registers. */
#define REGISTERS_LIMIT 4u

/* Returns the row with the widest unit that divides elements of `bits` bits. Among equal units it
 * prefers the shortest register that holds all lanes, else the longest. Returns NULL if no row
 * fits. */
static const struct geo_lower_permute *row_find(const struct geo_lower_function *f, uint32_t bits)
{
    const struct geo_lower_target *target = &f->options->target;
    const struct geo_lower_permute *found = NULL;
    for (uint32_t i = 0; i < target->arch->permute_count; i++) {
        const struct geo_lower_permute *row = &target->arch->permutes[i];
        if ((row->needs & ~target->features) || row->bits > bits ||
            (found && row->bits < found->bits)) {
            continue;
        }
        if (!found || found->lanes < f->lanes * (bits / row->bits)) {
            found = row;
        }
    }
    uint32_t units = found ? f->lanes * (bits / found->bits) : 0;
    return found && units <= found->lanes * REGISTERS_LIMIT ? found : NULL;
}

/* ---- one vector of units ---- */

/* Permutes `count` units from unit `start` on by one instruction. */
static LLVMValueRef permute_by(struct geo_lower_function *f, const struct geo_lower_permute *row,
                               const char *instruction, LLVMValueRef units, uint32_t start,
                               uint32_t count, LLVMValueRef numbers)
{
    LLVMValueRef args[5];
    uint32_t used = 0;
    GEO_ASSERT(count % row->lanes == 0 && count / row->lanes <= REGISTERS_LIMIT &&
               start + count <= geo_type_lanes(units));
    if (!row->cuts && geo_type_lanes(units) > count) {
        numbers =
            LLVMBuildAnd(f->llvm.builder, numbers, geo_emit_const_like(numbers, count - 1), "");
    }
    for (uint32_t at = 0; at < count; at += row->lanes) {
        args[used++] = geo_lanes_slice(f, units, start + at, row->lanes);
        if (at == 0 && !row->numbers_last) {
            args[used++] = numbers;
        }
    }
    if (row->numbers_last) {
        args[used++] = numbers;
    }
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    unsigned id = LLVMLookupIntrinsicID(instruction, strlen(instruction));
    return geo_emit_intrinsic_of(f, instruction, &type, LLVMIntrinsicIsOverloaded(id) ? 1 : 0, args,
                                 used);
}

/* Permutes by one register of indices that select among `count` units from `start` on. If no
 * instruction covers that many, it permutes both halves and selects by the index's upper bit. */
static LLVMValueRef permute_among(struct geo_lower_function *f, const struct geo_lower_permute *row,
                                  LLVMValueRef units, uint32_t start, uint32_t count,
                                  LLVMValueRef numbers)
{
    const char *instruction = count == row->lanes       ? row->one
                              : count == 2 * row->lanes ? row->two
                                                        : row->four;
    if (instruction) {
        return permute_by(f, row, instruction, units, start, count, numbers);
    }
    uint32_t half = count / 2;
    GEO_ASSERT(half >= row->lanes); /* each row has an instruction for one register */
    LLVMValueRef low = permute_among(f, row, units, start, half, numbers);
    LLVMValueRef high = permute_among(f, row, units, start + half, half, numbers);
    LLVMValueRef bit =
        LLVMBuildAnd(f->llvm.builder, numbers, geo_emit_const_like(numbers, half), "");
    LLVMValueRef is_high = geo_emit_icmp(f, LLVMIntNE, bit, geo_emit_zero_like(bit));
    return geo_emit_select(f, is_high, high, low);
}

/* Pads a vector to `count` lanes; the additional lanes hold arbitrary values. */
static LLVMValueRef padded(struct geo_lower_function *f, LLVMValueRef vector, uint32_t count)
{
    uint32_t lanes = geo_type_lanes(vector);
    LLVMValueRef picks[GEO_LOWER_LANES_LIMIT];
    GEO_ASSERT(count <= GEO_LOWER_LANES_LIMIT);
    for (uint32_t i = 0; i < count; i++) {
        picks[i] = geo_emit_const_i32(f, i < lanes ? i : 0);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(picks, count), "");
}

static LLVMValueRef permute_units(struct geo_lower_function *f, const struct geo_lower_permute *row,
                                  LLVMValueRef units, LLVMValueRef numbers)
{
    uint32_t count = geo_type_lanes(units);
    if (count < row->lanes) {
        LLVMValueRef all = permute_by(f, row, row->one, padded(f, units, row->lanes), 0, row->lanes,
                                      padded(f, numbers, row->lanes));
        return geo_lanes_slice(f, all, 0, count);
    }
    LLVMValueRef pieces[REGISTERS_LIMIT];
    uint32_t registers = count / row->lanes;
    GEO_ASSERT(registers <= REGISTERS_LIMIT && (registers & (registers - 1)) == 0);
    for (uint32_t i = 0; i < registers; i++) {
        LLVMValueRef wanted = geo_lanes_slice(f, numbers, i * row->lanes, row->lanes);
        pieces[i] = permute_among(f, row, units, 0, count, wanted);
    }
    for (; registers > 1; registers /= 2) {
        for (uint32_t i = 0; i < registers / 2; i++) {
            pieces[i] = geo_lanes_concat(f, pieces[2 * i], pieces[2 * i + 1]);
        }
    }
    return pieces[0];
}

/* ---- elements ---- */

/* Converts indices of elements to indices of units: element n consists of units s * n to s * n + s
 * - 1. */
static LLVMValueRef unit_numbers(struct geo_lower_function *f, LLVMValueRef numbers, uint32_t bits,
                                 uint32_t unit)
{
    uint32_t units = bits / unit;
    uint64_t steps = 0;
    numbers = geo_emit_zext(f, numbers, bits);
    if (units == 1) {
        return numbers;
    }
    LLVMValueRef shift = geo_emit_const_like(numbers, (uint64_t)__builtin_ctz(units));
    numbers = LLVMBuildShl(f->llvm.builder, numbers, shift, "");
    /* copy the index into every unit of the element */
    for (uint32_t at = unit; at < bits; at *= 2) {
        LLVMValueRef up =
            LLVMBuildShl(f->llvm.builder, numbers, geo_emit_const_like(numbers, at), "");
        numbers = LLVMBuildOr(f->llvm.builder, numbers, up, "");
    }
    for (uint32_t i = 0; i < units; i++) {
        steps |= (uint64_t)i << (i * unit);
    }
    numbers = LLVMBuildOr(f->llvm.builder, numbers, geo_emit_const_like(numbers, steps), "");
    LLVMTypeRef type = LLVMVectorType(geo_type_int(f, unit), f->lanes * units);
    return LLVMBuildBitCast(f->llvm.builder, numbers, type, "");
}

static LLVMValueRef permute_bits(struct geo_lower_function *f, LLVMValueRef vector,
                                 LLVMValueRef numbers)
{
    uint32_t width = f->lanes > 32 ? 64 : 32;
    LLVMValueRef bits = geo_emit_zext(f, geo_emit_mask_bits(f, vector), width);
    numbers = geo_emit_zext(f, numbers, width);
    LLVMValueRef bit = LLVMBuildLShr(f->llvm.builder, geo_lanes_splat(f, bits), numbers, "");
    return LLVMBuildTrunc(f->llvm.builder, bit, geo_type_mask(f), "");
}

static LLVMValueRef through_memory(struct geo_lower_function *f, LLVMValueRef vector,
                                   LLVMValueRef numbers)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef type = LLVMTypeOf(vector), element = geo_type_element(vector);
    LLVMValueRef slot = geo_emit_alloca(f, type, "shuffle");
    LLVMBuildStore(b, vector, slot);
    LLVMValueRef result = LLVMGetPoison(type);
    for (uint32_t i = 0; i < f->lanes; i++) {
        LLVMValueRef place = geo_emit_const_i32(f, i);
        LLVMValueRef index = LLVMBuildExtractElement(b, numbers, place, "");
        LLVMValueRef from = LLVMBuildInBoundsGEP2(b, element, slot, &index, 1, "");
        result = LLVMBuildInsertElement(b, result, LLVMBuildLoad2(b, element, from, ""), place, "");
    }
    return result;
}

LLVMValueRef geo_emit_permute(struct geo_lower_function *f, LLVMValueRef vector,
                              LLVMValueRef numbers)
{
    LLVMTypeRef type = LLVMTypeOf(vector);
    uint32_t bits = geo_type_bits(vector);
    GEO_ASSERT(f->lanes > 1 && (f->lanes & (f->lanes - 1)) == 0);
    GEO_ASSERT(geo_type_lanes(vector) == f->lanes && geo_type_lanes(numbers) == f->lanes &&
               geo_type_bits(numbers) == 32);
    if (LLVMIsConstant(numbers)) {
        return LLVMBuildShuffleVector(f->llvm.builder, vector, vector, numbers, "");
    }
    if (bits == 1) {
        return permute_bits(f, vector, numbers);
    }
    const struct geo_lower_permute *row = row_find(f, bits);
    if (!row) {
        return through_memory(f, vector, numbers);
    }
    bool is_pointer = LLVMGetTypeKind(geo_type_element(vector)) == LLVMPointerTypeKind;
    LLVMTypeRef words = LLVMVectorType(geo_type_int(f, bits), f->lanes);
    LLVMTypeRef units = LLVMVectorType(geo_type_int(f, row->bits), f->lanes * (bits / row->bits));
    vector = is_pointer ? LLVMBuildPtrToInt(f->llvm.builder, vector, words, "") : vector;
    LLVMValueRef result =
        permute_units(f, row, LLVMBuildBitCast(f->llvm.builder, vector, units, ""),
                      unit_numbers(f, numbers, bits, row->bits));
    return is_pointer
               ? LLVMBuildIntToPtr(f->llvm.builder,
                                   LLVMBuildBitCast(f->llvm.builder, result, words, ""), type, "")
               : LLVMBuildBitCast(f->llvm.builder, result, type, "");
}
