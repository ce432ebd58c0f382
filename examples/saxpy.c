/* saxpy: the smallest complete program. Shows memory, a module, arguments, a launch, and a result
 * compared exactly. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "host.h"

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 4000003;
    const float a = 2.5f;
    struct example example;
    example_open(&example, "saxpy");

    ze_module_handle_t module = example_module(&example, "saxpy.spv");
    ze_kernel_handle_t kernel = example_kernel(&example, module, "saxpy");
    uint32_t group = 0, unused_y = 0, unused_z = 0;
    CHECK(&example, zeKernelSuggestGroupSize(kernel, count, 1, 1, &group, &unused_y, &unused_z));
    CHECK(&example, zeKernelSetGroupSize(kernel, group, 1, 1));
    uint32_t groups = (count + group - 1) / group;

    size_t bytes = (size_t)count * sizeof(float);
    float *x = example_alloc(&example, bytes);
    float *y = example_alloc(&example, bytes);
    float *expected = malloc(bytes);
    if (!expected) {
        fprintf(stderr, "saxpy: no memory for %u elements\n", count);
        return 1;
    }
    uint32_t seed = 1;
    for (uint32_t i = 0; i < count; i++) {
        x[i] = example_random(&seed) - 0.5f;
        y[i] = expected[i] = example_random(&seed);
    }
    example_arg(&example, kernel, 0, sizeof(a), &a);
    example_arg(&example, kernel, 1, sizeof(x), &x);
    example_arg(&example, kernel, 2, sizeof(y), &y);
    example_arg(&example, kernel, 3, sizeof(count), &count);

    example_launch(&example, kernel, groups, 1);
    host_saxpy(a, x, expected, count);
    size_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        wrong += y[i] != expected[i];
    }

    double device_ms = example_best(&example, kernel, groups, 1, 10), host_ms = INFINITY;
    for (int i = 0; i < 10; i++) {
        double start = example_now_ms();
        host_saxpy(a, x, expected, count);
        host_ms = fmin(host_ms, example_now_ms() - start);
    }
    char what[64];
    snprintf(what, sizeof(what), "%u floats", count);
    example_report(&example, what, device_ms, host_ms);
    printf("%-11s %zu of %u elements differ from C\n", "", wrong, count);

    free(expected);
    example_free(&example, x);
    example_free(&example, y);
    CHECK(&example, zeKernelDestroy(kernel));
    CHECK(&example, zeModuleDestroy(module));
    example_close(&example);
    return wrong ? 1 : 0;
}
