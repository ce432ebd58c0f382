/* Draws the Mandelbrot set as a PNG, with a loop whose trip count differs from pixel to pixel. The
 * iteration counts must equal those of C. Usage: mandelbrot [FILE.png [WIDTH HEIGHT]] */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "host.h"

enum { LIMIT = 256, GROUP_X = 64, GROUP_Y = 2 };

/* Computes the colour of a pixel: black inside the set, a smooth ramp outside. */
static void colour(uint32_t iterations, png_byte *rgb)
{
    double t = iterations >= LIMIT ? 0.0 : sqrt((double)iterations / LIMIT);
    rgb[0] = (png_byte)(255.0 * pow(t, 1.5));
    rgb[1] = (png_byte)(255.0 * t * t * (3.0 - 2.0 * t));
    rgb[2] = (png_byte)(255.0 * pow(t, 0.6));
}

static int write_png(const char *path, const uint32_t *iterations, uint32_t width, uint32_t height)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGB};
    png_byte *pixels = malloc((size_t)width * height * 3);
    if (!pixels) {
        return 0;
    }
    for (size_t i = 0; i < (size_t)width * height; i++) {
        colour(iterations[i], pixels + 3 * i);
    }
    int good = png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
    if (!good) {
        fprintf(stderr, "mandelbrot: %s: %s\n", path, image.message);
    }
    free(pixels);
    return good;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "mandelbrot.png";
    uint32_t width = argc > 3 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1024;
    uint32_t height = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) : 768;
    struct example example;
    example_open(&example, "mandelbrot");
    if (width == 0 || height == 0 || width > 16384 || height > 16384) {
        fprintf(stderr, "mandelbrot: a picture has 1 to 16384 pixels a side\n");
        return 2;
    }

    size_t pixels = (size_t)width * height;
    uint32_t *iterations = example_alloc(&example, pixels * sizeof(uint32_t));
    uint32_t *expected = malloc(pixels * sizeof(uint32_t));
    if (!expected) {
        fprintf(stderr, "mandelbrot: no memory for %zu pixels\n", pixels);
        return 1;
    }
    memset(iterations, 0xff, pixels * sizeof(uint32_t));
    float step = 3.0f / (float)width, left = -2.2f, top = -0.5f * step * (float)height;
    uint32_t limit = LIMIT;

    ze_module_handle_t module = example_module(&example, "mandelbrot.spv");
    ze_kernel_handle_t kernel = example_kernel(&example, module, "mandelbrot");
    CHECK(&example, zeKernelSetGroupSize(kernel, GROUP_X, GROUP_Y, 1));
    example_arg(&example, kernel, 0, sizeof(iterations), &iterations);
    example_arg(&example, kernel, 1, sizeof(width), &width);
    example_arg(&example, kernel, 2, sizeof(height), &height);
    example_arg(&example, kernel, 3, sizeof(left), &left);
    example_arg(&example, kernel, 4, sizeof(top), &top);
    example_arg(&example, kernel, 5, sizeof(step), &step);
    example_arg(&example, kernel, 6, sizeof(limit), &limit);
    double device_ms = example_best(&example, kernel, (width + GROUP_X - 1) / GROUP_X,
                                    (height + GROUP_Y - 1) / GROUP_Y, 3);

    double start = example_now_ms();
    host_mandelbrot(expected, width, height, left, top, step, limit);
    double host_ms = example_now_ms() - start;
    size_t wrong = 0;
    for (size_t i = 0; i < pixels; i++) {
        wrong += iterations[i] != expected[i];
    }

    char what[64];
    snprintf(what, sizeof(what), "%u x %u, up to %u iterations", width, height, limit);
    example_report(&example, what, device_ms, host_ms);
    int written = write_png(path, iterations, width, height);
    printf("%-11s %zu of %zu pixels differ from C; the picture is in %s\n", "", wrong, pixels,
           written ? path : "(not written)");

    CHECK(&example, zeKernelDestroy(kernel));
    CHECK(&example, zeModuleDestroy(module));
    free(expected);
    example_free(&example, iterations);
    example_close(&example);
    return wrong || !written;
}
