/* What kernels are told of a format: components come from where layout and swizzle say. */
#include "native/surface.h"

#include <setjmp.h>
#include <spirv/unified1/spirv.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FORMAT(layout_, type_, x_, y_, z_, w_)                                                     \
    {                                                                                              \
        .layout = ZE_IMAGE_FORMAT_LAYOUT_##layout_,                                                \
        .type = ZE_IMAGE_FORMAT_TYPE_##type_,                                                      \
        .x = ZE_IMAGE_FORMAT_SWIZZLE_##x_,                                                         \
        .y = ZE_IMAGE_FORMAT_SWIZZLE_##y_,                                                         \
        .z = ZE_IMAGE_FORMAT_SWIZZLE_##z_,                                                         \
        .w = ZE_IMAGE_FORMAT_SWIZZLE_##w_,                                                         \
    }

struct example {
    ze_image_format_t format;
    uint8_t pixel[16];
    uint32_t bytes;
    uint32_t colour[4]; /* bits */
    uint32_t order, type;
    bool opaque;
};

static const struct example examples[] = {
    {FORMAT(8, UINT, R, 0, 0, 1),
     {0xAB},
     1,
     {0xAB, 0, 0, 1},
     SpvImageChannelOrderR,
     SpvImageChannelDataTypeUnsignedInt8,
     true},
    {FORMAT(8, UINT, R, G, B, A),
     {0xAB},
     1,
     {0xAB, 0, 0, 1},
     SpvImageChannelOrderR,
     SpvImageChannelDataTypeUnsignedInt8,
     false},
    {FORMAT(16, FLOAT, 0, 0, 0, R),
     {1, 2},
     2,
     {0, 0, 0, 0x201},
     SpvImageChannelOrderA,
     SpvImageChannelDataTypeHalfFloat,
     false},
    {FORMAT(16, FLOAT, R, R, R, 1),
     {1, 2},
     2,
     {0x201, 0x201, 0x201, 0x3C00},
     SpvImageChannelOrderLuminance,
     SpvImageChannelDataTypeHalfFloat,
     true},
    {FORMAT(32, FLOAT, D, 0, 0, X),
     {1, 2, 3, 4},
     4,
     {0x04030201, 0, 0, 0x3F800000},
     SpvImageChannelOrderDepth,
     SpvImageChannelDataTypeFloat,
     true},
    {FORMAT(8_8, SNORM, R, 0, 0, G),
     {0x80, 0x7F},
     2,
     {0x80, 0, 0, 0x7F},
     SpvImageChannelOrderRA,
     SpvImageChannelDataTypeSnormInt8,
     false},
    {FORMAT(8_8_8_8, UNORM, R, G, B, A),
     {1, 2, 3, 4},
     4,
     {1, 2, 3, 4},
     SpvImageChannelOrderRGBA,
     SpvImageChannelDataTypeUnormInt8,
     false},
    {FORMAT(8_8_8_8, UNORM, B, G, R, A),
     {1, 2, 3, 4},
     4,
     {3, 2, 1, 4},
     SpvImageChannelOrderBGRA,
     SpvImageChannelDataTypeUnormInt8,
     false},
    {FORMAT(8_8_8_8, UNORM, G, B, A, R),
     {1, 2, 3, 4},
     4,
     {2, 3, 4, 1},
     SpvImageChannelOrderARGB,
     SpvImageChannelDataTypeUnormInt8,
     false},
    {FORMAT(16_16_16_16, SINT, A, B, G, R),
     {1, 0, 2, 0, 3, 0, 4, 0},
     8,
     {4, 3, 2, 1},
     SpvImageChannelOrderABGR,
     SpvImageChannelDataTypeSignedInt16,
     false},
    {FORMAT(32_32, UINT, R, G, 0, 1),
     {1, 0, 0, 0, 2},
     8,
     {1, 2, 0, 1},
     SpvImageChannelOrderRG,
     SpvImageChannelDataTypeUnsignedInt32,
     true},
    {FORMAT(32_32_32_32, FLOAT, R, G, B, A),
     {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4},
     16,
     {1, 2, 3, 4},
     SpvImageChannelOrderRGBA,
     SpvImageChannelDataTypeFloat,
     false},
    {FORMAT(8_8_8, UINT, R, G, B, 1),
     {1, 2, 3},
     3,
     {1, 2, 3, 1},
     SpvImageChannelOrderRGB,
     SpvImageChannelDataTypeUnsignedInt8,
     true},
    {FORMAT(16_16_16, UINT, R, G, B, 1),
     {1, 0, 2, 0, 3},
     6,
     {1, 2, 3, 1},
     SpvImageChannelOrderRGB,
     SpvImageChannelDataTypeUnsignedInt16,
     true},
    {FORMAT(5_6_5, UNORM, R, G, B, 1),
     {0x21, 0x18},
     2,
     {3, 1, 1, 1},
     SpvImageChannelOrderRGB,
     SpvImageChannelDataTypeUnormShort565,
     true},
    {FORMAT(5_5_5_1, UNORM, R, G, B, A),
     {0x21, 0x8C},
     2,
     {3, 1, 1, 1},
     SpvImageChannelOrderRGBA,
     SpvImageChannelDataTypeUnormShort555,
     false},
    {FORMAT(4_4_4_4, UNORM, R, G, B, A),
     {0x21, 0x43},
     2,
     {3, 2, 1, 4},
     SpvImageChannelOrderRGBA,
     SpvImageChannelDataTypeUnormInt8,
     false},
    {FORMAT(10_10_10_2, UNORM, R, G, B, A),
     {0x01, 0x08, 0x30, 0x80},
     4,
     {1, 2, 3, 2},
     SpvImageChannelOrderRGBA,
     SpvImageChannelDataTypeUnormInt101010_2,
     false},
    {FORMAT(11_11_10, FLOAT, R, G, B, 1),
     {0x01, 0x10, 0xC0, 0x00},
     4,
     {1, 2, 3, 0x3C00},
     SpvImageChannelOrderRGB,
     SpvImageChannelDataTypeHalfFloat,
     true},
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* IMG-2, IMG-13 */
static void components_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        const struct example *example = &examples[i];
        struct geo_surface surface = {0};
        uint32_t words[4];
        print_message("example %zu\n", i);
        assert_true(geo_surface_set_format(&surface, &example->format, false));
        memcpy(words, example->pixel, sizeof(words));
        assert_int_equal(surface.pixel_bytes, example->bytes);
        for (int c = 0; c < 4; c++) {
            uint32_t bits = words[surface.word[c]] >> surface.shift[c] & surface.mask[c];
            assert_int_equal(bits | surface.fill[c], example->colour[c]);
            if (surface.flags & GEO_SURFACE_WORDS) {
                assert_int_equal(words[c] | surface.fill[c], example->colour[c]);
            }
        }
        assert_int_equal(surface.channel_order, example->order);
        assert_int_equal(surface.channel_type, example->type);
        assert_int_equal(surface.border != 0, example->opaque);
    }
}

/* No two components write the same bits, and each channel that is shown is written. */
static void each_channel_is_written_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        struct geo_surface surface = {0};
        uint32_t shown[4] = {0}, written[4] = {0};
        assert_true(geo_surface_set_format(&surface, &examples[i].format, false));
        for (int c = 0; c < 4; c++) {
            uint32_t bits = surface.put[c] << surface.shift[c];
            assert_int_equal(written[surface.word[c]] & bits, 0);
            written[surface.word[c]] |= bits;
            shown[surface.word[c]] |= surface.mask[c] << surface.shift[c];
        }
        assert_memory_equal(shown, written, sizeof(shown));
    }
}

/* IMG-3, IMG-5 */
static void what_kernels_cannot_address_is_refused(void **state)
{
    (void)state;
    static const ze_image_format_t refused[] = {
        FORMAT(8, FLOAT, R, 0, 0, 1),           FORMAT(8_8_8_8, FLOAT, R, G, B, A),
        FORMAT(11_11_10, UNORM, R, G, B, 1),    FORMAT(5_6_5, UINT, R, G, B, 1),
        FORMAT(10_10_10_2, FLOAT, R, G, B, A),  FORMAT(NV12, UNORM, R, G, B, A),
        FORMAT(8, FORCE_UINT32, R, 0, 0, 1),    FORMAT(YUYV, UNORM, R, G, B, A),
        FORMAT(FORCE_UINT32, UINT, R, 0, 0, 1),
    };
    struct geo_surface surface = {.pixel_bytes = 77};
    for (size_t i = 0; i < COUNT(refused); i++) {
        assert_false(geo_surface_set_format(&surface, &refused[i], false));
    }
    const ze_image_format_t integer = FORMAT(8_8_8_8, UINT, R, G, B, A);
    assert_false(geo_surface_set_format(&surface, &integer, true));
    assert_int_equal(surface.pixel_bytes, 77);
}

static void the_curve_is_not_for_alpha(void **state)
{
    (void)state;
    const ze_image_format_t format = FORMAT(8_8_8_8, UNORM, B, G, R, A);
    struct geo_surface surface = {0};
    assert_true(geo_surface_set_format(&surface, &format, true));
    assert_int_equal(surface.number, GEO_SURFACE_SRGB);
    assert_int_equal(surface.channel_order, SpvImageChannelOrdersBGRA);
    assert_int_equal(surface.align[0] | surface.align[1] | surface.align[2], 0);
    assert_int_not_equal(surface.align[3], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_found),
        cmocka_unit_test(each_channel_is_written_once),
        cmocka_unit_test(what_kernels_cannot_address_is_refused),
        cmocka_unit_test(the_curve_is_not_for_alpha),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
