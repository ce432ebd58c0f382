/* The hardest kernels, written by hand with AVX-512: they show what a compiler could reach. They
 * are left out on processors without AVX-512 (bench_hand.c). */
#ifndef GEOID_BENCH_HAND_H
#define GEOID_BENCH_HAND_H

#include "../loops.h"

extern const struct bench_loops bench_hand_dense, bench_hand_groups, bench_hand_memory,
    bench_hand_sparse;

#define AVX512                                                                                     \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,fma,bmi2")))
#define AVX512_INLINE static inline __attribute__((always_inline)) AVX512

#define FLOATS(index) ((float *)call->memory[index])
#define WORDS(index)  ((uint32_t *)call->memory[index])
#define BYTES(index)  ((uint8_t *)call->memory[index])

#define LOOPS(name, array)                                                                         \
    const struct bench_loops name = {array, sizeof(array) / sizeof((array)[0])}

#endif
