/* Registers of each target as bits and as bytes. See registers.h. */
#include "native/registers.h"

#include "native/native.h"

#include <stdbool.h>
#include <stddef.h>

enum { GENERAL, VECTOR, CLASS_END = 3 };

#define BITS(first, count) (((UINT64_C(1) << (count)) - 1) << (first))

static const struct geo_native_register_class x86_64[CLASS_END + 1] = {
    {"RAX RCX RDX RBX RSP RBP RSI RDI R8 R9 R10 R11 R12 R13 R14 R15", 0, 16, 0, 8},
    {"ZMM", 16, 32, 128, 64},
    {"K", 48, 8, 2176, 8},
};
static const struct geo_native_register_class aarch64[CLASS_END + 1] = {
    {"X", 0, 31, 0, 8},
    {"Q", 31, 32, 256, 16},
};

/* The conventions of the System V ABI and of Arm's procedure call standard. */
#define X86_64_GENERAL  (BITS(0, 3) | BITS(6, 6))         /* rax rcx rdx rsi rdi r8-r11 */
#define X86_64_LOW      BITS(16, 16)                      /* xmm0-15 */
#define X86_64_AVX512   (BITS(32, 16) | BITS(48, 8))      /* zmm16-31 k0-7 */
#define AARCH64_GENERAL BITS(0, 16)                       /* x16 and x17 are the loader's */
#define AARCH64_VECTOR  (BITS(31, 8) | BITS(31 + 16, 16)) /* v0-7 v16-31 */

const struct geo_native_register_class *geo_native_registers_classes(uint32_t target)
{
    return target == GEO_TARGET_X86_64 ? x86_64 : target == GEO_TARGET_AARCH64 ? aarch64 : NULL;
}

uint64_t geo_native_registers_scratch(uint32_t target, uint32_t features)
{
    if (target == GEO_TARGET_X86_64) {
        return X86_64_GENERAL | X86_64_LOW | (features & GEO_FEATURE_AVX512 ? X86_64_AVX512 : 0);
    }
    return target == GEO_TARGET_AARCH64 ? AARCH64_GENERAL | AARCH64_VECTOR : 0;
}

/* Registers that no instruction and no convention for arguments names. */
uint64_t geo_native_registers_spared(uint32_t target, uint32_t features)
{
    if (target == GEO_TARGET_X86_64) { /* r10 r11; zmm30 zmm31 k7, or xmm14 xmm15 */
        return BITS(10, 2) |
               (features & GEO_FEATURE_AVX512 ? BITS(46, 2) | BITS(55, 1) : BITS(30, 2));
    }
    return target == GEO_TARGET_AARCH64 ? BITS(14, 2) | BITS(61, 2) : 0; /* x14 x15 v30 v31 */
}

/* Returns the bytes of each register that code with these features treats as one. */
static uint32_t kind_bytes(uint32_t target, uint32_t features,
                           const struct geo_native_register_class *kind)
{
    if (target != GEO_TARGET_X86_64 || kind != &x86_64[VECTOR]) {
        return kind->bytes;
    }
    return features & GEO_FEATURE_AVX512 ? 64 : features & GEO_FEATURE_AVX2 ? 32 : 16;
}

uint32_t
geo_native_registers_list(uint32_t target, uint32_t features, uint64_t set,
                          zet_profile_register_sequence_t out[GEO_NATIVE_REGISTERS_SEQUENCES])
{
    uint32_t count = 0;
    const struct geo_native_register_class *kind = geo_native_registers_classes(target);
    for (; kind && kind->count; kind++) {
        uint32_t bytes = kind_bytes(target, features, kind);
        for (uint32_t i = 0; i < kind->count; i++) {
            uint32_t start = kind->start + i * kind->bytes;
            if (!(set >> (kind->first + i) & 1)) {
                continue;
            }
            if (count && out[count - 1].start + out[count - 1].count == start) {
                out[count - 1].count += bytes;
            } else if (count < GEO_NATIVE_REGISTERS_SEQUENCES) {
                out[count++] = (zet_profile_register_sequence_t){.start = start, .count = bytes};
            }
        }
    }
    return count;
}
