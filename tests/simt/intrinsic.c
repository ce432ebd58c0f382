/* The intrinsics that kernels may call: scalar functions, special registers, barriers, shuffles and
 * votes. A name that is not in these tables is an error. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- functions of scalars ---- */

enum function_kind {
    FMA,
    FABS,
    FLOOR,
    CEIL,
    TRUNC,
    RINT,
    ROUND,
    COPYSIGN,
    SQRT,
    FMIN,
    FMAX,
    SMIN,
    SMAX,
    UMIN,
    UMAX,
    ABS,
    CTLZ,
    CTTZ,
    CTPOP,
    BSWAP,
    BITREVERSE,
    FSHL,
    FSHR,
    UADD_SAT,
    USUB_SAT,
    SADD_SAT,
    SSUB_SAT,
    TO_SIGNED,
    TO_UNSIGNED,
    EXPECT,
    NOTHING,
    MEMORY_COPY,
    MEMORY_SET,
    FENCE,
};

struct intrinsic {
    const char *name; /* without the types at its end */
    enum function_kind kind;
    uint32_t operands;
    bool exact; /* the name is complete */
};

/* A longer name stands before one that is its beginning. */
static const struct intrinsic intrinsics[] = {
    {"llvm.fma.", FMA, 3, false},
    {"llvm.fabs.", FABS, 1, false},
    {"llvm.floor.", FLOOR, 1, false},
    {"llvm.ceil.", CEIL, 1, false},
    {"llvm.trunc.", TRUNC, 1, false},
    {"llvm.rint.", RINT, 1, false},
    {"llvm.nearbyint.", RINT, 1, false},
    {"llvm.roundeven.", RINT, 1, false},
    {"llvm.round.", ROUND, 1, false},
    {"llvm.copysign.", COPYSIGN, 2, false},
    {"llvm.sqrt.", SQRT, 1, false},
    {"llvm.minnum.", FMIN, 2, false},
    {"llvm.maxnum.", FMAX, 2, false},
    {"llvm.smin.", SMIN, 2, false},
    {"llvm.smax.", SMAX, 2, false},
    {"llvm.umin.", UMIN, 2, false},
    {"llvm.umax.", UMAX, 2, false},
    {"llvm.abs.", ABS, 1, false},
    {"llvm.ctlz.", CTLZ, 1, false},
    {"llvm.cttz.", CTTZ, 1, false},
    {"llvm.ctpop.", CTPOP, 1, false},
    {"llvm.bswap.", BSWAP, 1, false},
    {"llvm.bitreverse.", BITREVERSE, 1, false},
    {"llvm.fshl.", FSHL, 3, false},
    {"llvm.fshr.", FSHR, 3, false},
    {"llvm.uadd.sat.", UADD_SAT, 2, false},
    {"llvm.usub.sat.", USUB_SAT, 2, false},
    {"llvm.sadd.sat.", SADD_SAT, 2, false},
    {"llvm.ssub.sat.", SSUB_SAT, 2, false},
    {"llvm.fptosi.sat.", TO_SIGNED, 1, false},
    {"llvm.fptoui.sat.", TO_UNSIGNED, 1, false},
    {"llvm.expect.", EXPECT, 1, false},
    {"llvm.assume", NOTHING, 0, true},
    {"llvm.lifetime.start.", NOTHING, 0, false},
    {"llvm.lifetime.end.", NOTHING, 0, false},
    {"llvm.nvvm.membar.cta", NOTHING, 0, true},
    {"llvm.nvvm.membar.gl", NOTHING, 0, true},
    {"llvm.nvvm.membar.sys", NOTHING, 0, true},
    {"llvm.memcpy.", MEMORY_COPY, 3, false},
    {"llvm.memmove.", MEMORY_COPY, 3, false},
    {"llvm.memset.", MEMORY_SET, 3, false},
};

static uint64_t float_function(const struct intrinsic *intrinsic, uint32_t bits, const uint64_t *a)
{
    double x = float_value(a[0], bits), y = 0.0;
    uint64_t sign = UINT64_C(1) << (bits - 1);
    if (intrinsic->operands > 1) {
        y = float_value(a[1], bits);
    }
    switch (intrinsic->kind) {
    case FMA:
        return bits == 32
                   ? float_word((double)fmaf((float)x, (float)y, (float)float_value(a[2], 32)), 32)
                   : float_word(fma(x, y, float_value(a[2], bits)), bits);
    case FABS:
        return a[0] & ~sign;
    case COPYSIGN:
        return (a[0] & ~sign) | (a[1] & sign);
    case FLOOR:
        return float_word(floor(x), bits);
    case CEIL:
        return float_word(ceil(x), bits);
    case TRUNC:
        return float_word(trunc(x), bits);
    case RINT:
        return float_word(nearbyint(x), bits);
    case ROUND:
        return float_word(round(x), bits);
    case SQRT:
        return bits == 32 ? float_word((double)sqrtf((float)x), 32) : float_word(sqrt(x), bits);
    case FMIN:
        return float_word(fmin(x, y), bits);
    default:
        return float_word(fmax(x, y), bits);
    }
}

static uint64_t saturated(enum function_kind kind, uint32_t bits, uint64_t x, uint64_t y)
{
    __int128 a = bits_signed(x, bits), b = bits_signed(y, bits);
    __int128 most = (__int128)bits_mask(bits - 1), sum = kind == SADD_SAT ? a + b : a - b;
    switch (kind) {
    case UADD_SAT:
        return (wide)x + y > bits_mask(bits) ? bits_mask(bits) : x + y;
    case USUB_SAT:
        return x < y ? 0 : x - y;
    default:
        return (uint64_t)(sum > most ? most : sum < -most - 1 ? -most - 1 : sum) & bits_mask(bits);
    }
}

static uint64_t reversed(uint64_t x, uint32_t bits, uint32_t unit)
{
    uint64_t result = 0;
    for (uint32_t at = 0; at < bits; at += unit) {
        result |= (x >> at & bits_mask(unit)) << (bits - unit - at);
    }
    return result;
}

/* A funnel shift of the double-width word high:low. */
static uint64_t funnel(bool left, uint32_t bits, const uint64_t *a)
{
    uint32_t by = (uint32_t)(a[2] % bits);
    wide both = (wide)a[0] << bits | a[1];
    return (uint64_t)(left ? both << by >> bits : both >> by) & bits_mask(bits);
}

const char *scalar_intrinsic(const struct intrinsic *intrinsic, const struct instruction *inst,
                             const uint64_t *a, uint64_t *result)
{
    uint32_t bits = inst->bits;
    int64_t s = bits_signed(a[0], bits);
    if (inst->is_float) {
        *result = float_function(intrinsic, bits, a);
        return NULL;
    }
    if (bits > 64) {
        return "an intrinsic of more than 64 bits";
    }
    switch (intrinsic->kind) {
    case SMIN:
        *result = s < bits_signed(a[1], bits) ? a[0] : a[1];
        break;
    case SMAX:
        *result = s > bits_signed(a[1], bits) ? a[0] : a[1];
        break;
    case UMIN:
        *result = a[0] < a[1] ? a[0] : a[1];
        break;
    case UMAX:
        *result = a[0] > a[1] ? a[0] : a[1];
        break;
    case ABS:
        *result = (s < 0 ? 0 - a[0] : a[0]) & bits_mask(bits);
        break;
    case CTLZ:
        *result = a[0] ? (uint64_t)__builtin_clzll(a[0]) - (64 - bits) : bits;
        break;
    case CTTZ:
        *result = a[0] ? (uint64_t)__builtin_ctzll(a[0]) : bits;
        break;
    case CTPOP:
        *result = (uint64_t)__builtin_popcountll(a[0]);
        break;
    case BSWAP:
    case BITREVERSE:
        *result = reversed(a[0], bits, intrinsic->kind == BSWAP ? 8 : 1);
        break;
    case FSHL:
    case FSHR:
        *result = funnel(intrinsic->kind == FSHL, bits, a);
        break;
    case TO_SIGNED:
    case TO_UNSIGNED:
        *result = scalar_saturated(a[0], inst->from_bits, bits, intrinsic->kind == TO_SIGNED);
        break;
    case EXPECT:
        *result = a[0];
        break;
    default:
        *result = saturated(intrinsic->kind, bits, a[0], a[1]);
    }
    return NULL;
}

/* ---- the others, by complete name ---- */

struct other {
    const char *name;
    uint32_t op, detail, operands;
    bool aligned;
};

#define REGISTERS(name, first)                                                                     \
    {"llvm.nvvm.read.ptx.sreg." name ".x", OP_SPECIAL, first, 0, false},                           \
        {"llvm.nvvm.read.ptx.sreg." name ".y", OP_SPECIAL, (first) + 1, 0, false},                 \
    {                                                                                              \
        "llvm.nvvm.read.ptx.sreg." name ".z", OP_SPECIAL, (first) + 2, 0, false                    \
    }

static const struct other others[] = {
    REGISTERS("tid", SPECIAL_TID),
    REGISTERS("ntid", SPECIAL_NTID),
    REGISTERS("ctaid", SPECIAL_CTAID),
    REGISTERS("nctaid", SPECIAL_NCTAID),
    {"llvm.nvvm.read.ptx.sreg.laneid", OP_SPECIAL, SPECIAL_LANE, 0, false},
    {"llvm.nvvm.read.ptx.sreg.warpsize", OP_SPECIAL, SPECIAL_SIZE, 0, false},
    {"llvm.nvvm.read.ptx.sreg.clock64", OP_SPECIAL, SPECIAL_CLOCK, 0, false},
    {"llvm.readcyclecounter", OP_SPECIAL, SPECIAL_CLOCK, 0, false},
    {"llvm.nvvm.activemask", OP_SPECIAL, SPECIAL_ACTIVE, 0, false},
    {"llvm.nvvm.barrier0", OP_BARRIER, 0, 0, true},
    {"llvm.nvvm.barrier.cta.sync.aligned.all", OP_BARRIER, 0, 1, true},
    {"llvm.nvvm.barrier.cta.sync.all", OP_BARRIER, 0, 1, false},
    {"llvm.nvvm.isspacep.global", OP_SPACE, WINDOW_GLOBAL, 1, false},
    {"llvm.nvvm.isspacep.shared", OP_SPACE, WINDOW_SHARED, 1, false},
    {"llvm.nvvm.isspacep.local", OP_SPACE, WINDOW_LOCAL, 1, false},
    {"llvm.nvvm.bar.warp.sync", OP_SHUFFLE, SHUFFLE_SYNC, 1, false},
    {"llvm.nvvm.shfl.sync.idx.i32", OP_SHUFFLE, SHUFFLE_IDX, 4, false},
    {"llvm.nvvm.shfl.sync.idx.f32", OP_SHUFFLE, SHUFFLE_IDX, 4, false},
    {"llvm.nvvm.shfl.sync.up.i32", OP_SHUFFLE, SHUFFLE_UP, 4, false},
    {"llvm.nvvm.shfl.sync.up.f32", OP_SHUFFLE, SHUFFLE_UP, 4, false},
    {"llvm.nvvm.shfl.sync.down.i32", OP_SHUFFLE, SHUFFLE_DOWN, 4, false},
    {"llvm.nvvm.shfl.sync.down.f32", OP_SHUFFLE, SHUFFLE_DOWN, 4, false},
    {"llvm.nvvm.shfl.sync.bfly.i32", OP_SHUFFLE, SHUFFLE_BFLY, 4, false},
    {"llvm.nvvm.shfl.sync.bfly.f32", OP_SHUFFLE, SHUFFLE_BFLY, 4, false},
    {"llvm.nvvm.vote.all.sync", OP_VOTE, VOTE_ALL, 2, false},
    {"llvm.nvvm.vote.any.sync", OP_VOTE, VOTE_ANY, 2, false},
    {"llvm.nvvm.vote.uni.sync", OP_VOTE, VOTE_EQUAL, 2, false},
    {"llvm.nvvm.vote.ballot.sync", OP_VOTE, VOTE_BALLOT, 2, false},
};

static bool other_decode(const char *name, struct instruction *inst)
{
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(name, others[i].name) == 0 && inst->operand_count >= others[i].operands) {
            inst->op = others[i].op;
            inst->detail = others[i].detail;
            inst->aligned = others[i].aligned;
            inst->operand_count = others[i].operands;
            return true;
        }
    }
    return false;
}

bool simt_intrinsic_decode(struct simt *simt, const char *name, struct instruction *inst)
{
    if (other_decode(name, inst)) {
        return true;
    }
    for (size_t i = 0; i < sizeof(intrinsics) / sizeof(intrinsics[0]); i++) {
        const struct intrinsic *row = &intrinsics[i];
        if (strncmp(name, row->name, strlen(row->name)) != 0 ||
            (row->exact && strcmp(name, row->name) != 0) || inst->operand_count < row->operands) {
            continue;
        }
        inst->op = row->kind == NOTHING       ? (uint32_t)OP_MOVE
                   : row->kind == MEMORY_COPY ? (uint32_t)OP_COPY
                   : row->kind == MEMORY_SET  ? (uint32_t)OP_SET
                                              : (uint32_t)OP_INTRINSIC;
        inst->intrinsic = row;
        inst->operand_count = row->operands;
        inst->is_float = inst->is_float && row->kind != TO_SIGNED && row->kind != TO_UNSIGNED;
        return true;
    }
    return simt_fail(simt, "the intrinsic %s is not known", name);
}
