/* The loops of host.h. They are plain on purpose: the code that a C programmer writes first, which
 * the compiler vectorises. */
#include "host.h"

#include <math.h>
#include <string.h>

void host_saxpy(float a, const float *x, float *y, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        y[i] = fmaf(a, x[i], y[i]);
    }
}

void host_matmul(const float *a, const float *b, float *c, size_t n)
{
    memset(c, 0, n * n * sizeof(*c));
    for (size_t row = 0; row < n; row++) {
        for (size_t k = 0; k < n; k++) {
            float factor = a[row * n + k];
            for (size_t column = 0; column < n; column++) {
                c[row * n + column] = fmaf(factor, b[k * n + column], c[row * n + column]);
            }
        }
    }
}

void host_nbody(const struct body *from, struct body *to, float *velocity, size_t count, float dt,
                float softening)
{
    for (size_t i = 0; i < count; i++) {
        float ax = 0.0f, ay = 0.0f, az = 0.0f;
        for (size_t j = 0; j < count; j++) {
            float dx = from[j].x - from[i].x, dy = from[j].y - from[i].y,
                  dz = from[j].z - from[i].z;
            float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening)));
            float inverse = 1.0f / sqrtf(square);
            float force = from[j].mass * inverse * inverse * inverse;
            ax = fmaf(force, dx, ax);
            ay = fmaf(force, dy, ay);
            az = fmaf(force, dz, az);
        }
        velocity[3 * i] = fmaf(dt, ax, velocity[3 * i]);
        velocity[3 * i + 1] = fmaf(dt, ay, velocity[3 * i + 1]);
        velocity[3 * i + 2] = fmaf(dt, az, velocity[3 * i + 2]);
        to[i].x = fmaf(dt, velocity[3 * i], from[i].x);
        to[i].y = fmaf(dt, velocity[3 * i + 1], from[i].y);
        to[i].z = fmaf(dt, velocity[3 * i + 2], from[i].z);
        to[i].mass = from[i].mass;
    }
}

void host_mandelbrot(uint32_t *iterations, uint32_t width, uint32_t height, float left, float top,
                     float step, uint32_t limit)
{
    for (uint32_t row = 0; row < height; row++) {
        for (uint32_t column = 0; column < width; column++) {
            float cx = fmaf((float)column, step, left), cy = fmaf((float)row, step, top);
            float x = 0.0f, y = 0.0f;
            uint32_t n = 0;
            while (n < limit && fmaf(x, x, y * y) <= 4.0f) {
                float next = fmaf(x, x, fmaf(-y, y, cx));
                y = fmaf(2.0f * x, y, cy);
                x = next;
                n++;
            }
            iterations[(size_t)row * width + column] = n;
        }
    }
}

const char *host_compiler(void)
{
#ifdef __clang__
    return "clang " __clang_version__ " " GEOID_HOST_FLAGS;
#else
    return "gcc " __VERSION__ " " GEOID_HOST_FLAGS;
#endif
}
