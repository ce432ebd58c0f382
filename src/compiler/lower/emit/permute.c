/* LLVM's words for lowering: moves between lanes by unknown numbers; see permute.h.
 *
 * A target's instructions are rows of a table (arch.h): each permutes registers of units. Elements
 * are made of units, longer vectors of registers:
 *
 *     element of s units   unit k of lane i comes from unit s * numbers[i] + k
 *     several registers    each is permuted, and the number's upper bits choose among the results
 *
 * Bits are shifted out of the mask. What no row does goes through memory. */
#include "compiler/lower/emit/permute.h"

#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

#include <string.h>

/* Registers of a vector, at most: each is made of all. */
#define REGISTERS_LIMIT 4u

/* The widest unit that makes up elements of so many bits; registers that the lanes fit into, else
 * the longest. NULL: none. */
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

/* By one instruction, of the registers from unit `start` on. */
static LLVMValueRef permute_by(struct geo_lower_function *f, const struct geo_lower_permute *row,
                               const char *instruction, LLVMValueRef units, uint32_t start,
                               uint32_t count, LLVMValueRef numbers)
{
    LLVMValueRef args[5];
    uint32_t used = 0;
    if (!row->cuts && geo_emit_lanes(units) > count) {
        numbers = LLVMBuildAnd(f->builder, numbers, geo_emit_const_like(numbers, count - 1), "");
    }
    for (uint32_t at = 0; at < count; at += row->lanes) {
        args[used++] = geo_emit_slice(f, units, start + at, row->lanes);
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

/* `numbers` of one register, of units anywhere among `count` ones from `start`. */
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
    LLVMValueRef low = permute_among(f, row, units, start, half, numbers);
    LLVMValueRef high = permute_among(f, row, units, start + half, half, numbers);
    LLVMValueRef bit = LLVMBuildAnd(f->builder, numbers, geo_emit_const_like(numbers, half), "");
    LLVMValueRef is_high = geo_emit_icmp(f, LLVMIntNE, bit, geo_emit_zero_like(bit));
    return geo_emit_select(f, is_high, high, low);
}

/* As many lanes as a register has, with anything in those behind. */
static LLVMValueRef padded(struct geo_lower_function *f, LLVMValueRef vector, uint32_t count)
{
    uint32_t lanes = geo_emit_lanes(vector);
    LLVMValueRef picks[GEO_LOWER_LANES_LIMIT];
    for (uint32_t i = 0; i < count; i++) {
        picks[i] = geo_emit_const_i32(f, i < lanes ? i : 0);
    }
    return LLVMBuildShuffleVector(f->builder, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(picks, count), "");
}

static LLVMValueRef permute_units(struct geo_lower_function *f, const struct geo_lower_permute *row,
                                  LLVMValueRef units, LLVMValueRef numbers)
{
    uint32_t count = geo_emit_lanes(units);
    if (count < row->lanes) {
        LLVMValueRef all = permute_by(f, row, row->one, padded(f, units, row->lanes), 0, row->lanes,
                                      padded(f, numbers, row->lanes));
        return geo_emit_slice(f, all, 0, count);
    }
    LLVMValueRef pieces[REGISTERS_LIMIT];
    uint32_t registers = count / row->lanes;
    for (uint32_t i = 0; i < registers; i++) {
        LLVMValueRef wanted = geo_emit_slice(f, numbers, i * row->lanes, row->lanes);
        pieces[i] = permute_among(f, row, units, 0, count, wanted);
    }
    for (; registers > 1; registers /= 2) {
        for (uint32_t i = 0; i < registers / 2; i++) {
            pieces[i] = geo_emit_concat(f, pieces[2 * i], pieces[2 * i + 1]);
        }
    }
    return pieces[0];
}

/* ---- elements ---- */

/* The numbers of elements' units: element n is units s * n + (0 ... s - 1). */
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
    numbers = LLVMBuildShl(f->builder, numbers, shift, "");
    for (uint32_t at = unit; at < bits; at *= 2) { /* to every unit of the element */
        LLVMValueRef up = LLVMBuildShl(f->builder, numbers, geo_emit_const_like(numbers, at), "");
        numbers = LLVMBuildOr(f->builder, numbers, up, "");
    }
    for (uint32_t i = 0; i < units; i++) {
        steps |= (uint64_t)i << (i * unit);
    }
    numbers = LLVMBuildOr(f->builder, numbers, geo_emit_const_like(numbers, steps), "");
    LLVMTypeRef type = LLVMVectorType(geo_emit_int_type(f, unit), f->lanes * units);
    return LLVMBuildBitCast(f->builder, numbers, type, "");
}

static LLVMValueRef permute_bits(struct geo_lower_function *f, LLVMValueRef vector,
                                 LLVMValueRef numbers)
{
    uint32_t width = f->lanes > 32 ? 64 : 32;
    LLVMValueRef bits = geo_emit_zext(f, geo_emit_mask_bits(f, vector), width);
    numbers = geo_emit_zext(f, numbers, width);
    LLVMValueRef bit = LLVMBuildLShr(f->builder, geo_emit_splat(f, bits), numbers, "");
    return LLVMBuildTrunc(f->builder, bit, geo_emit_mask_type(f), "");
}

static LLVMValueRef through_memory(struct geo_lower_function *f, LLVMValueRef vector,
                                   LLVMValueRef numbers)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef type = LLVMTypeOf(vector), element = geo_emit_element(vector);
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
    uint32_t bits = geo_emit_bits(vector);
    if (LLVMIsConstant(numbers)) {
        return LLVMBuildShuffleVector(f->builder, vector, vector, numbers, "");
    }
    if (bits == 1) {
        return permute_bits(f, vector, numbers);
    }
    const struct geo_lower_permute *row = row_find(f, bits);
    if (!row) {
        return through_memory(f, vector, numbers);
    }
    bool is_pointer = LLVMGetTypeKind(geo_emit_element(vector)) == LLVMPointerTypeKind;
    LLVMTypeRef words = LLVMVectorType(geo_emit_int_type(f, bits), f->lanes);
    LLVMTypeRef units =
        LLVMVectorType(geo_emit_int_type(f, row->bits), f->lanes * (bits / row->bits));
    vector = is_pointer ? LLVMBuildPtrToInt(f->builder, vector, words, "") : vector;
    LLVMValueRef result = permute_units(f, row, LLVMBuildBitCast(f->builder, vector, units, ""),
                                        unit_numbers(f, numbers, bits, row->bits));
    return is_pointer ? LLVMBuildIntToPtr(f->builder,
                                          LLVMBuildBitCast(f->builder, result, words, ""), type, "")
                      : LLVMBuildBitCast(f->builder, result, type, "");
}
