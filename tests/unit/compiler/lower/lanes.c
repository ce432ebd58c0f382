/* See lanes.h. Floats are joined in double and rounded once: tests use values whose sums and
 * products are exact in float. */
#include "lanes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct lanes_type types[] = {
    {"char", 1, LANES_SIGNED}, {"uchar", 1, LANES_UNSIGNED},  {"short", 2, LANES_SIGNED},
    {"int", 4, LANES_SIGNED},  {"ushort", 2, LANES_UNSIGNED}, {"uint", 4, LANES_UNSIGNED},
    {"long", 8, LANES_SIGNED}, {"ulong", 8, LANES_UNSIGNED},  {"half", 2, LANES_FLOAT},
    {"float", 4, LANES_FLOAT}, {"double", 8, LANES_FLOAT},
};

const struct lanes_type *lanes_type_find(const char *name)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(types[i].name, name) == 0) {
            return &types[i];
        }
    }
    fail_msg("no type %s", name);
    return NULL;
}

/* ---- half, for numbers that are exact in it, infinite or beyond its range ---- */

static double from_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double digits = (bits & 1023) / 1024.0;
    double value = exponent == 31 ? INFINITY
                   : exponent     ? ldexp(1 + digits, exponent - 15)
                                  : ldexp(digits, -14);
    return bits & 0x8000 ? -value : value;
}

static uint16_t to_half(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent;
    double digits = frexp(fabs(value), &exponent); /* 0.5 <= digits < 1 */
    if (value == 0) {
        return sign;
    }
    if (isinf(value) || exponent > 16) {
        return sign | 0x7C00;
    }
    double whole = (digits * 2 - 1) * 1024;
    assert_true(whole == floor(whole) && exponent > -14);
    return sign | (uint16_t)((exponent + 14) << 10) | (uint16_t)whole;
}

/* ---- memory ---- */

union lanes_value lanes_load(const struct lanes_type *type, const void *array, size_t index)
{
    union lanes_value value = {0};
    memcpy(&value.bits, (const char *)array + index * type->bytes, type->bytes);
    if (type->kind == LANES_SIGNED) {
        uint32_t shift = 64 - 8 * type->bytes;
        value.integer = (int64_t)(value.bits << shift) >> shift;
    } else if (type->kind == LANES_FLOAT && type->bytes == 2) {
        value.real = from_half((uint16_t)value.bits);
    } else if (type->kind == LANES_FLOAT && type->bytes == 4) {
        float single;
        memcpy(&single, &value.bits, 4);
        value.real = (double)single;
    }
    return value;
}

void lanes_store(const struct lanes_type *type, void *array, size_t index, union lanes_value value)
{
    if (type->kind == LANES_FLOAT && type->bytes == 2) {
        value.bits = to_half(value.real);
    } else if (type->kind == LANES_FLOAT && type->bytes == 4) {
        float single = (float)value.real;
        memcpy(&value.bits, &single, 4);
    }
    memcpy((char *)array + index * type->bytes, &value.bits, type->bytes);
}

/* ---- joins ---- */

union lanes_value lanes_identity(const struct lanes_type *type, enum lanes_join join)
{
    union lanes_value value = {0};
    bool is_float = type->kind == LANES_FLOAT;
    uint32_t width = 8 * type->bytes;
    uint64_t all = UINT64_MAX >> (64 - width);
    uint64_t sign = UINT64_C(1) << (width - 1);
    switch (join) {
    case LANES_MUL:
        if (is_float) {
            value.real = 1;
        } else {
            value.bits = 1;
        }
        break;
    case LANES_MIN:
        if (is_float) {
            value.real = INFINITY;
        } else {
            value.bits = type->kind == LANES_SIGNED ? sign - 1 : all;
        }
        break;
    case LANES_MAX:
        if (is_float) {
            value.real = -INFINITY;
        } else {
            value.bits = type->kind == LANES_SIGNED ? ~(sign - 1) : 0;
        }
        break;
    case LANES_AND:
        value.bits = all;
        break;
    default:
        if (is_float) {
            value.real = -0.0;
        }
    }
    return value;
}

union lanes_value lanes_before_first(const struct lanes_type *type, enum lanes_join join)
{
    return join == LANES_ADD ? (union lanes_value){0} : lanes_identity(type, join);
}

static union lanes_value join_floats(union lanes_value a, union lanes_value b, enum lanes_join join)
{
    union lanes_value value = {.real = join == LANES_ADD   ? a.real + b.real
                                       : join == LANES_MUL ? a.real * b.real
                                       : join == LANES_MIN ? fmin(a.real, b.real)
                                                           : fmax(a.real, b.real)};
    return value;
}

static union lanes_value join_integers(const struct lanes_type *type, union lanes_value a,
                                       union lanes_value b, enum lanes_join join)
{
    union lanes_value value = {0}, result = {0};
    bool less = type->kind == LANES_SIGNED ? a.integer < b.integer : a.bits < b.bits;
    switch (join) {
    case LANES_ADD:
        value.bits = a.bits + b.bits;
        break;
    case LANES_MUL:
        value.bits = a.bits * b.bits;
        break;
    case LANES_MIN:
        value = less ? a : b;
        break;
    case LANES_MAX:
        value = less ? b : a;
        break;
    case LANES_AND:
        value.bits = a.bits & b.bits;
        break;
    case LANES_OR:
        value.bits = a.bits | b.bits;
        break;
    default:
        value.bits = a.bits ^ b.bits;
    }
    memcpy(&result, &value, type->bytes); /* little endian: the low part */
    return lanes_load(type, &result, 0);
}

union lanes_value lanes_join(const struct lanes_type *type, union lanes_value a,
                             union lanes_value b, enum lanes_join join)
{
    return type->kind == LANES_FLOAT ? join_floats(a, b, join) : join_integers(type, a, b, join);
}

union lanes_value lanes_reduce(const struct lanes_type *type, const union lanes_value *values,
                               uint32_t on, uint32_t lane, enum lanes_join join,
                               enum lanes_operation operation, uint32_t cluster)
{
    union lanes_value value =
        operation == LANES_EXCLUSIVE ? lanes_before_first(type, join) : lanes_identity(type, join);
    uint32_t size = operation == LANES_CLUSTERED ? cluster : 32;
    uint32_t first = lane / size * size;
    uint32_t end = operation == LANES_INCLUSIVE   ? lane + 1
                   : operation == LANES_EXCLUSIVE ? lane
                                                  : first + size;
    for (uint32_t k = first; k < end; k++) {
        if (on >> k & 1) {
            value = lanes_join(type, value, values[k], join);
        }
    }
    return value;
}
