/* Numbers of the kinds that matrices consist of. See numbers.h. */
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* fraction: bits of it; 0: an integer. */
static const struct {
    uint8_t bytes, fraction;
    bool is_signed;
} kinds[] = {
    [NUMBER_I8] = {1, 0, true},         [NUMBER_U8] = {1, 0, false},
    [NUMBER_I16] = {2, 0, true},        [NUMBER_I32] = {4, 0, true},
    [NUMBER_U32] = {4, 0, false},       [NUMBER_I64] = {8, 0, true},
    [NUMBER_HALF] = {2, 10, true},      [NUMBER_BFLOAT] = {2, 7, true},
    [NUMBER_BFLOAT_INT] = {2, 7, true}, [NUMBER_TF32] = {4, 10, true},
    [NUMBER_FLOAT] = {4, 23, true},     [NUMBER_DOUBLE] = {8, 52, true},
};

uint32_t number_bytes(enum number kind)
{
    return kinds[kind].bytes;
}

bool number_is_real(enum number kind)
{
    return kinds[kind].fraction != 0;
}

double number_epsilon(enum number kind)
{
    return ldexp(1.0, -kinds[kind].fraction - 1);
}

uint32_t number_type(struct words *w, enum number kind)
{
    switch (kind) {
    case NUMBER_BFLOAT:
        return words_type(w, SpvOpTypeFloat, 2, (const uint32_t[]){16, 0});
    case NUMBER_BFLOAT_INT:
        return words_int(w, 16);
    default:
        return number_is_real(kind) ? words_float(w, 8 * number_bytes(kind))
                                    : words_int(w, 8 * number_bytes(kind));
    }
}

/* ---- values ---- */

static uint64_t bits_of(enum number kind, const void *array, size_t index)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + index * kinds[kind].bytes, kinds[kind].bytes);
    return bits;
}

int64_t number_integer(enum number kind, const void *array, size_t index)
{
    uint64_t bits = bits_of(kind, array, index);
    uint32_t unused = 64 - 8 * kinds[kind].bytes;
    return kinds[kind].is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

double number_real(enum number kind, const void *array, size_t index)
{
    uint64_t bits = bits_of(kind, array, index);
    uint32_t width = 8 * kinds[kind].bytes;
    uint32_t stored = kind == NUMBER_TF32 ? 23 : kinds[kind].fraction;
    if (kind == NUMBER_TF32) {
        bits &= ~(uint64_t)0x1fff;
    }
    uint32_t exponent_bits = width - 1 - stored;
    int bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = (int)(bits >> stored & ((1u << exponent_bits) - 1));
    double fraction = ldexp((double)(bits & ((UINT64_C(1) << stored) - 1)), -(int)stored);
    double size = exponent == 2 * bias + 1 ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                  : exponent == 0          ? ldexp(fraction, 1 - bias)
                                           : ldexp(1 + fraction, exponent - bias);
    return bits >> (width - 1) ? -size : size;
}

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

void number_fill(enum number kind, void *array, size_t count, uint64_t seed)
{
    uint64_t state = seed * 2 + 0x9E3779B97F4A7C15u;
    uint32_t width = 8 * kinds[kind].bytes;
    uint32_t stored = kind == NUMBER_TF32 ? 23 : kinds[kind].fraction;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = random_next(&state);
        if (number_is_real(kind)) {
            uint32_t exponent_bits = width - 1 - stored;
            uint64_t bias = (UINT64_C(1) << (exponent_bits - 1)) - 1;
            uint64_t sign = bits >> 63, order = bias - 3 + (bits >> 60 & 7) % 6;
            bits &= (UINT64_C(1) << stored) - 1;
            bits |= order << stored | sign << (width - 1);
        }
        memcpy((char *)array + i * kinds[kind].bytes, &bits, kinds[kind].bytes);
    }
}

/* ---- memory ---- */

struct guarded guarded_create(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (bytes + page - 1) / page * page;
    struct guarded memory = {.bytes = bytes, .mapped = room + page};
    memory.mapping =
        mmap(NULL, memory.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory.mapping != MAP_FAILED);
    assert_int_equal(mprotect((char *)memory.mapping + room, page, PROT_NONE), 0);
    memory.data = (char *)memory.mapping + room - bytes;
    return memory;
}

void guarded_destroy(struct guarded *memory)
{
    munmap(memory->mapping, memory->mapped);
}
