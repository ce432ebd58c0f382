/* Level Zero's descriptions of the formats of the corpus's images. */
#ifndef GEOID_TESTS_CORPUS_FORMATS_H
#define GEOID_TESTS_CORPUS_FORMATS_H

#include <level_zero/ze_api.h>

#include "corpus.h"

#define CORPUS_FORMAT(layout_, type_, x_, y_, z_, w_)                                              \
    {                                                                                              \
        .layout = ZE_IMAGE_FORMAT_LAYOUT_##layout_,                                                \
        .type = ZE_IMAGE_FORMAT_TYPE_##type_,                                                      \
        .x = ZE_IMAGE_FORMAT_SWIZZLE_##x_,                                                         \
        .y = ZE_IMAGE_FORMAT_SWIZZLE_##y_,                                                         \
        .z = ZE_IMAGE_FORMAT_SWIZZLE_##z_,                                                         \
        .w = ZE_IMAGE_FORMAT_SWIZZLE_##w_,                                                         \
    }

static const ze_image_format_t corpus_formats[CORPUS_FORMATS] = {
    [CORPUS_RGBA_UNORM8] = CORPUS_FORMAT(8_8_8_8, UNORM, R, G, B, A),
    [CORPUS_BGRA_UNORM8] = CORPUS_FORMAT(8_8_8_8, UNORM, B, G, R, A),
    [CORPUS_RGBA_SNORM8] = CORPUS_FORMAT(8_8_8_8, SNORM, R, G, B, A),
    [CORPUS_RGBA_UNORM16] = CORPUS_FORMAT(16_16_16_16, UNORM, R, G, B, A),
    [CORPUS_RGBA_UINT16] = CORPUS_FORMAT(16_16_16_16, UINT, R, G, B, A),
    [CORPUS_RGBA_SINT16] = CORPUS_FORMAT(16_16_16_16, SINT, R, G, B, A),
    [CORPUS_RGBA_HALF] = CORPUS_FORMAT(16_16_16_16, FLOAT, R, G, B, A),
    [CORPUS_RGBA_FLOAT] = CORPUS_FORMAT(32_32_32_32, FLOAT, R, G, B, A),
    [CORPUS_R_SINT8] = CORPUS_FORMAT(8, SINT, R, 0, 0, 1),
    [CORPUS_R_UINT8] = CORPUS_FORMAT(8, UINT, R, 0, 0, 1),
};

#endif
