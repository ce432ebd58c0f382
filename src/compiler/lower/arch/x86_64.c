/* What lowering for x86-64 knows of its instructions; see arch.h.
 *
 *     level      1 / x and 1 / sqrt(x)                       x * 2^n     float to half
 *     AVX-512    vrcp14, vrsqrt14: 2^-14                     vscalef     vcvtps2ph
 *     AVX2       rcpps, rsqrtps, of floats: 1.5 * 2^-12      -           vcvtps2ph
 *     the rest   the same                                    -           - */
#include "compiler/ir/ir.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"
#include "native/native.h"

#include <stdio.h>

/* The first that fits is taken: no narrower unit before a wider one, no longer register before one
 * that is long enough. */
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
    /* a number's upper bits but the last do not count, which no number sets */
    {GEO_FEATURE_SSE4_2, 8, 16, "llvm.x86.ssse3.pshuf.b.128", .cuts = true},
};

static uint32_t registers(uint32_t vector_bits)
{
    return vector_bits >= 512 ? 32 : 16;
}

/* ---- guesses ---- */

static bool guesses(const struct geo_lower_function *f, uint32_t op, uint32_t bits)
{
    return f->options->target.has_masks || (op != GEO_OP_SCALE && bits == 32);
}

/* An intrinsic on a whole register of 128, 256 or 512 bits; with_n: of two operands. */
static LLVMValueRef guess(struct geo_lower_function *f, uint32_t op, LLVMValueRef x, LLVMValueRef n)
{
    uint32_t bits = geo_emit_bits(x), width = bits * geo_emit_lanes(x);
    char name[64];
    LLVMValueRef args[5] = {x};
    uint32_t count = 1;
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
    LLVMTypeRef mask = LLVMIntTypeInContext(f->context, width / bits == 16 ? 16 : 8);
    args[count++] = LLVMConstAllOnes(mask);
    if (n && width == 512) {
        args[count++] = geo_emit_const_i32(f, 4); /* rounding: the current direction */
    }
    return geo_emit_intrinsic_of(f, name, NULL, 0, args, count);
}

/* ---- halves ---- */

/* vcvtps2ph takes 4 or 8 floats: a scalar goes through 4 lanes, wider vectors in pieces of 8. */
static LLVMValueRef to_half(struct geo_lower_function *f, LLVMValueRef value,
                            SpvFPRoundingMode mode)
{
    static const uint32_t immediates[] = {0, 3, 2, 1}; /* RTE, RTZ, RTP, RTN */
    LLVMValueRef control =
        LLVMConstInt(LLVMInt32TypeInContext(f->context), immediates[mode], false);
    uint32_t lanes = geo_emit_lanes(value);
    if (lanes == 1) {
        LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(f->context), 0, false);
        LLVMValueRef four = LLVMConstNull(LLVMVectorType(LLVMFloatTypeInContext(f->context), 4));
        LLVMValueRef args[2] = {LLVMBuildInsertElement(f->builder, four, value, zero, ""), control};
        LLVMValueRef halves = geo_emit_intrinsic_of(f, "llvm.x86.vcvtps2ph.128", NULL, 0, args, 2);
        return LLVMBuildExtractElement(f->builder, halves, zero, "");
    }
    LLVMValueRef result = NULL;
    for (uint32_t at = 0; at < lanes; at += 8) {
        uint32_t count = lanes - at < 8 ? lanes - at : 8;
        LLVMValueRef args[2] = {geo_emit_slice(f, value, at, count), control};
        LLVMValueRef piece;
        if (count == 8) {
            piece = geo_emit_intrinsic_of(f, "llvm.x86.vcvtps2ph.256", NULL, 0, args, 2);
        } else {
            args[0] = geo_emit_stride(f, args[0], 0, 1, count);
            if (count < 4) {
                args[0] = geo_emit_concat(f, args[0], geo_emit_zero_like(args[0]));
            }
            piece = geo_emit_intrinsic_of(f, "llvm.x86.vcvtps2ph.128", NULL, 0, args, 2);
            piece = geo_emit_slice(f, piece, 0, count);
        }
        result = result ? geo_emit_concat(f, result, piece) : piece;
    }
    return result;
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
};
