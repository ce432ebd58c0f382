/* Lowering for x86-64; see arch.h.
 *
 *     level       1 / x and 1 / sqrt(x)                   x * 2^n     float to half   dot of bytes
 *     VNNI        as AVX-512                                                          vpdpbusd
 *     AVX-512     vrcp14, vrsqrt14: error 2^-14           vscalef     vcvtps2ph       pmaddwd
 *     AVX2        rcpps, rsqrtps, floats: 1.5 * 2^-12     -           vcvtps2ph       pmaddwd
 *     others      as AVX2                                 -           -               pmaddwd */
#include "base/assert.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"
#include "native/native.h"

#include <stdio.h>

/* Rows for units of one width are ordered by the length of the register. row_find in emit/permute.c
 * chooses among them. */
static const struct geo_lower_permute permutes[] = {
    {GEO_FEATURE_AVX512, 64, 8, "llvm.x86.avx512.permvar.di.512",
     "llvm.x86.avx512.vpermi2var.q.512", .cuts = true},
    {GEO_FEATURE_AVX2, 32, 8, "llvm.x86.avx2.permd", .cuts = true},
    {GEO_FEATURE_AVX512, 32, 16, "llvm.x86.avx512.permvar.si.512",
     "llvm.x86.avx512.vpermi2var.d.512", .cuts = true},
    {GEO_FEATURE_AVX512, 16, 8, "llvm.x86.avx512.permvar.hi.128", .cuts = true},
    {GEO_FEATURE_AVX512, 16, 16, "llvm.x86.avx512.permvar.hi.256", .cuts = true},
    {GEO_FEATURE_AVX512, 16, 32, "llvm.x86.avx512.permvar.hi.512",
     "llvm.x86.avx512.vpermi2var.hi.512", .cuts = true},
    {GEO_FEATURE_VNNI, 8, 16, "llvm.x86.avx512.permvar.qi.128",
     .two = "llvm.x86.avx512.vpermi2var.qi.128", .cuts = true},
    {GEO_FEATURE_VNNI, 8, 32, "llvm.x86.avx512.permvar.qi.256",
     .two = "llvm.x86.avx512.vpermi2var.qi.256", .cuts = true},
    {GEO_FEATURE_VNNI, 8, 64, "llvm.x86.avx512.permvar.qi.512",
     .two = "llvm.x86.avx512.vpermi2var.qi.512", .cuts = true},
    /* ignores the upper bits except bit 7, which no index sets */
    {GEO_FEATURE_SSE4_2, 8, 16, "llvm.x86.ssse3.pshuf.b.128", .cuts = true},
};

static uint32_t registers(uint32_t vector_bits)
{
    return vector_bits >= 512 ? 32 : 16;
}

/* ---- estimates ---- */

static bool guesses(const struct geo_lower_function *f, uint32_t op, uint32_t bits)
{
    return f->options->target.has_masks || (op != GEO_OP_SCALE && bits == 32);
}

/* Calls an intrinsic on a whole register of 128, 256 or 512 bits. `n` is the second operand of
 * GEO_OP_SCALE. */
static LLVMValueRef guess(struct geo_lower_function *f, uint32_t op, LLVMValueRef x, LLVMValueRef n)
{
    uint32_t bits = geo_type_bits(x), width = bits * geo_type_lanes(x);
    char name[64];
    LLVMValueRef args[5] = {x};
    uint32_t count = 1;
    GEO_ASSERT((bits == 32 || bits == 64) && (width == 128 || width == 256 || width == 512));
    GEO_ASSERT(guesses(f, op, bits) && (n != NULL) == (op == GEO_OP_SCALE));
    if (!f->options->target.has_masks) {
        snprintf(name, sizeof(name), "llvm.x86.%s.%s.ps%s", width == 256 ? "avx" : "sse",
                 op == GEO_OP_GUESS_INVERSE ? "rcp" : "rsqrt", width == 256 ? ".256" : "");
        return geo_emit_intrinsic_of(f, name, NULL, 0, args, count);
    }
    snprintf(name, sizeof(name), "llvm.x86.avx512.%s.p%c.%u",
             op == GEO_OP_SCALE           ? "mask.scalef"
             : op == GEO_OP_GUESS_INVERSE ? "rcp14"
                                          : "rsqrt14",
             bits == 32 ? 's' : 'd', width);
    if (n) {
        args[count++] = n;
    }
    args[count++] = LLVMConstNull(LLVMTypeOf(x));
    LLVMTypeRef mask = LLVMIntTypeInContext(f->llvm.context, width / bits == 16 ? 16 : 8);
    args[count++] = LLVMConstAllOnes(mask);
    if (n && width == 512) {
        args[count++] = geo_emit_const_i32(f, 4); /* rounding: the current mode */
    }
    return geo_emit_intrinsic_of(f, name, NULL, 0, args, count);
}

/* ---- halves ---- */

/* Converts floats to halves by vcvtps2ph, which takes 4 or 8 floats. A scalar is put into 4 lanes;
 * longer vectors are split into pieces of 8. */
static LLVMValueRef to_half(struct geo_lower_function *f, LLVMValueRef value,
                            SpvFPRoundingMode mode)
{
    static const uint32_t immediates[] = {0, 3, 2, 1}; /* RTE, RTZ, RTP, RTN */
    LLVMValueRef control =
        LLVMConstInt(LLVMInt32TypeInContext(f->llvm.context), immediates[mode], false);
    uint32_t lanes = geo_type_lanes(value);
    GEO_ASSERT(geo_type_bits(value) == 32 && mode <= SpvFPRoundingModeRTN);
    if (lanes == 1) {
        LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(f->llvm.context), 0, false);
        LLVMValueRef four =
            LLVMConstNull(LLVMVectorType(LLVMFloatTypeInContext(f->llvm.context), 4));
        LLVMValueRef args[2] = {LLVMBuildInsertElement(f->llvm.builder, four, value, zero, ""),
                                control};
        LLVMValueRef halves = geo_emit_intrinsic_of(f, "llvm.x86.vcvtps2ph.128", NULL, 0, args, 2);
        return LLVMBuildExtractElement(f->llvm.builder, halves, zero, "");
    }
    LLVMValueRef result = NULL;
    for (uint32_t at = 0; at < lanes; at += 8) {
        uint32_t count = lanes - at < 8 ? lanes - at : 8;
        LLVMValueRef args[2] = {geo_lanes_slice(f, value, at, count), control};
        LLVMValueRef piece;
        if (count == 8) {
            piece = geo_emit_intrinsic_of(f, "llvm.x86.vcvtps2ph.256", NULL, 0, args, 2);
        } else {
            args[0] = geo_lanes_stride(f, args[0], 0, 1, count);
            if (count < 4) {
                args[0] = geo_lanes_concat(f, args[0], geo_emit_zero_like(args[0]));
            }
            piece = geo_emit_intrinsic_of(f, "llvm.x86.vcvtps2ph.128", NULL, 0, args, 2);
            piece = geo_lanes_slice(f, piece, 0, count);
        }
        result = result ? geo_lanes_concat(f, result, piece) : piece;
    }
    return result;
}

/* ---- dot products of bytes ---- */

/* Returns sum + the products of bytes, in each 32-bit element of a whole register. Bytes of `a` are
 * unsigned, bytes of `b` signed. */
static LLVMValueRef dot_register(struct geo_lower_function *f, LLVMValueRef sum, LLVMValueRef a,
                                 LLVMValueRef b)
{
    uint32_t lanes = geo_type_lanes(a);
    GEO_ASSERT((lanes == 4 || lanes == 8 || lanes == 16) && geo_type_bits(a) == 32);
    const char *name = lanes == 16  ? "llvm.x86.avx512.vpdpbusd.512"
                       : lanes == 8 ? "llvm.x86.avx512.vpdpbusd.256"
                                    : "llvm.x86.avx512.vpdpbusd.128";
    LLVMTypeRef bytes = LLVMVectorType(geo_type_int(f, 8), 4 * lanes);
    LLVMValueRef args[3] = {sum, LLVMBuildBitCast(f->llvm.builder, a, bytes, ""),
                            LLVMBuildBitCast(f->llvm.builder, b, bytes, "")};
    return geo_emit_intrinsic_of(f, name, NULL, 0, args, 3);
}

/* Adjusts signs for dot_register. A byte with its highest bit flipped is the byte plus or minus
 * 128. The excess, 128 times the other operand's bytes, is subtracted first. */
static LLVMValueRef dot_signs(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                              bool a_signed, bool b_signed)
{
    LLVMBuilderRef builder = f->llvm.builder;
    LLVMValueRef none = geo_emit_zero_like(a), high = geo_emit_const_like(a, 0x80808080);
    if (a_signed && b_signed) {
        LLVMValueRef much = dot_register(f, none, high, a);
        return dot_register(f, LLVMBuildSub(builder, none, much, ""),
                            LLVMBuildXor(builder, b, high, ""), a);
    }
    if (!a_signed && !b_signed) {
        LLVMValueRef bytes = dot_register(f, none, a, geo_emit_const_like(a, 0x01010101));
        LLVMValueRef less = LLVMBuildShl(builder, bytes, geo_emit_const_like(a, 7), "");
        return dot_register(f, less, a, LLVMBuildXor(builder, b, high, ""));
    }
    return a_signed ? dot_register(f, none, b, a) : dot_register(f, none, a, b);
}

/* Returns bytes 0 and 2 (odd: 1 and 3) of each 32-bit element as 16-bit numbers. */
static LLVMValueRef dot_words(struct geo_lower_function *f, LLVMValueRef x, bool odd,
                              bool is_signed)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef type = LLVMVectorType(geo_type_int(f, 16), 2 * geo_type_lanes(x));
    x = LLVMBuildBitCast(b, x, type, "");
    LLVMValueRef eight = geo_emit_const_like(x, 8);
    if (!odd && !is_signed) {
        return LLVMBuildAnd(b, x, geo_emit_const_like(x, 0xff), "");
    }
    x = odd ? x : LLVMBuildShl(b, x, eight, "");
    return is_signed ? LLVMBuildAShr(b, x, eight, "") : LLVMBuildLShr(b, x, eight, "");
}

/* Returns the products of 16-bit numbers with signs, added in pairs. Operands are vectors of 32-bit
 * elements, or of 16-bit ones. */
static LLVMValueRef dot_pairs(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t lanes = geo_type_lanes(a) * geo_type_bits(a) / 32;
    LLVMTypeRef type = LLVMVectorType(geo_type_int(f, 16), 2 * lanes);
    GEO_ASSERT(lanes == 4 || lanes == 8 || lanes == 16);
    const char *name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                       : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                    : "llvm.x86.sse2.pmadd.wd";
    LLVMValueRef args[2] = {LLVMBuildBitCast(f->llvm.builder, a, type, ""),
                            LLVMBuildBitCast(f->llvm.builder, b, type, "")};
    return geo_emit_intrinsic_of(f, name, NULL, 0, args, 2);
}

/* Emits the dot product of bytes by 16-bit multiplications. */
static LLVMValueRef dot_bytes(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                              bool a_signed, bool b_signed)
{
    LLVMValueRef sums[2];
    for (uint32_t odd = 0; odd < 2; odd++) {
        sums[odd] = dot_pairs(f, dot_words(f, a, odd, a_signed), dot_words(f, b, odd, b_signed));
    }
    return LLVMBuildAdd(f->llvm.builder, sums[0], sums[1], "");
}

static LLVMValueRef dot(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b, uint32_t bits,
                        bool a_signed, bool b_signed)
{
    const struct geo_lower_target *target = &f->options->target;
    uint32_t lanes = geo_type_lanes(a), half = lanes / 2;
    GEO_ASSERT(geo_type_bits(a) == 32 && (bits == 8 || (bits == 16 && a_signed && b_signed)));
    if (lanes < 4) {
        return NULL;
    }
    if (lanes <= target->vector_bits / 32) {
        return bits == 16                            ? dot_pairs(f, a, b)
               : target->features & GEO_FEATURE_VNNI ? dot_signs(f, a, b, a_signed, b_signed)
                                                     : dot_bytes(f, a, b, a_signed, b_signed);
    }
    LLVMValueRef low = dot(f, geo_lanes_slice(f, a, 0, half), geo_lanes_slice(f, b, 0, half), bits,
                           a_signed, b_signed);
    LLVMValueRef high = dot(f, geo_lanes_slice(f, a, half, half), geo_lanes_slice(f, b, half, half),
                            bits, a_signed, b_signed);
    return geo_lanes_concat(f, low, high);
}

/* ---- tables of bytes ---- */

#define PIECE_BYTES 16u /* pshufb looks up in so many bytes */

static uint32_t look_up_limit(const struct geo_lower_target *target)
{
    return target->features & GEO_FEATURE_VNNI     ? 256
           : target->features & GEO_FEATURE_SSE4_2 ? 4 * PIECE_BYTES
                                                   : 0;
}

/* Returns a register of `bytes` bytes that begins with a vector, and repeats it. */
static LLVMValueRef repeated(struct geo_lower_function *f, LLVMValueRef vector, uint32_t bytes)
{
    uint32_t lanes = geo_type_lanes(vector);
    LLVMValueRef picks[64];
    GEO_ASSERT(bytes <= 64);
    for (uint32_t i = 0; i < bytes; i++) {
        picks[i] = geo_emit_const_i32(f, i % lanes);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(picks, bytes), "");
}

/* Looks up by vpermb and vpermi2b, which take 64 and 128 bytes, and ignore the upper bits of
 * numbers. With 256 bytes it looks up in both halves. */
static LLVMValueRef look_up_among(struct geo_lower_function *f, LLVMValueRef table,
                                  LLVMValueRef numbers)
{
    uint32_t count = geo_type_lanes(table);
    if (count <= 64) {
        LLVMValueRef args[2] = {repeated(f, table, 64), numbers};
        return geo_emit_intrinsic_of(f, "llvm.x86.avx512.permvar.qi.512", NULL, 0, args, 2);
    }
    LLVMValueRef low = geo_lanes_slice(f, table, 0, count / 2);
    LLVMValueRef high = geo_lanes_slice(f, table, count / 2, count / 2);
    if (count == 128) {
        LLVMValueRef args[3] = {low, numbers, high};
        return geo_emit_intrinsic_of(f, "llvm.x86.avx512.vpermi2var.qi.512", NULL, 0, args, 3);
    }
    LLVMValueRef is_high = geo_emit_icmp(f, LLVMIntSLT, numbers, geo_emit_zero_like(numbers));
    GEO_ASSERT(count == 256);
    return geo_emit_select(f, is_high, look_up_among(f, high, numbers),
                           look_up_among(f, low, numbers));
}

/* Looks up by pshufb in each piece of 16 bytes. It gives 0 for numbers above 127. So numbers count
 * from the piece's first byte, and 112 is added: only those from 0 to 15 stay below 128. */
static LLVMValueRef look_up_pieces(struct geo_lower_function *f, LLVMValueRef table,
                                   LLVMValueRef numbers)
{
    LLVMBuilderRef b = f->llvm.builder;
    uint32_t bytes = geo_type_lanes(numbers);
    const char *name = bytes == 64   ? "llvm.x86.avx512.pshuf.b.512"
                       : bytes == 32 ? "llvm.x86.avx2.pshuf.b"
                                     : "llvm.x86.ssse3.pshuf.b.128";
    LLVMValueRef result = NULL;
    for (uint32_t at = 0; at < geo_type_lanes(table); at += PIECE_BYTES) {
        LLVMValueRef own = LLVMBuildXor(b, numbers, geo_emit_const_like(numbers, at), "");
        own = LLVMBuildAdd(b, own, geo_emit_const_like(numbers, 128 - PIECE_BYTES), "");
        LLVMValueRef args[2] = {repeated(f, geo_lanes_slice(f, table, at, PIECE_BYTES), bytes),
                                geo_type_lanes(table) == PIECE_BYTES ? numbers : own};
        LLVMValueRef piece = geo_emit_intrinsic_of(f, name, NULL, 0, args, 2);
        result = result ? LLVMBuildOr(b, result, piece, "") : piece;
    }
    return result;
}

static LLVMValueRef look_up(struct geo_lower_function *f, LLVMValueRef table, LLVMValueRef numbers)
{
    uint32_t features = f->options->target.features, lanes = geo_type_lanes(numbers);
    bool whole = features & GEO_FEATURE_VNNI;
    uint32_t most = features & GEO_FEATURE_AVX512 ? 64 : features & GEO_FEATURE_AVX2 ? 32 : 16;
    uint32_t bytes = whole ? 64 : lanes <= PIECE_BYTES ? PIECE_BYTES : lanes;
    GEO_ASSERT(geo_type_lanes(table) <= look_up_limit(&f->options->target) && lanes > 1);
    if (lanes > most) {
        uint32_t half = lanes / 2;
        return geo_lanes_concat(f, look_up(f, table, geo_lanes_slice(f, numbers, 0, half)),
                                look_up(f, table, geo_lanes_slice(f, numbers, half, half)));
    }
    numbers = repeated(f, numbers, bytes);
    LLVMValueRef all = whole ? look_up_among(f, table, numbers) : look_up_pieces(f, table, numbers);
    return bytes == lanes ? all : geo_lanes_slice(f, all, 0, lanes);
}

const struct geo_lower_arch geo_lower_x86_64 = {
    .permutes = permutes,
    .permute_count = sizeof(permutes) / sizeof(permutes[0]),
    .mode = {.get = "llvm.x86.sse.stmxcsr",
             .set = "llvm.x86.sse.ldmxcsr",
             .by_pointer = true,
             .bits = 32,
             .shift = 13,
             .codes = {0, 3, 2, 1}},
    .registers = registers,
    .guesses = guesses,
    .guess = guess,
    .to_half = to_half,
    .dot = dot,
    .look_up_limit = look_up_limit,
    .look_up = look_up,
};
