/* A program for gdb to debug: it builds a module and runs its kernels `stencil` and `sums`, each on
 * 32 items in two groups.
 *
 *     host MODULE [BUILD FLAGS] */
#include "host.h"

#include <stdio.h>

#define ITEMS 32u

static ze_kernel_handle_t kernel_prepare(ze_module_handle_t module, const char *name,
                                         const void *in, const void *out)
{
    ze_kernel_handle_t kernel = host_kernel(module, name);
    host_pointer_set(kernel, 0, in);
    host_pointer_set(kernel, 1, out);
    return kernel;
}

static void stencil_run(const struct host *host, ze_module_handle_t module, const float *in,
                        float *out)
{
    int radius = 2;
    float scale = 10.0f;
    ze_kernel_handle_t kernel = kernel_prepare(module, "stencil", in, out);
    HOST_CHECK(zeKernelSetArgumentValue(kernel, 2, sizeof(radius), &radius));
    HOST_CHECK(zeKernelSetArgumentValue(kernel, 3, sizeof(scale), &scale));
    host_run(host, kernel, ITEMS, ITEMS / 2);
}

int main(int argc, char **argv)
{
    struct host host;
    if (argc < 2) {
        fprintf(stderr, "usage: host MODULE [BUILD FLAGS]\n");
        return 2;
    }
    host_open(&host);
    float *in = host_alloc(&host, ITEMS * sizeof(*in)),
          *out = host_alloc(&host, ITEMS * sizeof(*out));
    int *numbers = host_alloc(&host, ITEMS * sizeof(*numbers));
    int *sums = host_alloc(&host, ITEMS * sizeof(*sums));
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = (float)i;
        numbers[i] = (int)i;
    }
    ze_module_handle_t module =
        host_module(&host, ZE_MODULE_FORMAT_IL_SPIRV, argv[1], argc > 2 ? argv[2] : "");
    stencil_run(&host, module, in, out);
    host_run(&host, kernel_prepare(module, "sums", numbers, sums), ITEMS, ITEMS / 2);
    printf("out[5] = %g, sums[5] = %d\n", (double)out[5], sums[5]);
    HOST_CHECK(zeModuleDestroy(module));
    host_close(&host);
    return 0;
}
