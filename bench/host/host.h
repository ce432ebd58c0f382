/* The kernels in plain C, with `#pragma omp simd` on loops whose iterations are independent: the
 * code of a C programmer who leaves vectorising to the compiler. The compiler's flags are in
 * ../CMakeLists.txt. */
#ifndef GEOID_BENCH_HOST_H
#define GEOID_BENCH_HOST_H

#include "../loops.h"

extern const struct bench_loops bench_host_dense, bench_host_groups, bench_host_sort,
    bench_host_numbers, bench_host_bytes, bench_host_networks, bench_host_keys, bench_host_graphs,
    bench_host_grids, bench_host_hashes, bench_host_pictures, bench_host_solvers, bench_host_rays,
    bench_host_strings, bench_host_samples;

extern const uint32_t bench_sha_constants[64]; /* of SHA-256 */

#define FLOATS(index) ((float *)call->memory[index])
#define WORDS(index)  ((uint32_t *)call->memory[index])
#define BYTES(index)  ((uint8_t *)call->memory[index])

/* The value of an argument of type float. */
static inline float float_of(const struct bench_call *call, size_t index)
{
    union {
        uint32_t bits;
        float value;
    } pun = {call->value[index]};
    return pun.value;
}

#define LOOPS(name, array)                                                                         \
    const struct bench_loops name = {array, sizeof(array) / sizeof((array)[0])}

#endif
