/* Lowers the matrix product of SPV_INTEL_subgroup_matrix_multiply_accumulate. Item n is lane n of
 * N = W, and has column n of B, C and the result:
 *
 *     result[m] = C[m] + sum over k of A[m][k] * B[k]
 *
 * So each row of the result needs one element of A in all lanes. The items pass A column by column.
 * If there are fewer items than columns, an item passes K / N columns in each component, the first
 * in the lowest bits. If there are more, N / K items pass a column, each every (N / K)-th row:
 *
 *     N <= K     A[m][k]    lane k / (K / N), component m
 *     N > K      A[m][k]    lane (m % (N / K)) * K + k, component m / (N / K)
 *
 * Sums are computed in the order of k, floats in float or wider, starting from C, and rounded once
 * at the end. */
#include "compiler/lower/cpu/group/multiply.h"

#include "base/assert.h"
#include "compiler/ir/budget.h"
#include "compiler/lower/cpu/group/element.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/value/value.h"

/* cost in LLVM of one multiplication and of moving its operands */
#define MULTIPLICATION_COST 1024u

/* One product. */
struct product {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst;
    struct geo_multiply_matrix result, a, b, c;
    uint32_t m, n, k;
    uint32_t bits; /* width of the type in which sums are computed */
};

/* Returns number `i` of the elements in a component of A or B, in the computation's type. */
static LLVMValueRef element(struct product *p, enum geo_multiply_of of, uint32_t component,
                            uint32_t i)
{
    struct geo_lower_function *f = p->f;
    const struct geo_multiply_matrix *matrix = of == GEO_MULTIPLY_A ? &p->a : &p->b;
    LLVMValueRef value = geo_value_vector(f, p->inst->operands[of], component);
    if (matrix->packed > 1) {
        value = LLVMBuildLShr(f->llvm.builder, value,
                              geo_emit_const_like(value, (uint64_t)matrix->bits * i), "");
        value = geo_emit_zext(f, value, matrix->bits);
    }
    return geo_group_element_widen(f, p->inst, value, matrix->kind, p->bits);
}

/* Returns the columns of A that the items pass: element [component * packed + i]. */
static LLVMValueRef *columns_widen(struct product *p)
{
    uint32_t count = p->a.components * p->a.packed;
    LLVMValueRef *columns = geo_arena_new_array(p->f->arena, LLVMValueRef, count);
    for (uint32_t i = 0; columns && i < count; i++) {
        columns[i] = element(p, GEO_MULTIPLY_A, i / p->a.packed, i % p->a.packed);
    }
    return columns;
}

/* Returns A[row][k] in all lanes. */
static LLVMValueRef element_splat(struct product *p, const LLVMValueRef *columns, uint32_t row,
                                  uint32_t k)
{
    struct geo_lower_function *f = p->f;
    uint32_t shared = p->n > p->k ? p->n / p->k : 1; /* items that pass a column */
    uint32_t lane = p->n > p->k ? row % shared * p->k + k : k / p->a.packed;
    LLVMValueRef column = columns[row / shared * p->a.packed + k % p->a.packed];
    LLVMValueRef lanes[GEO_LOWER_LANES_LIMIT];
    GEO_ASSERT(lane < p->n && p->n == f->lanes);
    for (uint32_t i = 0; i < p->n; i++) {
        lanes[i] = geo_emit_const_i32(f, lane);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, column, column, LLVMConstVector(lanes, p->n),
                                  "");
}

/* Checks that the items pass the whole of A. */
static bool a_fits(const struct product *p)
{
    if (p->n <= p->k) {
        return p->a.packed * p->n == p->k && p->a.components == p->m;
    }
    uint32_t shared = p->n / p->k;
    return p->n % p->k == 0 && p->a.packed == 1 && p->a.components == (p->m + shared - 1) / shared;
}

static bool product_init(struct product *p, struct geo_lower_function *f,
                         const struct geo_ir_inst *inst)
{
    uint64_t k = 0;
    *p = (struct product){.f = f, .inst = inst, .n = f->lanes};
    bool good = geo_multiply_describe(inst, GEO_MULTIPLY_RESULT, &p->result) &&
                geo_multiply_describe(inst, GEO_MULTIPLY_A, &p->a) &&
                geo_multiply_describe(inst, GEO_MULTIPLY_B, &p->b) &&
                geo_multiply_describe(inst, GEO_MULTIPLY_C, &p->c) &&
                geo_ir_constant_bits(inst->operands[0], &k);
    GEO_ASSERT(good && k); /* validate/rules_multiply.c */
    (void)good;
    p->m = p->result.components;
    p->k = (uint32_t)k;
    p->bits = p->result.bits;
    if (geo_multiply_is_real(p->result.kind)) {
        bool wide = p->a.bits == 64 || p->b.bits == 64 || p->c.bits == 64 || p->result.bits == 64;
        p->bits = wide ? 64 : 32;
    }
    if (!a_fits(p)) {
        geo_state_error(f, inst,
                        "matrix A has %u components of %u elements in each item, which is not a "
                        "matrix of %u rows and %u columns in sub-groups of %u items",
                        p->a.components, p->a.packed, p->m, p->k, p->n);
        return false;
    }
    return true;
}

bool geo_group_multiply(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct product p;
    if (!product_init(&p, f, inst)) {
        return false;
    }
    LLVMValueRef *columns =
        geo_budget_spend((uint64_t)p.m * p.k * MULTIPLICATION_COST) ? columns_widen(&p) : NULL;
    if (!columns) {
        geo_state_no_memory(f);
        return false;
    }
    LLVMValueRef *rows = geo_arena_new_array(f->arena, LLVMValueRef, p.k); /* of B */
    for (uint32_t k = 0; rows && k < p.k; k++) {
        rows[k] = element(&p, GEO_MULTIPLY_B, k / p.b.packed, k % p.b.packed);
    }
    for (uint32_t m = 0; rows && m < p.m; m++) {
        LLVMValueRef sum = geo_value_vector(f, inst->operands[GEO_MULTIPLY_C], m);
        sum = geo_group_element_widen(f, inst, sum, p.c.kind, p.bits);
        for (uint32_t k = 0; k < p.k; k++) {
            sum = geo_group_element_multiply_add(f, element_splat(&p, columns, m, k), rows[k], sum);
        }
        sum = geo_group_element_narrow(f, inst, sum, p.result.kind, p.result.bits);
        geo_value_set_wide(f, inst, m, sum);
    }
    if (!rows) {
        geo_state_no_memory(f);
    }
    return rows != NULL;
}
