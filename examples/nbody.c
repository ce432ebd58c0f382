/* Makes an n-body step with local memory, barriers in a loop, and float4. Compares it with C within
 * a rounding bound, because division and square root of a device may differ in the last place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "host.h"

enum { TILE = 128 };

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 4096;
    const float dt = 0.01f, softening = 1e-3f;
    struct example example;
    example_open(&example, "nbody");
    if (count == 0 || count % TILE) {
        fprintf(stderr, "nbody: the number of bodies is a multiple of %d\n", TILE);
        return 2;
    }

    struct body *from = example_alloc(&example, count * sizeof(*from));
    struct body *to = example_alloc(&example, count * sizeof(*to));
    float *velocity = example_alloc(&example, (size_t)count * 3 * sizeof(float));
    struct body *expected = calloc(count, sizeof(*expected));
    float *host_velocity = calloc((size_t)count * 3, sizeof(float));
    if (!expected || !host_velocity) {
        fprintf(stderr, "nbody: no memory for %u bodies\n", count);
        return 1;
    }
    uint32_t seed = 3;
    for (uint32_t i = 0; i < count; i++) {
        from[i] = (struct body){example_random(&seed) - 0.5f, example_random(&seed) - 0.5f,
                                example_random(&seed) - 0.5f, example_random(&seed) / (float)count};
    }

    ze_module_handle_t module = example_module(&example, "nbody.spv");
    ze_kernel_handle_t kernel = example_kernel(&example, module, "nbody_step");
    CHECK(&example, zeKernelSetGroupSize(kernel, TILE, 1, 1));
    example_arg(&example, kernel, 0, sizeof(from), &from);
    example_arg(&example, kernel, 1, sizeof(to), &to);
    example_arg(&example, kernel, 2, sizeof(velocity), &velocity);
    example_arg(&example, kernel, 3, sizeof(count), &count);
    example_arg(&example, kernel, 4, sizeof(dt), &dt);
    example_arg(&example, kernel, 5, sizeof(softening), &softening);

    double device_ms = INFINITY, host_ms = INFINITY;
    for (int i = 0; i < 3; i++) { /* the same first step every time */
        memset(velocity, 0, (size_t)count * 3 * sizeof(float));
        device_ms = fmin(device_ms, example_launch(&example, kernel, count / TILE, 1));
        memset(host_velocity, 0, (size_t)count * 3 * sizeof(float));
        double start = example_now_ms();
        host_nbody(from, expected, host_velocity, count, dt, softening);
        host_ms = fmin(host_ms, example_now_ms() - start);
    }

    double error = 0.0, scale = 0.0;
    for (size_t i = 0; i < (size_t)count * 3; i++) {
        double difference = fabs((double)velocity[i] - (double)host_velocity[i]);
        error = difference > error || isnan(difference) ? difference : error;
        scale = fmax(scale, fabs((double)host_velocity[i]));
    }
    for (uint32_t i = 0; i < count; i++) {
        double difference = fabs((double)to[i].x - (double)expected[i].x) +
                            fabs((double)to[i].mass - (double)expected[i].mass);
        error = difference > error || isnan(difference) ? difference : error;
    }
    int good = error <= 1e-4 * scale;

    char what[64];
    snprintf(what, sizeof(what), "%u bodies, one step", count);
    example_report(&example, what, device_ms, host_ms);
    printf("%-11s largest difference from C %.1e of %.1e: %s\n", "", error, scale,
           good ? "within bounds" : "WRONG");

    CHECK(&example, zeKernelDestroy(kernel));
    CHECK(&example, zeModuleDestroy(module));
    free(expected);
    free(host_velocity);
    example_free(&example, from);
    example_free(&example, to);
    example_free(&example, velocity);
    example_close(&example);
    return good ? 0 : 1;
}
