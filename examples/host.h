/* The kernels as loops in plain C for one core. The examples compare their results and times with
 * them. host.c is compiled for this machine (-O3 -march=native) and without contraction. Where a
 * kernel calls fma, the loop calls fmaf. */
#ifndef GEOID_EXAMPLES_HOST_H
#define GEOID_EXAMPLES_HOST_H

#include <stddef.h>
#include <stdint.h>

struct body {
    float x, y, z, mass;
};

void host_saxpy(float a, const float *x, float *y, size_t count);

/* Computes c = a b for square, row-major matrices. Sums run over k in ascending order. */
void host_matmul(const float *a, const float *b, float *c, size_t n);

/* Makes one leapfrog step of all-pairs gravity. */
void host_nbody(const struct body *from, struct body *to, float *velocity, size_t count, float dt,
                float softening);

/* Counts the iterations until escape for every pixel of the view; `limit` inside the set. */
void host_mandelbrot(uint32_t *iterations, uint32_t width, uint32_t height, float left, float top,
                     float step, uint32_t limit);

/* Returns the compiler and options of host.c, e.g. "gcc 12.2.0 -O3 -march=native". */
const char *host_compiler(void);

#endif
