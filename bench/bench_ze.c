/* Measures kernels, built-in maths or the empty launch through Level Zero. Prints the lines that
 * table.h describes. Usage: bench_ze [launch|maths] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "table.h"

static double run(struct example *ze, ze_module_handle_t module, const struct bench_kernel *bench)
{
    void *buffers[6] = {NULL};
    ze_kernel_handle_t kernel = example_kernel(ze, module, bench->name);
    CHECK(ze, zeKernelSetGroupSize(kernel, bench->local[0], bench->local[1], 1));
    for (uint32_t i = 0; i < bench->arg_count; i++) {
        const struct bench_arg *arg = &bench->args[i];
        if (arg->bytes == 0) {
            example_arg(ze, kernel, i, sizeof(arg->value), &arg->value);
            continue;
        }
        buffers[i] = example_alloc(ze, arg->bytes);
        bench_fill(arg, buffers[i]);
        example_arg(ze, kernel, i, sizeof(buffers[i]), &buffers[i]);
    }
    double ms = example_best(ze, kernel, bench->groups[0], bench->groups[1], BENCH_REPEATS);
    for (size_t i = 0; i < bench->arg_count; i++) {
        if (buffers[i]) {
            example_free(ze, buffers[i]);
        }
    }
    CHECK(ze, zeKernelDestroy(kernel));
    return ms;
}

static void run_empty(struct example *ze, ze_module_handle_t module)
{
    ze_kernel_handle_t kernel = example_kernel(ze, module, "empty");
    CHECK(ze, zeKernelSetGroupSize(kernel, 1, 1, 1));
    double *samples = calloc(BENCH_LAUNCHES, sizeof(*samples));
    if (!samples) {
        exit(1);
    }
    for (int i = 0; i < BENCH_LAUNCHES_WARM; i++) {
        example_launch(ze, kernel, 1, 1);
    }
    for (int i = 0; i < BENCH_LAUNCHES; i++) {
        samples[i] = example_launch(ze, kernel, 1, 1);
    }
    bench_print_launch(samples, BENCH_LAUNCHES);
    free(samples);
    CHECK(ze, zeKernelDestroy(kernel));
}

int main(int argc, char **argv)
{
    struct example ze;
    int only_launch = argc > 1 && strcmp(argv[1], "launch") == 0,
        only_maths = argc > 1 && strcmp(argv[1], "maths") == 0;
    const struct bench_table *table = only_maths ? &bench_maths : &bench_kernels;
    example_open(&ze, "bench");
    double start = bench_now_ms();
    ze_module_handle_t module = example_module(&ze, only_maths ? "maths.spv" : "kernels.spv");
    printf("build %.3f\n", bench_now_ms() - start);
    if (only_launch) {
        run_empty(&ze, module);
    }
    for (size_t i = 0; !only_launch && i < table->count; i++) {
        printf("kernel %s %.4f\n", table->kernels[i].name, run(&ze, module, &table->kernels[i]));
    }
    CHECK(&ze, zeModuleDestroy(module));
    example_close(&ze);
    return 0;
}
