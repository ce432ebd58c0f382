/* LLVM's words for lowering: moves between lanes by unknown numbers; see permute.h.
 *
 * A target's instructions are rows of a table: each permutes one register of units. Elements are
 * made of units, longer vectors of registers:
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

enum needs { NEEDS_SSSE3, NEEDS_AVX2, NEEDS_AVX512 };

struct row {
    enum needs needs;
    uint32_t bits, lanes; /* of a unit; in a register */
    const char *one;      /* (vector, numbers) */
    const char *two;      /* (low, numbers, high): of two registers; NULL: there is none */
};

/* The first that fits is taken: no narrower unit before a wider one, no longer register before one
 * that is long enough. */
static const struct row rows[] = {
    {NEEDS_AVX512, 64, 8, "llvm.x86.avx512.permvar.di.512", "llvm.x86.avx512.vpermi2var.q.512"},
    {NEEDS_AVX2, 32, 8, "llvm.x86.avx2.permd", NULL},
    {NEEDS_AVX512, 32, 16, "llvm.x86.avx512.permvar.si.512", "llvm.x86.avx512.vpermi2var.d.512"},
    {NEEDS_AVX512, 16, 8, "llvm.x86.avx512.permvar.hi.128", NULL},
    {NEEDS_AVX512, 16, 16, "llvm.x86.avx512.permvar.hi.256", NULL},
    {NEEDS_AVX512, 16, 32, "llvm.x86.avx512.permvar.hi.512", "llvm.x86.avx512.vpermi2var.hi.512"},
    {NEEDS_SSSE3, 8, 16, "llvm.x86.ssse3.pshuf.b.128", NULL},
};

/* Registers of a vector, at most: each is made of all. */
#define REGISTERS_LIMIT 4u

static bool has(const struct geo_lower_function *f, enum needs needs)
{
    const struct geo_lower_target *target = &f->options->target;
    switch (needs) {
    case NEEDS_SSSE3:
        return target->has_round; /* x86-64-v2 has both */
    case NEEDS_AVX2:
        return target->vector_bits >= 256;
    default:
        return target->has_masks;
    }
}

/* The widest unit that makes up elements of so many bits; registers that the lanes fit into, else
 * the longest. NULL: none. */
static const struct row *row_find(const struct geo_lower_function *f, uint32_t bits)
{
    const struct row *found = NULL;
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        if (!has(f, row->needs) || row->bits > bits || (found && row->bits < found->bits)) {
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

static LLVMValueRef permute_one(struct geo_lower_function *f, const struct row *row,
                                LLVMValueRef units, LLVMValueRef numbers)
{
    return geo_emit_intrinsic_of(f, row->one, NULL, 0, (LLVMValueRef[]){units, numbers}, 2);
}

/* `numbers` of one register, of units anywhere among `count` ones from `start`. */
static LLVMValueRef permute_among(struct geo_lower_function *f, const struct row *row,
                                  LLVMValueRef units, uint32_t start, uint32_t count,
                                  LLVMValueRef numbers)
{
    if (count == row->lanes) {
        return permute_one(f, row, geo_emit_slice(f, units, start, count), numbers);
    }
    if (count == 2 * row->lanes && row->two) {
        LLVMValueRef args[3] = {geo_emit_slice(f, units, start, row->lanes), numbers,
                                geo_emit_slice(f, units, start + row->lanes, row->lanes)};
        return geo_emit_intrinsic_of(f, row->two, NULL, 0, args, 3);
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

static LLVMValueRef permute_units(struct geo_lower_function *f, const struct row *row,
                                  LLVMValueRef units, LLVMValueRef numbers)
{
    uint32_t count = geo_emit_lanes(units);
    if (count < row->lanes) {
        LLVMValueRef all =
            permute_one(f, row, padded(f, units, row->lanes), padded(f, numbers, row->lanes));
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
    const struct row *row = row_find(f, bits);
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
