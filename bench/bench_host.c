/* The same loops in plain C on one core, where there are some: prints "kernel NAME MILLISECONDS".
 */
#include <stdio.h>
#include <stdlib.h>

#include "host.h"
#include "table.h"

static float *floats(size_t count)
{
    struct bench_arg arg = {count * sizeof(float), FILL_UNIT, 0};
    float *memory = malloc(arg.bytes);
    if (!memory) {
        exit(1);
    }
    bench_fill(&arg, memory);
    return memory;
}

#define MEASURE(name, loop)                                                                        \
    do {                                                                                           \
        double best = 1e30;                                                                        \
        for (int i = 0; i < BENCH_REPEATS; i++) {                                                  \
            double start = bench_now_ms();                                                         \
            loop;                                                                                  \
            double ms = bench_now_ms() - start;                                                    \
            best = ms < best ? ms : best;                                                          \
        }                                                                                          \
        printf("kernel %s %.4f\n", name, best);                                                    \
    } while (0)

int main(void)
{
    const size_t count = 4 << 20, n = 512, bodies = 4096;
    float *x = floats(count), *y = floats(count), *z = floats(n * n);
    uint32_t *pixels = calloc(n * n, sizeof(*pixels));
    struct body *from = (struct body *)(void *)floats(4 * bodies),
                *to = calloc(bodies, sizeof(*to));
    float *velocity = calloc(bodies * 3, sizeof(*velocity));
    if (!pixels || !to || !velocity) {
        return 1;
    }
    printf("compiler %s\n", host_compiler());
    MEASURE("saxpy", host_saxpy(2.5f, x, y, count));
    MEASURE("sgemm_naive", host_matmul(x, y, z, n));
    MEASURE("sgemm_tiled", host_matmul(x, y, z, n));
    MEASURE("nbody", host_nbody(from, to, velocity, bodies, 0.01f, 1e-3f));
    MEASURE("mandelbrot",
            host_mandelbrot(pixels, (uint32_t)n, (uint32_t)n, -2.2f, -1.5f, 3.0f / 512.0f, 256));
    free(x);
    free(y);
    free(z);
    free(pixels);
    free(from);
    free(to);
    free(velocity);
    return 0;
}
