/* Lowers products of cooperative matrices, C + A B, to multiplications and additions of vectors:
 *
 *     slot[l] = C[l] + sum over k of A[row of l][k] * B[k][column of l]
 *
 * The lanes of a slot are columns of one row or of a few rows. So they need one slot of B and one
 * element of A in all lanes, or a few of each. Elements are widened to the computation's type slot
 * by slot before they are moved. Sums are computed in the order of k, so the result is the same for
 * every sub-group size. Floats are summed in float or wider, starting from C, and rounded once at
 * the end.
 *
 * Bytes are not widened if k is a multiple of four and sums have 32 bits. Four of them form a word,
 * of a row of A or of a column of B, and the loop over k takes a dot product of words. */
#include "compiler/lower/cpu/group/matrix.h"

#include "base/assert.h"
#include "compiler/ir/budget.h"
#include "compiler/ir/matrix.h"
#include "compiler/lower/cpu/group/element.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/instruction/dot.h"
#include "compiler/lower/value/value.h"

#include <string.h>

/* cost in LLVM of one multiplication and of moving its operands */
#define MULTIPLICATION_COST 1024u
#define WORD_BYTES          4u

/* One product. */
struct product {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst;
    uint32_t literals;
    uint32_t bits; /* width of the type in which sums are computed */
    bool real;
    bool a_signed, b_signed;
    LLVMValueRef *a, *b; /* slots of A and B: elements, widened, or words of four bytes */
    uint32_t m, n, k, slots;
    uint32_t step; /* elements of A or B in each unit of a slot: 1 or WORD_BYTES */
};

static enum geo_element kind_of(const struct product *p, const struct geo_ir_type *matrix,
                                uint32_t is_signed, uint32_t bfloat, uint32_t tf32)
{
    const struct geo_ir_type *type = matrix->element;
    if (geo_ir_is_bfloat(type) || p->literals & bfloat) {
        return GEO_ELEMENT_BFLOAT;
    }
    if (type->kind == GEO_TYPE_FLOAT) {
        return p->literals & tf32 && type->width == 32 ? GEO_ELEMENT_TF32 : GEO_ELEMENT_FLOAT;
    }
    return p->literals & is_signed ? GEO_ELEMENT_SIGNED : GEO_ELEMENT_UNSIGNED;
}

/* ---- conversion to the computation's type and back ---- */

static LLVMValueRef widen(struct product *p, LLVMValueRef value, enum geo_element kind)
{
    return geo_group_element_widen(p->f, p->inst, value, kind, p->bits);
}

static LLVMValueRef *slots_widen(struct product *p, struct geo_ir_value *matrix,
                                 enum geo_element kind)
{
    LLVMValueRef *slots = geo_arena_new_array(p->f->arena, LLVMValueRef, matrix->type->count);
    for (uint32_t i = 0; slots && i < matrix->type->count; i++) {
        slots[i] = widen(p, geo_value_vector(p->f, matrix, i), kind);
    }
    return slots;
}

/* ---- moving elements between lanes ---- */

/* Returns the vector whose lane l is element from[l] of a matrix. */
static LLVMValueRef elements_pick(const struct product *p, const LLVMValueRef *slots,
                                  const uint32_t *from)
{
    struct geo_lower_function *f = p->f;
    LLVMValueRef result = NULL, picks[GEO_LOWER_LANES_LIMIT];
    bool done[GEO_LOWER_LANES_LIMIT] = {false};
    for (uint32_t first = 0; first < f->lanes; first++) {
        if (done[first]) {
            continue;
        }
        uint32_t slot = from[first] / f->lanes;
        GEO_ASSERT(geo_type_lanes(slots[slot]) == f->lanes);
        bool whole = true;
        for (uint32_t lane = 0; lane < f->lanes; lane++) {
            bool here = from[lane] / f->lanes == slot;
            uint32_t other = result ? lane : 0;
            picks[lane] = geo_emit_const_i32(f, here ? f->lanes + from[lane] % f->lanes : other);
            whole = whole && here && from[lane] % f->lanes == lane;
            done[lane] |= here;
        }
        result = whole ? slots[slot]
                       : LLVMBuildShuffleVector(f->llvm.builder, result ? result : slots[slot],
                                                slots[slot], LLVMConstVector(picks, f->lanes), "");
    }
    return result;
}

/* ---- words of bytes ---- */

static bool is_byte(const struct geo_ir_type *matrix)
{
    return matrix->element->kind == GEO_TYPE_INT && matrix->element->width == 8;
}

/* Returns one slot of words of A, which are neighbours in its rows. Missing slots are zero. */
static LLVMValueRef row_words(struct product *p, const LLVMValueRef *bytes, uint32_t count,
                              uint32_t slot)
{
    struct geo_lower_function *f = p->f;
    LLVMValueRef parts[WORD_BYTES];
    for (uint32_t i = 0; i < WORD_BYTES; i++) {
        uint32_t from = slot * WORD_BYTES + i;
        parts[i] = from < count ? bytes[from] : geo_emit_zero_like(bytes[0]);
    }
    return geo_lanes_concat(f, geo_lanes_concat(f, parts[0], parts[1]),
                            geo_lanes_concat(f, parts[2], parts[3]));
}

/* Returns the vector of words, each of which has one byte of each part. LLVM joins this shuffle
 * with those of a load in packed layout. */
static LLVMValueRef interleave(struct geo_lower_function *f, const LLVMValueRef *parts)
{
    LLVMValueRef picks[GEO_LOWER_LANES_LIMIT * WORD_BYTES];
    uint32_t count = WORD_BYTES * f->lanes;
    for (uint32_t i = 0; i < count; i++) {
        picks[i] = geo_emit_const_i32(f, i % WORD_BYTES * f->lanes + i / WORD_BYTES);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, geo_lanes_concat(f, parts[0], parts[1]),
                                  geo_lanes_concat(f, parts[2], parts[3]),
                                  LLVMConstVector(picks, count), "");
}

/* Returns one slot of words of B, each of four bytes of one column. */
static LLVMValueRef column_words(struct product *p, const LLVMValueRef *bytes, uint32_t slot)
{
    uint32_t from[GEO_LOWER_LANES_LIMIT], words = p->k / WORD_BYTES * p->n;
    LLVMValueRef parts[WORD_BYTES];
    for (uint32_t i = 0; i < WORD_BYTES; i++) {
        for (uint32_t lane = 0; lane < p->f->lanes; lane++) {
            uint32_t word = slot * p->f->lanes + lane;
            word = word < words ? word : 0;
            from[lane] = (word / p->n * WORD_BYTES + i) * p->n + word % p->n;
        }
        parts[i] = elements_pick(p, bytes, from);
    }
    return interleave(p->f, parts);
}

/* Returns the slots of words of a matrix of bytes. */
static LLVMValueRef *words_make(struct product *p, struct geo_ir_value *matrix, bool columns)
{
    struct geo_lower_function *f = p->f;
    uint32_t count = (uint32_t)matrix->type->count;
    LLVMValueRef *bytes = geo_arena_new_array(f->arena, LLVMValueRef, count);
    LLVMValueRef *words = geo_arena_new_array(f->arena, LLVMValueRef, count);
    for (uint32_t i = 0; bytes && i < count; i++) {
        bytes[i] = geo_value_vector(f, matrix, i);
    }
    for (uint32_t i = 0; bytes && words && i * WORD_BYTES < count; i++) {
        LLVMValueRef joined = columns ? column_words(p, bytes, i) : row_words(p, bytes, count, i);
        words[i] =
            LLVMBuildBitCast(f->llvm.builder, joined, geo_type_vector(f, geo_type_i32(f)), "words");
    }
    return bytes ? words : NULL;
}

/* ---- multiplying ---- */

/* Adds the product of one unit of A and one of B in each lane to a sum, which may be NULL for
 * integers. */
static LLVMValueRef multiply_add(const struct product *p, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef sum)
{
    if (p->step == 1) {
        return geo_group_element_multiply_add(p->f, a, b, sum);
    }
    /* All rows of A share the sum of B's bytes (lower/arch.h). */
    bool swaps = p->a_signed == p->b_signed;
    LLVMValueRef dot =
        geo_instruction_word_dot(p->f, swaps ? b : a, swaps ? a : b, 8, p->a_signed, p->b_signed);
    return sum ? LLVMBuildAdd(p->f->llvm.builder, sum, dot, "") : dot;
}

/* Stores the row and column of each lane's element in a slot. Lanes behind the last element get
 * those of element 0. */
static void lanes_place(const struct product *p, uint32_t slot, uint32_t *rows, uint32_t *columns)
{
    for (uint32_t lane = 0; lane < p->f->lanes; lane++) {
        uint32_t number = slot * p->f->lanes + lane;
        number = number < p->m * p->n ? number : 0;
        rows[lane] = number / p->n;
        columns[lane] = number % p->n;
    }
}

/* Adds one slot of A B to `sum`, which may be NULL for integers. */
static LLVMValueRef slot_multiply(struct product *p, uint32_t slot, LLVMValueRef sum)
{
    uint32_t rows[GEO_LOWER_LANES_LIMIT], columns[GEO_LOWER_LANES_LIMIT];
    uint32_t from_a[GEO_LOWER_LANES_LIMIT], from_b[GEO_LOWER_LANES_LIMIT];
    lanes_place(p, slot, rows, columns);
    uint32_t units = p->k / p->step;
    for (uint32_t k = 0; k < units; k++) {
        for (uint32_t lane = 0; lane < p->f->lanes; lane++) {
            from_a[lane] = rows[lane] * units + k;
            from_b[lane] = k * p->n + columns[lane];
        }
        sum = multiply_add(p, elements_pick(p, p->a, from_a), elements_pick(p, p->b, from_b), sum);
    }
    return sum;
}

static LLVMValueRef saturating_add(struct product *p, LLVMValueRef sum, LLVMValueRef c)
{
    LLVMValueRef operands[2] = {sum, c};
    return geo_emit_intrinsic(
        p->f, p->literals & GEO_MATRIX_RESULT_SIGNED ? "llvm.sadd.sat" : "llvm.uadd.sat", operands,
        2);
}

static bool product_init(struct product *p, struct geo_lower_function *f,
                         const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *a = inst->operands[0]->type, *b = inst->operands[1]->type;
    const struct geo_ir_type *c = inst->operands[2]->type, *to = inst->value.type;
    *p = (struct product){.f = f,
                          .inst = inst,
                          .literals = inst->literal_count ? inst->literals[0] : 0,
                          .m = to->matrix.rows,
                          .n = to->matrix.columns,
                          .k = a->matrix.columns,
                          .slots = (uint32_t)to->count,
                          .step = 1};
    enum geo_element kind_a =
        kind_of(p, a, GEO_MATRIX_A_SIGNED, GEO_MATRIX_AB_BFLOAT, GEO_MATRIX_AB_TF32);
    enum geo_element kind_b =
        kind_of(p, b, GEO_MATRIX_B_SIGNED, GEO_MATRIX_AB_BFLOAT, GEO_MATRIX_AB_TF32);
    p->real = kind_a > GEO_ELEMENT_UNSIGNED;
    p->bits = to->element->width;
    if (p->real) {
        bool wide = a->element->width == 64 || b->element->width == 64 || c->element->width == 64 ||
                    to->element->width == 64;
        p->bits = wide ? 64 : 32;
    }
    if (!geo_budget_spend((uint64_t)p->slots * p->k * MULTIPLICATION_COST)) {
        return false;
    }
    p->a_signed = kind_a == GEO_ELEMENT_SIGNED;
    p->b_signed = kind_b == GEO_ELEMENT_SIGNED;
    if (is_byte(a) && is_byte(b) && p->bits == 32 && p->k % WORD_BYTES == 0 &&
        f->lanes >= WORD_BYTES) {
        p->step = WORD_BYTES;
        p->a = words_make(p, inst->operands[0], false);
        p->b = words_make(p, inst->operands[1], true);
    } else {
        p->a = slots_widen(p, inst->operands[0], kind_a);
        p->b = slots_widen(p, inst->operands[1], kind_b);
    }
    return p->a && p->b;
}

bool geo_group_matrix_product(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct product p;
    if (!product_init(&p, f, inst)) {
        geo_state_no_memory(f);
        return false;
    }
    struct geo_ir_value *c = inst->operands[2];
    enum geo_element kind_c = kind_of(&p, c->type, GEO_MATRIX_C_SIGNED, GEO_MATRIX_C_BFLOAT, 0);
    enum geo_element kind =
        kind_of(&p, inst->value.type, GEO_MATRIX_RESULT_SIGNED, GEO_MATRIX_RESULT_BFLOAT, 0);
    bool saturating = !p.real && p.literals & GEO_MATRIX_SATURATING;
    for (uint32_t slot = 0; slot < p.slots; slot++) {
        LLVMValueRef start = widen(&p, geo_value_vector(f, c, slot), kind_c);
        LLVMValueRef sum = slot_multiply(&p, slot, saturating ? NULL : start);
        sum = saturating ? saturating_add(&p, sum, start) : sum;
        sum = geo_group_element_narrow(f, inst, sum, kind, inst->value.type->element->width);
        geo_value_set_wide(f, inst, slot, sum);
    }
    return true;
}
