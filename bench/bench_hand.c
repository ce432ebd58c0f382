/* Runs the hand-written rows of hand/ as a peer (peer.h). Has no rows if the processor lacks
 * AVX-512. */
#include "hand/hand.h"

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("bmi2");
}

int main(int argc, char **argv)
{
    const struct bench_loops families[] = {bench_hand_dense, bench_hand_groups, bench_hand_memory,
                                           bench_hand_sparse};
    size_t count = has_avx512() ? sizeof(families) / sizeof(families[0]) : 0;
    return bench_loops_main(families, count, argc, argv);
}
