/* Multiplies matrices, directly and by tiles in local memory with barriers. Compares both with C
 * element by element. They agree exactly, because the sums run in the same order with fused
 * multiply-adds on both sides. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "host.h"

enum { TILE = 16 };

struct matrices {
    float *a, *b, *c; /* shared memory */
    float *expected;
    uint32_t n;
};

/* Runs one variant and returns the number of wrong elements. */
static size_t run(struct example *example, ze_module_handle_t module, const char *name,
                  struct matrices *m, double host_ms)
{
    size_t total = (size_t)m->n * m->n, wrong = 0;
    ze_kernel_handle_t kernel = example_kernel(example, module, name);
    CHECK(example, zeKernelSetGroupSize(kernel, TILE, TILE, 1));
    example_arg(example, kernel, 0, sizeof(m->a), &m->a);
    example_arg(example, kernel, 1, sizeof(m->b), &m->b);
    example_arg(example, kernel, 2, sizeof(m->c), &m->c);
    example_arg(example, kernel, 3, sizeof(m->n), &m->n);
    for (size_t i = 0; i < total; i++) {
        m->c[i] = NAN;
    }
    double ms = example_best(example, kernel, m->n / TILE, m->n / TILE, 3);
    for (size_t i = 0; i < total; i++) {
        wrong += !(m->c[i] == m->expected[i]);
    }
    char what[64];
    snprintf(what, sizeof(what), "%s %u x %u", name, m->n, m->n);
    example_report(example, what, ms, host_ms);
    printf("%-11s %zu of %zu elements differ from C\n", "", wrong, total);
    CHECK(example, zeKernelDestroy(kernel));
    return wrong;
}

int main(int argc, char **argv)
{
    struct matrices m = {.n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 512};
    struct example example;
    example_open(&example, "matmul");
    if (m.n == 0 || m.n % TILE || m.n > 8192) {
        fprintf(stderr, "matmul: the size is a multiple of %d, at most 8192\n", TILE);
        return 2;
    }
    size_t total = (size_t)m.n * m.n;
    m.a = example_alloc(&example, total * sizeof(float));
    m.b = example_alloc(&example, total * sizeof(float));
    m.c = example_alloc(&example, total * sizeof(float));
    m.expected = malloc(total * sizeof(float));
    if (!m.expected) {
        fprintf(stderr, "matmul: no memory for %zu elements\n", total);
        return 1;
    }
    uint32_t seed = 7;
    for (size_t i = 0; i < total; i++) {
        m.a[i] = example_random(&seed) - 0.5f;
        m.b[i] = example_random(&seed) - 0.5f;
    }
    double host_ms = INFINITY;
    for (int i = 0; i < 3; i++) {
        double start = example_now_ms();
        host_matmul(m.a, m.b, m.expected, m.n);
        host_ms = fmin(host_ms, example_now_ms() - start);
    }

    ze_module_handle_t module = example_module(&example, "matmul.spv");
    size_t wrong = run(&example, module, "matmul_naive", &m, host_ms);
    wrong += run(&example, module, "matmul_tiled", &m, host_ms);

    CHECK(&example, zeModuleDestroy(module));
    free(m.expected);
    example_free(&example, m.a);
    example_free(&example, m.b);
    example_free(&example, m.c);
    example_close(&example);
    return wrong ? 1 : 0;
}
