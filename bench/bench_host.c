/* Runs the benchmarked kernels and built-in functions as loops in plain C, from bench/host/. The
 * arguments are those of every peer (peer.h). "bench_host compiler" prints the C compiler and its
 * options. */
#include <stdio.h>
#include <string.h>

#include "host/host.h"

#define COMPILER "clang " __clang_version__ " " GEOID_HOST_FLAGS

int main(int argc, char **argv)
{
    const struct bench_loops families[] = {
        bench_host_dense, bench_host_groups,   bench_host_sort,     bench_host_numbers,
        bench_host_bytes, bench_host_networks, bench_host_keys,     bench_host_graphs,
        bench_host_grids, bench_host_hashes,   bench_host_pictures, bench_host_solvers,
        bench_host_rays,  bench_host_strings,  bench_host_samples};
    if (argc == 2 && strcmp(argv[1], "compiler") == 0) {
        puts(COMPILER);
        return 0;
    }
    return bench_loops_main(families, sizeof(families) / sizeof(families[0]), argc, argv);
}
