/* Images and samplers at every width against what the formulas give: every type of image, format
 * and sampler; whole kernels as clang-22 writes them. */
#include "image_reference.h"
#include "program.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define ITEMS       96u /* of one launch: groups of 48, whole chunks and parts of one */

/* As clang-22 optimises, at each width; at one lane as it does not, too. */
static struct {
    const char *file;
    uint32_t lanes;
    bool optimize;
    struct program *program;
} programs[] = {
    {"image_O2", 1, true, NULL},
    {"image_O2", 8, true, NULL},
    {"image_O2", 16, true, NULL},
    {"image_O0", 1, false, NULL},
};

static int programs_build(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(programs); i++) {
        const struct program_options options = {.lanes = programs[i].lanes,
                                                .optimize = programs[i].optimize};
        programs[i].program = program_build(programs[i].file, &options);
    }
    return 0;
}

static int programs_destroy(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(programs); i++) {
        program_destroy(programs[i].program);
    }
    return 0;
}

#define IMAGE(image) PROGRAM_POINTER(&(image)->surface)

static void run(size_t program, const char *kernel, const struct program_argument *arguments,
                uint32_t count)
{
    const struct program_launch launch = {.groups = {ITEMS / 48, 1, 1}, .local = {48, 1, 1}};
    program_run(programs[program].program, kernel, &launch, arguments, count);
}

/* ---- formats ---- */

#define FORMAT(layout_, type_, x_, y_, z_, w_)                                                     \
    {                                                                                              \
        .layout = ZE_IMAGE_FORMAT_LAYOUT_##layout_,                                                \
        .type = ZE_IMAGE_FORMAT_TYPE_##type_,                                                      \
        .x = ZE_IMAGE_FORMAT_SWIZZLE_##x_,                                                         \
        .y = ZE_IMAGE_FORMAT_SWIZZLE_##y_,                                                         \
        .z = ZE_IMAGE_FORMAT_SWIZZLE_##z_,                                                         \
        .w = ZE_IMAGE_FORMAT_SWIZZLE_##w_,                                                         \
    }
#define FIXED(layout, x, y, z, w)                                                                  \
    FORMAT(layout, UINT, x, y, z, w), FORMAT(layout, SINT, x, y, z, w),                            \
        FORMAT(layout, UNORM, x, y, z, w), FORMAT(layout, SNORM, x, y, z, w)
#define ALL(layout, x, y, z, w) FIXED(layout, x, y, z, w), FORMAT(layout, FLOAT, x, y, z, w)

static const ze_image_format_t formats[] = {
    FIXED(8, R, 0, 0, 1),
    FIXED(8_8, R, G, 0, 1),
    FIXED(8_8_8, R, G, B, 1),
    FIXED(8_8_8_8, R, G, B, A),
    ALL(16, R, 0, 0, 1),
    ALL(16_16, R, G, 0, 1),
    ALL(16_16_16, R, G, B, 1),
    ALL(16_16_16_16, R, G, B, A),
    ALL(32, R, 0, 0, 1),
    ALL(32_32, R, G, 0, 1),
    ALL(32_32_32, R, G, B, 1),
    ALL(32_32_32_32, R, G, B, A),
    FIXED(10_10_10_2, R, G, B, A),
    FORMAT(11_11_10, FLOAT, R, G, B, 1),
    FORMAT(5_6_5, UNORM, R, G, B, 1),
    FORMAT(5_5_5_1, UNORM, R, G, B, A),
    FORMAT(4_4_4_4, UNORM, R, G, B, A),
    FORMAT(8_8_8_8, UNORM, B, G, R, A),
    FORMAT(8_8_8_8, SINT, A, B, G, R),
    FORMAT(16_16_16_16, FLOAT, G, B, A, R),
    FORMAT(32_32_32_32, FLOAT, B, G, R, A),
    FORMAT(32_32_32_32, UINT, A, B, G, R),
    FORMAT(8, UNORM, 0, 0, 0, R),
    FORMAT(16, UNORM, R, R, R, R),
    FORMAT(16, FLOAT, R, R, R, 1),
    FORMAT(8_8, UNORM, R, 0, 0, G),
    FORMAT(8_8_8_8, UNORM, R, G, B, X),
    FORMAT(8, UNORM, R, G, B, A),
};

static bool is_integer(const ze_image_format_t *format)
{
    return format->type == ZE_IMAGE_FORMAT_TYPE_UINT || format->type == ZE_IMAGE_FORMAT_TYPE_SINT;
}

static void assert_colour(const float got[4], const double want[4], double relative, double slack)
{
    for (int i = 0; i < 4; i++) {
        if (isnan(want[i]) && isnan(got[i])) {
            continue;
        }
        if ((double)got[i] != want[i] &&
            !(fabs((double)got[i] - want[i]) <= relative * fabs(want[i]) + slack)) {
            fail_msg("component %d is %.9g, not %.9g", i, (double)got[i], want[i]);
        }
    }
}

#define ULPS 1.8e-7 /* 1.5 of a float */

static const uint32_t flat[4] = {13, 7, 1, 1};

/* In and around an image. */
static void places_fill(int (*places)[4], const struct image *image)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        places[i][0] = (int)(i % (image->width + 3)) - 1;
        places[i][1] = (int)(i / (image->width + 3)) - (image->height > 1);
        places[i][2] = (int)(i % 5) - 1;
        places[i][3] = 0;
    }
}

static void format_read(const struct image *image)
{
    static int places[ITEMS][4], whole[ITEMS][4];
    static float colours[ITEMS][4];
    places_fill(places, image);
    const struct program_argument arguments[] = {
        IMAGE(image), PROGRAM_POINTER(places),
        PROGRAM_POINTER(is_integer(&image->format) ? (void *)whole : (void *)colours)};
    for (size_t p = 0; p < COUNT(programs); p++) {
        run(p, is_integer(&image->format) ? "read_integers" : "read_2d", arguments, 3);
        for (uint32_t i = 0; i < ITEMS; i++) {
            const int at[3] = {places[i][0], places[i][1], 0};
            double want[4];
            image_pixel(image, at, want);
            for (int c = 0; c < 4 && is_integer(&image->format); c++) {
                assert_int_equal((uint32_t)whole[i][c], (uint32_t)(int64_t)want[c]);
            }
            if (!is_integer(&image->format)) {
                assert_colour(colours[i], want, ULPS, 0);
            }
        }
    }
}

/* Every format, read without a sampler: pixels and what is beyond the edges.
 * IMG-2, IMG-4, SPV-36 */
static void formats_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct image *image = image_create(ZE_IMAGE_TYPE_2D, &formats[i], false, flat, i);
        format_read(image);
        image_destroy(image);
    }
    const ze_image_format_t format = FORMAT(8_8_8_8, UNORM, B, G, R, A);
    struct image *image = image_create(ZE_IMAGE_TYPE_2D, &format, true, flat, 77);
    format_read(image);
    image_destroy(image);
}

/* Colours in and beyond the range of any format; not so near to the middle between two numbers of
 * a format that the float's rounding decides. */
static float colour_of(uint32_t i, int c)
{
    static const float special[] = {
        0.0f,   -0.0f,           1.0f,  -1.0f,    2.5f,   -2.5f,    1e30f,
        -1e30f, (float)INFINITY, 1e-6f, 65000.0f, 0.003f, 70000.0f, 0.25f};
    uint32_t k = i * 4 + (uint32_t)c;
    return k % 3 == 0 ? special[k / 3 % COUNT(special)]
                      : (float)((k * 2654435761u >> 8) % 20011) / 16007.0f - 0.1f;
}

static void format_write(struct image *image)
{
    static int places[ITEMS][4], whole[ITEMS][4];
    static float colours[ITEMS][4];
    places_fill(places, image);
    size_t bytes = image_bytes(image);
    uint8_t *before = malloc(bytes), *want = malloc(bytes);
    assert_true(before && want);
    memcpy(before, image->pixels, bytes);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const int at[3] = {places[i][0], places[i][1], 0};
        double colour[4];
        for (int c = 0; c < 4; c++) {
            colours[i][c] = colour_of(i, c);
            uint32_t bits = (i * 4 + (uint32_t)c) * 2654435761u >> (i % 4 * 8);
            memcpy(&whole[i][c], &bits, sizeof(bits));
            colour[c] = !is_integer(&image->format)                       ? (double)colours[i][c]
                        : image->format.type == ZE_IMAGE_FORMAT_TYPE_UINT ? (double)bits
                                                                          : whole[i][c];
        }
        image_put(image, at, colour);
    }
    memcpy(want, image->pixels, bytes);
    const struct program_argument arguments[] = {
        IMAGE(image), PROGRAM_POINTER(places),
        PROGRAM_POINTER(is_integer(&image->format) ? (void *)whole : (void *)colours)};
    for (size_t p = 0; p < COUNT(programs); p++) {
        memcpy(image->pixels, before, bytes);
        run(p, is_integer(&image->format) ? "write_integers" : "write_2d", arguments, 3);
        for (size_t i = 0; i < bytes; i++) {
            if (image->pixels[i] != want[i]) {
                fail_msg("layout %d type %d, width %u: byte %zu is %u, not %u",
                         (int)image->format.layout, (int)image->format.type, programs[p].lanes, i,
                         image->pixels[i], want[i]);
            }
        }
    }
    free(before);
    free(want);
}

/* Every format, with colours beyond its range and places beyond the edges: what is not the image's
 * stays as it was.  SPV-15, SPV-36 */
static void formats_are_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct image *image = image_create(ZE_IMAGE_TYPE_2D, &formats[i], false, flat, i);
        format_write(image);
        image_destroy(image);
    }
    const ze_image_format_t format = FORMAT(8_8_8_8, UNORM, B, G, R, A);
    struct image *image = image_create(ZE_IMAGE_TYPE_2D, &format, true, flat, 78);
    format_write(image);
    image_destroy(image);
}

/* sRGB: every byte is read as the float that is nearest; any colour is written as a byte that is
 * not farther than 0.6 from it. */
static void srgb_follows_its_curve(void **state)
{
    static int places[ITEMS][4];
    static float colours[ITEMS][4];
    const ze_image_format_t format = FORMAT(8_8_8_8, UNORM, R, G, B, A);
    const uint32_t size[4] = {ITEMS, 1, 1, 1};
    struct image *image = image_create(ZE_IMAGE_TYPE_2D, &format, true, size, 1);
    const struct program_argument arguments[] = {IMAGE(image), PROGRAM_POINTER(places),
                                                 PROGRAM_POINTER(colours)};
    (void)state;
    for (uint32_t i = 0; i < ITEMS; i++) {
        places[i][0] = (int)i;
    }
    for (size_t p = 0; p < COUNT(programs); p++) {
        for (uint32_t i = 0; i < 3 * ITEMS; i++) {
            image->pixels[i / 3 * 4 + i % 3] = (uint8_t)i;
        }
        run(p, "read_2d", arguments, 3);
        for (uint32_t i = 0; i < 256; i++) {
            double c = i / 255.0;
            double linear = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
            assert_true(colours[i / 3][i % 3] == (float)linear);
        }
        for (uint32_t i = 0; i < 3 * ITEMS; i++) {
            colours[i / 3][i % 3] = (float)(i * i) / (float)(9 * ITEMS * ITEMS);
        }
        run(p, "write_2d", arguments, 3);
        for (uint32_t i = 0; i < 3 * ITEMS; i++) {
            double linear = (double)colours[i / 3][i % 3];
            double c = linear < 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055;
            assert_true(fabs(c * 255 - image->pixels[i / 3 * 4 + i % 3]) <= 0.6);
        }
    }
    image_destroy(image);
}

/* ---- types ---- */

static const struct {
    ze_image_type_t type;
    const char *name;
    uint32_t size[4];
    int dims;
} types[] = {
    {ZE_IMAGE_TYPE_1D, "1d", {37, 1, 1, 1}, 1},
    {ZE_IMAGE_TYPE_1DARRAY, "1d_array", {19, 1, 1, 5}, 1},
    {ZE_IMAGE_TYPE_2D, "2d", {13, 7, 1, 1}, 2},
    {ZE_IMAGE_TYPE_2DARRAY, "2d_array", {9, 5, 1, 3}, 2},
    {ZE_IMAGE_TYPE_3D, "3d", {7, 5, 3, 1}, 3},
    {ZE_IMAGE_TYPE_BUFFER, "buffer", {50, 1, 1, 1}, 1},
};

static bool is_array(ze_image_type_t type)
{
    return type == ZE_IMAGE_TYPE_1DARRAY || type == ZE_IMAGE_TYPE_2DARRAY;
}

/* Kernels take a layer behind the coordinates, the reference third. */
static void place_of(size_t t, const int place[4], int at[3], bool clamp_layer)
{
    memset(at, 0, 3 * sizeof(*at));
    memcpy(at, place, (size_t)types[t].dims * sizeof(*at));
    if (is_array(types[t].type)) {
        int last = (int)types[t].size[3] - 1;
        at[2] = place[types[t].dims];
        at[2] = clamp_layer ? (at[2] < 0 ? 0 : at[2] > last ? last : at[2]) : at[2];
    }
}

/* Images of each type, read and written without a sampler.  SPV-7, IMG-12 */
static void types_are_read_and_written(void **state)
{
    static int places[ITEMS][4];
    static float colours[ITEMS][4];
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++) {
        const ze_image_format_t format = FORMAT(32_32, FLOAT, R, G, 0, 1);
        struct image *image = image_create(types[t].type, &format, false, types[t].size, t);
        char read[32], write[32];
        snprintf(read, sizeof(read), "read_%s", types[t].name);
        snprintf(write, sizeof(write), "write_%s", types[t].name);
        for (uint32_t i = 0; i < ITEMS; i++) {
            for (uint32_t d = 0; d < 4; d++) {
                uint32_t extent = d < 3 ? types[t].size[d] : 1;
                places[i][d] = (int)((i * (d * 2 + 1) + i / 7) % (extent + 2)) - 1;
            }
            if (is_array(types[t].type)) {
                places[i][types[t].dims] = (int)(i % (types[t].size[3] + 2)) - 1;
            }
        }
        const struct program_argument arguments[] = {IMAGE(image), PROGRAM_POINTER(places),
                                                     PROGRAM_POINTER(colours)};
        for (size_t p = 0; p < COUNT(programs); p++) {
            run(p, read, arguments, 3);
            for (uint32_t i = 0; i < ITEMS; i++) {
                int at[3];
                double want[4];
                place_of(t, places[i], at, true);
                image_pixel(image, at, want);
                assert_colour(colours[i], want, 0, 0);
            }
        }
        for (uint32_t i = 0; i < ITEMS; i++) {
            for (int c = 0; c < 4; c++) { /* equal where places are */
                colours[i][c] = (float)(places[i][0] + 10 * places[i][1] + 100 * places[i][2] + c);
            }
        }
        size_t bytes = image_bytes(image);
        uint8_t *want = malloc(bytes);
        assert_non_null(want);
        uint8_t *kept = malloc(bytes);
        assert_non_null(kept);
        memcpy(kept, image->pixels, bytes);
        for (uint32_t i = 0; i < ITEMS; i++) {
            int at[3];
            place_of(t, places[i], at, false);
            image_put(image, at,
                      (double[4]){(double)colours[i][0], (double)colours[i][1],
                                  (double)colours[i][2], (double)colours[i][3]});
        }
        memcpy(want, image->pixels, bytes);
        for (size_t p = 0; p < COUNT(programs); p++) {
            memcpy(image->pixels, kept, bytes);
            run(p, write, arguments, 3);
            assert_memory_equal(image->pixels, want, bytes);
        }
        free(want);
        free(kept);
        image_destroy(image);
    }
}

/* ---- samplers ---- */

static const uint32_t modes[] = {
    GEO_SAMPLER_CLAMP_TO_EDGE,
    GEO_SAMPLER_CLAMP,
    GEO_SAMPLER_CLAMP_TO_EDGE | GEO_SAMPLER_LINEAR,
    GEO_SAMPLER_CLAMP | GEO_SAMPLER_LINEAR,
    GEO_SAMPLER_CLAMP_TO_EDGE | GEO_SAMPLER_NORMALIZED,
    GEO_SAMPLER_CLAMP | GEO_SAMPLER_NORMALIZED,
    GEO_SAMPLER_REPEAT | GEO_SAMPLER_NORMALIZED,
    GEO_SAMPLER_MIRRORED_REPEAT | GEO_SAMPLER_NORMALIZED,
    GEO_SAMPLER_CLAMP_TO_EDGE | GEO_SAMPLER_NORMALIZED | GEO_SAMPLER_LINEAR,
    GEO_SAMPLER_CLAMP | GEO_SAMPLER_NORMALIZED | GEO_SAMPLER_LINEAR,
    GEO_SAMPLER_REPEAT | GEO_SAMPLER_NORMALIZED | GEO_SAMPLER_LINEAR,
    GEO_SAMPLER_MIRRORED_REPEAT | GEO_SAMPLER_NORMALIZED | GEO_SAMPLER_LINEAR,
};

/* From before the first pixel to behind the last, several times over where the mode repeats. */
static float coordinate_of(uint32_t i, uint32_t d, uint32_t mode, uint32_t extent)
{
    uint32_t step = (i + 1) * (d * 40503u + 2654435761u) >> 12;
    float part = (float)(step % 4096) / 4096.0f;
    return mode & GEO_SAMPLER_NORMALIZED ? part * 5.0f - 2.0f : part * (float)(extent + 4) - 2.0f;
}

static void sampler_check(size_t t, const struct image *image, uint32_t mode)
{
    static float places[ITEMS][4], colours[ITEMS][4], first[ITEMS][4];
    char kernel[32];
    uint64_t sampler = mode;
    snprintf(kernel, sizeof(kernel), "sample_%s", types[t].name);
    for (uint32_t i = 0; i < ITEMS; i++) {
        for (uint32_t d = 0; d < 4; d++) {
            places[i][d] = coordinate_of(i, d, mode, d < 3 ? types[t].size[d] : 1);
        }
        if (is_array(types[t].type)) {
            places[i][types[t].dims] = (float)(i % (types[t].size[3] + 2)) - 0.75f;
        }
    }
    const struct program_argument arguments[] = {IMAGE(image), PROGRAM_VALUE(sampler),
                                                 PROGRAM_POINTER(places), PROGRAM_POINTER(colours)};
    for (size_t p = 0; p < COUNT(programs); p++) {
        run(p, kernel, arguments, 4);
        for (uint32_t i = 0; i < ITEMS; i++) {
            float at[3] = {0, 0, 0};
            double want[4];
            memcpy(at, places[i], (size_t)types[t].dims * sizeof(*at));
            at[2] = is_array(types[t].type) ? places[i][types[t].dims] : at[2];
            if (image_sample(image, mode, at, want)) {
                assert_colour(colours[i], want, 0, 1e-4);
            }
        }
        if (p == 0) {
            memcpy(first, colours, sizeof(first));
        } else {
            assert_memory_equal(first, colours, sizeof(first));
        }
    }
}

/* One of each size of pixel. */
static const ze_image_format_t sampled[] = {
    FORMAT(8_8_8_8, UNORM, R, G, B, A),     FORMAT(16, UNORM, R, 0, 0, 1),
    FORMAT(32_32_32_32, FLOAT, G, R, B, A), FORMAT(8_8_8, UNORM, R, G, B, 1),
    FORMAT(16_16_16, UNORM, R, G, B, 1),    FORMAT(8, UNORM, R, R, R, 1),
    FORMAT(16_16_16_16, UNORM, B, G, R, A), FORMAT(32_32_32, FLOAT, R, G, B, 1),
};

/* Of one word: these have a path of their own in two dimensions. */
static const ze_image_format_t words[] = {
    FORMAT(8_8_8_8, UNORM, B, G, R, A),
    FORMAT(32, FLOAT, R, 0, 0, 1),
    FORMAT(16_16, UNORM, R, G, 0, 1),
};

/* Floats that can be added up, in the place of any bits. */
static void floats_fill(struct image *image)
{
    size_t count = image->format.type == ZE_IMAGE_FORMAT_TYPE_FLOAT ? image_bytes(image) / 4 : 0;
    for (size_t i = 0; i < count; i++) {
        float value = image->pixels[4 * i] / 255.0f;
        memcpy(image->pixels + 4 * i, &value, sizeof(value));
    }
}

static void format_check(size_t t, const ze_image_format_t *format, size_t m)
{
    struct image *image = image_create(types[t].type, format, false, types[t].size, m);
    floats_fill(image);
    sampler_check(t, image, modes[m]);
    image_destroy(image);
}

/* Every sampler on every type; every size of pixel with each filter and kind of edge.
 * IMG-13, SPV-36 */
static void samplers_follow_the_formulas(void **state)
{
    (void)state;
    for (size_t t = 0; t < 5; t++) {
        for (size_t m = 0; m < COUNT(modes); m++) {
            format_check(t, &sampled[(t + m) % COUNT(sampled)], m);
            format_check(t, &words[(t + m) % COUNT(words)], m);
        }
    }
}

/* Which sampler differs from item to item; one of them is a literal.  SPV-12 */
static void samplers_that_differ(void **state)
{
    static float places[ITEMS][4], colours[ITEMS][4];
    const ze_image_format_t format = FORMAT(8_8_8_8, UNORM, R, G, B, A);
    struct image *image = image_create(ZE_IMAGE_TYPE_2D, &format, false, flat, 5);
    const uint64_t a = GEO_SAMPLER_CLAMP, b = GEO_SAMPLER_CLAMP_TO_EDGE | GEO_SAMPLER_LINEAR;
    const uint32_t used[3] = {(uint32_t)a, (uint32_t)b,
                              GEO_SAMPLER_REPEAT | GEO_SAMPLER_NORMALIZED | GEO_SAMPLER_LINEAR};
    (void)state;
    for (uint32_t i = 0; i < ITEMS; i++) {
        places[i][0] = coordinate_of(i, 0, used[i % 3], flat[0]);
        places[i][1] = coordinate_of(i, 1, used[i % 3], flat[1]);
    }
    const struct program_argument arguments[] = {IMAGE(image), PROGRAM_VALUE(a), PROGRAM_VALUE(b),
                                                 PROGRAM_POINTER(places), PROGRAM_POINTER(colours)};
    for (size_t p = 0; p < COUNT(programs); p++) {
        run(p, "choose", arguments, 5);
        for (uint32_t i = 0; i < ITEMS; i++) {
            const float at[3] = {places[i][0], places[i][1], 0};
            double want[4];
            if (image_sample(image, used[i % 3], at, want)) {
                assert_colour(colours[i], want, 0, 1e-4);
            }
        }
    }
    image_destroy(image);
}

/* Whole coordinates with a sampler; numbers of all kinds. */
static void whole_coordinates_with_a_sampler(void **state)
{
    static int places[ITEMS][4], whole[2][ITEMS][4];
    static float colours[ITEMS][4];
    (void)state;
    for (uint64_t mode = GEO_SAMPLER_NONE; mode <= GEO_SAMPLER_CLAMP; mode++) {
        for (int kind = 0; kind < 3; kind++) {
            const ze_image_format_t formats_of[3] = {FORMAT(16_16_16_16, UNORM, R, G, B, A),
                                                     FORMAT(16_16, SINT, R, G, 0, 1),
                                                     FORMAT(8_8_8_8, UINT, B, G, R, A)};
            struct image *image = image_create(ZE_IMAGE_TYPE_2D, &formats_of[kind], false, flat, 9);
            places_fill(places, image);
            const struct program_argument arguments[] = {IMAGE(image),
                                                         PROGRAM_VALUE(mode),
                                                         PROGRAM_POINTER(places),
                                                         PROGRAM_POINTER(colours),
                                                         PROGRAM_POINTER(whole[0]),
                                                         PROGRAM_POINTER(whole[1])};
            for (size_t p = 0; p < COUNT(programs); p++) {
                run(p, "read_whole", arguments, 6);
                for (uint32_t i = 0; i < ITEMS; i++) {
                    int at[3] = {places[i][0], places[i][1], 0};
                    double want[4];
                    for (int d = 0; d < 2 && mode == GEO_SAMPLER_CLAMP_TO_EDGE; d++) {
                        int last = (int)flat[d] - 1;
                        at[d] = at[d] < 0 ? 0 : at[d] > last ? last : at[d];
                    }
                    image_pixel(image, at, want);
                    if (kind == 0) {
                        assert_colour(colours[i], want, ULPS, 0);
                        continue;
                    }
                    for (int c = 0; c < 4; c++) {
                        assert_int_equal((uint32_t)whole[kind - 1][i][c],
                                         (uint32_t)(int64_t)want[c]);
                    }
                }
            }
            image_destroy(image);
        }
    }
}

/* ---- rows, depth, queries ---- */

/* Rows of pixels are read and written as vectors; what was written is read again. */
static void rows_of_pixels(void **state)
{
    const ze_image_format_t bytes = FORMAT(8_8_8_8, UNORM, R, G, B, A);
    const ze_image_format_t floats = FORMAT(32_32_32_32, FLOAT, R, G, B, A);
    const uint32_t size[4] = {45, 3, 1, 1};
    struct image *from = image_create(ZE_IMAGE_TYPE_2D, &bytes, false, size, 1);
    struct image *both = image_create(ZE_IMAGE_TYPE_2D, &floats, false, size, 2);
    struct image *to = image_create(ZE_IMAGE_TYPE_2D, &bytes, false, size, 3);
    const struct program_launch launch = {.groups = {1, 3, 1}, .local = {48, 1, 1}};
    const struct program_argument arguments[] = {IMAGE(from), IMAGE(to), IMAGE(both)};
    (void)state;
    for (size_t p = 0; p < COUNT(programs); p++) {
        memset(to->pixels, 0, image_bytes(to));
        program_run(programs[p].program, "rows", &launch, arguments, 3);
        for (int y = 0; y < 3; y++) {
            for (int x = 0; x < 45; x++) {
                double in[4], out[4];
                image_pixel(from, (int[3]){x, y, 0}, in);
                image_pixel(to, (int[3]){x, y, 0}, out);
                for (int c = 0; c < 4; c++) {
                    assert_true(fabs(out[c] - (1 - in[c] / 2)) <= 0.51 / 255);
                }
            }
        }
    }
    image_destroy(from);
    image_destroy(to);
    image_destroy(both);
}

static void neighbours_beyond_the_edges(void **state)
{
    enum { WIDTH = 40, HEIGHT = 5 };
    static float out[HEIGHT][WIDTH][4];
    const ze_image_format_t format = FORMAT(8_8_8_8, UNORM, R, G, B, A);
    const uint32_t size[4] = {WIDTH, HEIGHT, 1, 1};
    struct image *from = image_create(ZE_IMAGE_TYPE_2D, &format, false, size, 6);
    const struct program_launch launch = {.groups = {2, HEIGHT, 1}, .local = {WIDTH / 2, 1, 1}};
    const struct program_argument arguments[] = {IMAGE(from), PROGRAM_POINTER(out)};
    (void)state;
    for (size_t p = 0; p < COUNT(programs); p++) {
        program_run(programs[p].program, "blur", &launch, arguments, 2);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            double sum[4] = {0, 0, 0, 0};
            for (int k = 0; k < 9; k++) {
                int x = i % WIDTH + k % 3 - 1, y = i / WIDTH + k / 3 - 1;
                double pixel[4];
                x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
                y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
                image_pixel(from, (int[3]){x, y, 0}, pixel);
                for (int c = 0; c < 4; c++) {
                    sum[c] += pixel[c];
                }
            }
            assert_colour(out[i / WIDTH][i % WIDTH], sum, 1e-6, 0);
        }
    }
    image_destroy(from);
}

static void depths_are_single_numbers(void **state)
{
    static int places[ITEMS][4];
    static float out[ITEMS][2];
    const ze_image_format_t format = FORMAT(32, FLOAT, D, 0, 0, X);
    struct image *image = image_create(ZE_IMAGE_TYPE_2D, &format, false, flat, 4);
    uint64_t sampler = GEO_SAMPLER_CLAMP;
    (void)state;
    for (size_t i = 0; i < image_bytes(image) / 4; i++) {
        float value = (float)i / 7.0f;
        memcpy(image->pixels + 4 * i, &value, 4);
    }
    places_fill(places, image);
    const struct program_argument arguments[] = {IMAGE(image), PROGRAM_VALUE(sampler),
                                                 PROGRAM_POINTER(places), PROGRAM_POINTER(out)};
    for (size_t p = 0; p < COUNT(programs); p++) {
        run(p, "read_depth", arguments, 4);
        for (uint32_t i = 0; i < ITEMS; i++) {
            const int at[3] = {places[i][0], places[i][1], 0};
            double want[4];
            image_pixel(image, at, want);
            assert_true((double)out[i][0] == want[0] && (double)out[i][1] == want[0]);
        }
    }
    image_destroy(image);
}

static void images_tell_their_sizes(void **state)
{
    /* by types[] */
    static const int want[] = {37, 19, 5, 50, 13, 7, 9, 5, 3, 7, 5, 3, 6};
    const size_t order[] = {0, 1, 5, 2, 3, 4};
    const ze_image_format_t format = FORMAT(8_8_8_8, UNORM, B, G, R, A);
    struct image *images[6];
    struct program_argument arguments[7];
    int out[COUNT(want)];
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        images[i] = image_create(types[order[i]].type, &format, false, types[order[i]].size, i);
    }
    for (size_t p = 0; p < COUNT(programs); p++) {
        memset(out, 0, sizeof(out));
        const struct program_argument given[7] = {
            IMAGE(images[0]), IMAGE(images[1]), IMAGE(images[2]),    IMAGE(images[3]),
            IMAGE(images[4]), IMAGE(images[5]), PROGRAM_POINTER(out)};
        memcpy(arguments, given, sizeof(arguments));
        run(p, "query", arguments, 7);
        assert_memory_equal(out, want, sizeof(want));
    }
    for (size_t i = 0; i < 6; i++) {
        image_destroy(images[i]);
    }
}

/* What the driver checks arguments against.  SPV-9 */
static void arguments_say_what_they_are(void **state)
{
    (void)state;
    const struct program *program = programs[0].program;
    const struct geo_native_kernel *rows = program_kernel(program, "rows");
    assert_int_equal(rows->argument_count, 3);
    const uint32_t flags[3] = {GEO_ARGUMENT_READ_ONLY, GEO_ARGUMENT_WRITE_ONLY, 0};
    for (uint32_t i = 0; i < 3; i++) {
        const struct geo_native_argument *argument = program_argument_of(program, rows, i);
        assert_int_equal(argument->kind, GEO_ARGUMENT_IMAGE);
        assert_int_equal(argument->image, 1 + ZE_IMAGE_TYPE_2D);
        assert_int_equal(argument->flags, flags[i]);
    }
    const struct geo_native_kernel *sample = program_kernel(program, "sample_2d_array");
    assert_int_equal(program_argument_of(program, sample, 0)->image, 1 + ZE_IMAGE_TYPE_2DARRAY);
    assert_int_equal(program_argument_of(program, sample, 1)->kind, GEO_ARGUMENT_SAMPLER);
    assert_int_equal(program_argument_of(program, sample, 1)->size, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_read),
        cmocka_unit_test(formats_are_written),
        cmocka_unit_test(srgb_follows_its_curve),
        cmocka_unit_test(types_are_read_and_written),
        cmocka_unit_test(samplers_follow_the_formulas),
        cmocka_unit_test(samplers_that_differ),
        cmocka_unit_test(whole_coordinates_with_a_sampler),
        cmocka_unit_test(rows_of_pixels),
        cmocka_unit_test(neighbours_beyond_the_edges),
        cmocka_unit_test(depths_are_single_numbers),
        cmocka_unit_test(images_tell_their_sizes),
        cmocka_unit_test(arguments_say_what_they_are),
    };
    return cmocka_run_group_tests(tests, programs_build, programs_destroy);
}
