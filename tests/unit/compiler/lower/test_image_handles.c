/* Images that kernels know by handles of 64 bits (SPV_INTEL_bindless_images), and images that
 * differ from item to item, at every width against what the formulas give. */
#include "image_reference.h"
#include "program.h"

#include "compiler/ir/grammar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS 48u

/* Stand-ins to what they stand for: see image_handles.spvasm. */
static void numbers_change(uint32_t *words, size_t count)
{
    for (size_t at = 5; at < count && words[at] >> 16; at += words[at] >> 16) {
        uint32_t op = words[at] & 0xFFFF, length = words[at] & 0xFFFF0000u;
        if (op == SpvOpConvertUToImageNV) {
            words[at] = length | GEO_SPV_CONVERT_HANDLE_TO_IMAGE_INTEL;
        } else if (op == SpvOpConvertUToSamplerNV) {
            words[at] = length | GEO_SPV_CONVERT_HANDLE_TO_SAMPLER_INTEL;
        } else if (op == SpvOpConvertUToSampledImageNV) {
            words[at] = length | GEO_SPV_CONVERT_HANDLE_TO_SAMPLED_IMAGE_INTEL;
        } else if (op == SpvOpCapability && words[at + 1] == SpvCapabilityBindlessTextureNV) {
            words[at + 1] = 6528; /* BindlessImagesINTEL */
        }
    }
}

#define IMAGES 3u
#define LINEAR (GEO_SAMPLER_CLAMP | GEO_SAMPLER_LINEAR)

struct set {
    struct image *images[IMAGES];
    uint64_t handles[ITEMS];
    _Alignas(PROGRAM_ALIGN) float places[ITEMS][4];
    _Alignas(PROGRAM_ALIGN) float colours[ITEMS][4];
};

static struct set set;

/* The module's kernels at each width; at one lane without optimisation. */
static const uint32_t widths[] = {1, 8, 16};
static struct program *programs[3];

static void programs_build(void)
{
    for (int w = 0; w < 3; w++) {
        const struct program_options options = {.lanes = widths[w], .optimize = widths[w] > 1};
        struct geo_ir_module *module = program_model_changed("image_handles", numbers_change);
        programs[w] = program_build_model(module, &options);
        geo_ir_module_destroy(module);
    }
}

static int set_create(void **state)
{
    const ze_image_format_t formats[IMAGES] = {
        {.layout = ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8,
         .type = ZE_IMAGE_FORMAT_TYPE_UNORM,
         .y = ZE_IMAGE_FORMAT_SWIZZLE_G,
         .z = ZE_IMAGE_FORMAT_SWIZZLE_B,
         .w = ZE_IMAGE_FORMAT_SWIZZLE_A},
        {.layout = ZE_IMAGE_FORMAT_LAYOUT_16,
         .type = ZE_IMAGE_FORMAT_TYPE_SNORM,
         .y = ZE_IMAGE_FORMAT_SWIZZLE_0,
         .z = ZE_IMAGE_FORMAT_SWIZZLE_0,
         .w = ZE_IMAGE_FORMAT_SWIZZLE_1},
        {.layout = ZE_IMAGE_FORMAT_LAYOUT_16_16,
         .type = ZE_IMAGE_FORMAT_TYPE_UNORM,
         .y = ZE_IMAGE_FORMAT_SWIZZLE_G,
         .z = ZE_IMAGE_FORMAT_SWIZZLE_0,
         .w = ZE_IMAGE_FORMAT_SWIZZLE_1},
    };
    (void)state;
    for (uint32_t i = 0; i < IMAGES; i++) {
        const uint32_t size[4] = {9 + 2 * i, 11 - 3 * i, 1, 1};
        set.images[i] = image_create(ZE_IMAGE_TYPE_2D, &formats[i], false, size, i);
        set.images[i]->surface.sampler = i == 1 ? GEO_SAMPLER_CLAMP : LINEAR;
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        set.handles[i] = (uint64_t)(uintptr_t)&set.images[i * 7 / 4 % IMAGES]->surface;
        set.places[i][0] = (float)(i * 37 % 96) / 8.0f - 0.3f;
        set.places[i][1] = (float)(i * 23 % 80) / 8.0f - 0.3f;
    }
    programs_build();
    return 0;
}

static int set_destroy(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < IMAGES; i++) {
        image_destroy(set.images[i]);
    }
    for (int w = 0; w < 3; w++) {
        program_destroy(programs[w]);
    }
    return 0;
}

static const struct image *image_of(uint32_t item)
{
    uint32_t i = 0;
    while ((uint64_t)(uintptr_t)&set.images[i]->surface != set.handles[item]) {
        i++;
    }
    return set.images[i];
}

static void run(const char *kernel, int width, const struct program_argument *arguments)
{
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    memset(set.colours, 0, sizeof(set.colours));
    program_run(programs[width], kernel, &launch, arguments, 4);
}

static void expect(uint32_t item, const double want[4])
{
    for (int c = 0; c < 4; c++) {
        if (fabs((double)set.colours[item][c] - want[c]) > 1e-5) {
            fail_msg("item %u, component %d is %g, not %g", item, c, (double)set.colours[item][c],
                     want[c]);
        }
    }
}

static void handles_that_differ(void **state)
{
    const uint64_t sampler = LINEAR;
    const struct program_argument arguments[] = {
        PROGRAM_POINTER(set.handles), PROGRAM_VALUE(sampler), PROGRAM_POINTER(set.places),
        PROGRAM_POINTER(set.colours)};
    (void)state;
    for (int w = 0; w < 3; w++) {
        run("handles", w, arguments);
        for (uint32_t i = 0; i < ITEMS; i++) {
            double want[4];
            assert_true(image_sample(image_of(i), LINEAR, set.places[i], want));
            expect(i, want);
        }
    }
}

static void samplers_of_the_images_themselves(void **state)
{
    const uint64_t nothing = 0;
    const struct program_argument arguments[] = {
        PROGRAM_POINTER(set.handles), PROGRAM_VALUE(nothing), PROGRAM_POINTER(set.places),
        PROGRAM_POINTER(set.colours)};
    (void)state;
    for (int w = 0; w < 3; w++) {
        run("sampled", w, arguments);
        for (uint32_t i = 0; i < ITEMS; i++) {
            double want[4];
            if (image_sample(image_of(i), image_of(i)->surface.sampler, set.places[i], want)) {
                expect(i, want);
            }
        }
    }
}

static void one_of_two_images(void **state)
{
    const struct program_argument arguments[] = {
        PROGRAM_POINTER(&set.images[0]->surface), PROGRAM_POINTER(&set.images[1]->surface),
        PROGRAM_POINTER(set.places), PROGRAM_POINTER(set.colours)};
    (void)state;
    for (int w = 0; w < 3; w++) {
        run("select", w, arguments);
        for (uint32_t i = 0; i < ITEMS; i++) {
            const int at[3] = {(int)set.places[i][0], (int)set.places[i][1], 0};
            double want[4];
            image_pixel(set.images[i % 2], at, want);
            expect(i, want);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_that_differ),
        cmocka_unit_test(samplers_of_the_images_themselves),
        cmocka_unit_test(one_of_two_images),
    };
    return cmocka_run_group_tests(tests, set_create, set_destroy);
}
