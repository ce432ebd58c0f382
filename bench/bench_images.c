/* Measures kernels on images beside the same work on plain buffers (images.cl), on the first
 * device. Prints a line for each: "image NAME MILLISECONDS MILLISECONDS", images first. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "table.h"

enum { WIDTH = 512, HEIGHT = 512, WEIGHTS = 25, GROUP = 64 };

static const float scale = 0.75f; /* pixels of the source per pixel of the result */

struct format {
    const char *name;
    ze_image_format_t format;
    size_t pixel_bytes;
};

#define SWIZZLE(x, y, z, w)                                                                        \
    ZE_IMAGE_FORMAT_SWIZZLE_##x, ZE_IMAGE_FORMAT_SWIZZLE_##y, ZE_IMAGE_FORMAT_SWIZZLE_##z,         \
        ZE_IMAGE_FORMAT_SWIZZLE_##w

static const struct format formats[] = {
    {"rgba8", {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM, SWIZZLE(R, G, B, A)}, 4},
    {"r32f", {ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT, SWIZZLE(R, 0, 0, 1)}, 4},
};

/* The images and buffers of a format, with the same pixels. */
struct work {
    struct example *ze;
    ze_module_handle_t module;
    const struct format *format;
    ze_image_handle_t from, to;
    void *from_pixels, *to_pixels;
    float *weights;
};

static ze_image_handle_t image_create(const struct work *work)
{
    const ze_image_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
                                  .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
                                  .type = ZE_IMAGE_TYPE_2D,
                                  .format = work->format->format,
                                  .width = WIDTH,
                                  .height = HEIGHT,
                                  .depth = 1};
    ze_image_handle_t image;
    CHECK(work->ze, zeImageCreate(work->ze->context, work->ze->device, &desc, &image));
    return image;
}

static void work_begin(struct work *work)
{
    const struct bench_arg pixels = {.fill = FILL_UNIT,
                                     .bytes = WIDTH * HEIGHT * work->format->pixel_bytes};
    work->from = image_create(work);
    work->to = image_create(work);
    work->from_pixels = example_alloc(work->ze, pixels.bytes);
    work->to_pixels = example_alloc(work->ze, pixels.bytes);
    work->weights = example_alloc(work->ze, WEIGHTS * sizeof(float));
    bench_fill(&pixels, work->from_pixels);
    for (int i = 0; i < WEIGHTS; i++) {
        work->weights[i] = (float)(i + 1) / 325.0f;
    }
    CHECK(work->ze, zeCommandListAppendImageCopyFromMemory(work->ze->list, work->from,
                                                           work->from_pixels, NULL, NULL, 0, NULL));
}

static void work_end(struct work *work)
{
    CHECK(work->ze, zeImageDestroy(work->from));
    CHECK(work->ze, zeImageDestroy(work->to));
    example_free(work->ze, work->from_pixels);
    example_free(work->ze, work->to_pixels);
    example_free(work->ze, work->weights);
}

/* Runs a kernel and returns its milliseconds. The kernels for images and for buffers have the same
 * first arguments: from, to, weights or scale. */
static double run(const struct work *work, const char *what, bool images)
{
    static const int extents[] = {WIDTH, HEIGHT, WIDTH};
    char name[32];
    bool resize = strcmp(what, "resize") == 0;
    snprintf(name, sizeof(name), "%s_%s_%s", what, images ? "image" : "buffer", work->format->name);
    ze_kernel_handle_t kernel = example_kernel(work->ze, work->module, name);
    const void *from = images ? (const void *)&work->from : (const void *)&work->from_pixels;
    const void *to = images ? (const void *)&work->to : (const void *)&work->to_pixels;
    const void *third = resize ? (const void *)&scale : (const void *)&work->weights;
    CHECK(work->ze, zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    example_arg(work->ze, kernel, 0, sizeof(void *), from);
    example_arg(work->ze, kernel, 1, sizeof(void *), to);
    example_arg(work->ze, kernel, 2, resize ? sizeof(scale) : sizeof(void *), third);
    for (uint32_t i = 0; !images && i < 2u + resize; i++) {
        example_arg(work->ze, kernel, 3 + i, sizeof(int), &extents[i]);
    }
    double ms = example_best(work->ze, kernel, WIDTH / GROUP, HEIGHT, BENCH_REPEATS);
    CHECK(work->ze, zeKernelDestroy(kernel));
    return ms;
}

int main(void)
{
    static const char *const kinds[] = {"convolve", "resize"};
    struct example ze;
    example_open(&ze, "bench");
    ze_module_handle_t module = example_module(&ze, "images.spv");
    for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
        struct work work = {.ze = &ze, .module = module, .format = &formats[f]};
        work_begin(&work);
        for (int k = 0; k < 2; k++) {
            double image = run(&work, kinds[k], true);
            double buffer = run(&work, kinds[k], false);
            printf("image %s_%s %.4f %.4f\n", kinds[k], formats[f].name, image, buffer);
        }
        work_end(&work);
    }
    CHECK(&ze, zeModuleDestroy(module));
    example_close(&ze);
    return 0;
}
