/* Lowering for arm64 (NEON); see arch.h.
 *
 *     1 / x         frecpe, error 2^-8, and one step of frecps: 2^-16; floats and doubles
 *     1 / sqrt(x)   frsqrte and one step of frsqrts: the same
 *     half          fcvtn, rounds to nearest */
#include "base/assert.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"

/* Only bytes, from one, two or four registers. An index out of range gives zero. */
static const struct geo_lower_permute permutes[] = {
    {0, 8, 16, "llvm.aarch64.neon.tbl1", "llvm.aarch64.neon.tbl2", "llvm.aarch64.neon.tbl4",
     .numbers_last = true},
};

static uint32_t registers(uint32_t vector_bits)
{
    (void)vector_bits;
    return 32;
}

/* ---- estimates ---- */

static bool guesses(const struct geo_lower_function *f, uint32_t op, uint32_t bits)
{
    (void)f;
    (void)bits;
    return op != GEO_OP_SCALE;
}

/* Emits the estimate. For zero and infinity the refinement step gives a NaN; then the first
 * estimate is right. */
static LLVMValueRef guess(struct geo_lower_function *f, uint32_t op, LLVMValueRef x, LLVMValueRef n)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMBuilderRef b = f->llvm.builder;
    bool root = op == GEO_OP_GUESS_INVERSE_ROOT;
    GEO_ASSERT(op != GEO_OP_SCALE && !n); /* `guesses` has refused it */
    LLVMValueRef r = geo_emit_intrinsic_of(
        f, root ? "llvm.aarch64.neon.frsqrte" : "llvm.aarch64.neon.frecpe", &type, 1, &x, 1);
    LLVMValueRef args[2] = {root ? LLVMBuildFMul(b, x, r, "") : x, r};
    LLVMValueRef step = geo_emit_intrinsic_of(
        f, root ? "llvm.aarch64.neon.frsqrts" : "llvm.aarch64.neon.frecps", &type, 1, args, 2);
    LLVMValueRef better = LLVMBuildFMul(b, r, step, "");
    LLVMValueRef none = geo_emit_fcmp(f, LLVMRealUNO, better, better);
    return geo_emit_select(f, none, r, better);
}

/* ---- halves ---- */

static LLVMValueRef to_half(struct geo_lower_function *f, LLVMValueRef value,
                            SpvFPRoundingMode mode)
{
    if (mode != SpvFPRoundingModeRTE) {
        return NULL;
    }
    LLVMTypeRef halves = geo_type_like(value, LLVMHalfTypeInContext(f->llvm.context));
    LLVMTypeRef words = geo_type_like(value, geo_type_int(f, 16));
    return LLVMBuildBitCast(f->llvm.builder, LLVMBuildFPTrunc(f->llvm.builder, value, halves, ""),
                            words, "");
}

const struct geo_lower_arch geo_lower_aarch64 = {
    .permutes = permutes,
    .permute_count = sizeof(permutes) / sizeof(permutes[0]),
    .mode = {.get = "llvm.aarch64.get.fpcr",
             .set = "llvm.aarch64.set.fpcr",
             .bits = 64,
             .shift = 22,
             .codes = {0, 3, 1, 2}},
    .registers = registers,
    .guesses = guesses,
    .guess = guess,
    .to_half = to_half,
};
