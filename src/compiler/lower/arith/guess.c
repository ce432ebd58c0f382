/* Emits estimates and scaling by powers of two; see guess.h.
 *
 * It uses the target's instructions (arch/) if they exist. Otherwise an estimate starts from the
 * complement of the exponent and takes one cubic step, with an error of 2^-11.5. Scaling multiplies
 * by two factors made from the bits of n.
 *
 * A scalar is computed in a vector whose other lanes are zero, so all widths have the same result.
 * LLVM does not fold these intrinsics. */
#include "compiler/lower/arith/guess.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"

/* ---- registers ---- */

/* Returns `lanes` lanes from `start` on, with zeros behind the last one. */
static LLVMValueRef register_of(struct geo_lower_function *f, LLVMValueRef x, uint32_t start,
                                uint32_t lanes)
{
    LLVMTypeRef type = geo_type_wide(geo_type_element(x), lanes);
    uint32_t count = geo_type_lanes(x);
    if (count == 1) {
        return LLVMBuildInsertElement(f->llvm.builder, LLVMConstNull(type), x,
                                      geo_emit_const_i32(f, 0), "");
    }
    if (count >= lanes) {
        return count == lanes ? x : geo_lanes_slice(f, x, start, lanes);
    }
    LLVMValueRef numbers[16];
    GEO_ASSERT(lanes <= 16);
    for (uint32_t i = 0; i < lanes; i++) {
        numbers[i] = geo_emit_const_i32(f, i < count ? i : count);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, x, LLVMConstNull(LLVMTypeOf(x)),
                                  LLVMConstVector(numbers, lanes), "");
}

/* Applies the target's instruction register by register, for any width. */
static LLVMValueRef registers_emit(struct geo_lower_function *f, uint32_t op, LLVMValueRef x,
                                   LLVMValueRef n)
{
    uint32_t lanes = geo_type_lanes(x), bits = geo_type_bits(x);
    uint32_t most = f->options->target.vector_bits / bits, least = 128 / bits;
    uint32_t each = lanes < least ? least : lanes < most ? lanes : most;
    LLVMValueRef parts[64] = {NULL};
    GEO_ASSERT(each && (each & (each - 1)) == 0 && lanes <= 64 * each);
    uint32_t count = 0;
    for (uint32_t start = 0; start < lanes; start += each) {
        parts[count++] = f->options->target.arch->guess(f, op, register_of(f, x, start, each),
                                                        n ? register_of(f, n, start, each) : NULL);
    }
    for (; count > 1; count /= 2) {
        for (uint32_t i = 0; i < count / 2; i++) {
            parts[i] = geo_lanes_concat(f, parts[2 * i], parts[2 * i + 1]);
        }
    }
    if (lanes == 1) {
        return LLVMBuildExtractElement(f->llvm.builder, parts[0], geo_emit_const_i32(f, 0), "");
    }
    return lanes < each ? geo_lanes_slice(f, parts[0], 0, lanes) : parts[0];
}

/* ---- estimates without instructions ---- */

static LLVMValueRef fma_of(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                           LLVMValueRef c)
{
    return LLVMBuildFAdd(f->llvm.builder, LLVMBuildFMul(f->llvm.builder, a, b, ""), c, "");
}

/* Returns an estimate of 1 / x or 1 / sqrt(x). The complement of the exponent (or of half of it)
 * has an error of 5 %. With e = 1 - x r (root: 1 - x r^2), a cubic step adds r (e + e^2), or r (e /
 * 2 + 3 e^2 / 8). */
static LLVMValueRef bits_guess(struct geo_lower_function *f, uint32_t op, LLVMValueRef x)
{
    LLVMBuilderRef b = f->llvm.builder;
    bool root = op == GEO_OP_GUESS_INVERSE_ROOT;
    LLVMValueRef bits = geo_emit_to_bits(f, x);
    bool wide = geo_type_bits(x) == 64;
    LLVMValueRef magic =
        geo_emit_const_like(bits, wide   ? (root ? 0x5fe6eb50c7b537a9ull : 0x7fde623822fc16e6ull)
                                  : root ? 0x5f375a86ull
                                         : 0x7ef311c2ull);
    bits = root ? LLVMBuildLShr(b, bits, geo_emit_const_like(bits, 1), "") : bits;
    LLVMValueRef r = geo_emit_from_bits(f, LLVMBuildSub(b, magic, bits, ""));
    LLVMValueRef product = LLVMBuildFMul(b, x, r, "");
    product = root ? LLVMBuildFMul(b, product, r, "") : product;
    LLVMValueRef e = LLVMBuildFSub(b, geo_emit_real_like(x, 1.0), product, "");
    LLVMValueRef step = root
                            ? fma_of(f, e, geo_emit_real_like(x, 0.375), geo_emit_real_like(x, 0.5))
                            : LLVMBuildFAdd(b, e, geo_emit_real_like(x, 1.0), "");
    return fma_of(f, LLVMBuildFMul(b, r, e, ""), step, r);
}

static bool has_instruction(const struct geo_emit *e)
{
    return e->f->options->target.arch->guesses(e->f, e->op, geo_type_bits(e->v[0]));
}

LLVMValueRef geo_arith_guess(struct geo_emit *e)
{
    return has_instruction(e) ? registers_emit(e->f, e->op, e->v[0], NULL)
                              : bits_guess(e->f, e->op, e->v[0]);
}

/* ---- scaling ---- */

/* n + 1.5 * 2^23 (double: 2^52) has n in its low bits. x is multiplied by two factors with half of
 * the exponent each, so only the second multiplication rounds. */
LLVMValueRef geo_arith_guess_scale(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef x = e->v[0], n = e->v[1];
    if (has_instruction(e)) {
        return registers_emit(f, e->op, x, n);
    }
    bool wide = geo_type_bits(x) == 64;
    LLVMValueRef shifted =
        LLVMBuildFAdd(b, n, geo_emit_real_like(n, wide ? 0x1.8p52 : 0x1.8p23), "");
    LLVMValueRef whole = geo_emit_to_bits(f, shifted);
    LLVMValueRef digits = geo_emit_const_like(whole, wide ? 52 : 23);
    LLVMValueRef one = geo_emit_const_like(whole, wide ? 0x3ff0000000000000ull : 0x3f800000ull);
    LLVMValueRef half = LLVMBuildLShr(b, whole, geo_emit_const_like(whole, 1), "");
    half = LLVMBuildShl(b, half, digits, "");
    LLVMValueRef rest = LLVMBuildSub(b, LLVMBuildShl(b, whole, digits, ""), half, "");
    x = LLVMBuildFMul(b, x, geo_emit_from_bits(f, LLVMBuildAdd(b, half, one, "")), "");
    return LLVMBuildFMul(b, x, geo_emit_from_bits(f, LLVMBuildAdd(b, rest, one, "")), "");
}
