/* Corpus of OpenCL C kernels: images and samplers. */
#include "../corpus.h"
#include "shapes.h"

static const struct corpus_shape many[] = {SHAPE1(37, 7), SHAPE1(4, 64), SHAPE_END};
static const struct corpus_shape table[] = {SHAPE1(4, 64), SHAPE_END}; /* 256 items: 32 x 8 */

#define IMAGE(variable, type, n) {ARG_IMAGE, type, GEN_RANDOM, 0, n, 0, &(variable)}

static const struct corpus_image flat = {CORPUS_RGBA_UNORM8, 2, false, {13, 7, 1}};
static const struct corpus_image mixed = {CORPUS_BGRA_UNORM8, 2, false, {13, 7, 1}};
static const struct corpus_image floats = {CORPUS_RGBA_FLOAT, 2, false, {13, 7, 1}};
static const struct corpus_image solid = {CORPUS_RGBA_UNORM8, 3, false, {5, 4, 3}};
static const struct corpus_image layers_2d = {CORPUS_RGBA_UINT16, 2, true, {9, 5, 3}};
static const struct corpus_image layers_1d = {CORPUS_R_SINT8, 1, true, {11, 4, 1}};
static const struct corpus_image colours = {CORPUS_RGBA_UNORM16, 2, false, {32, 8, 1}};
static const struct corpus_image halves = {CORPUS_RGBA_HALF, 2, false, {32, 8, 1}};
static const struct corpus_image integers = {CORPUS_RGBA_SINT16, 2, false, {32, 8, 1}};
static const struct corpus_image numbers = {CORPUS_R_UINT8, 2, false, {32, 8, 1}};
static const struct corpus_image normal = {CORPUS_RGBA_SNORM8, 2, false, {32, 8, 1}};

#define FLAT  IMAGE(flat, U8, 13 * 7 * 4)
#define MIXED IMAGE(mixed, U8, 13 * 7 * 4)

/* Places are exact, weights are floats: the bound is OpenCL's of a normalized colour. */
#define SAMPLER(name, image)                                                                       \
    {.kernel = #name,                                                                              \
     .args = {image, IN_N(F32, GEN_UNIT, 2), OUT_N(F32, 4)},                                       \
     .shapes = many,                                                                               \
     .ulp = 4,                                                                                     \
     .near = 1e-4}

static const struct corpus_case images[] = {
    SAMPLER(edge_nearest, FLAT),
    SAMPLER(border_nearest, MIXED),
    SAMPLER(edge_linear, MIXED),
    SAMPLER(border_linear, FLAT),
    SAMPLER(whole_edge_nearest, FLAT),
    SAMPLER(whole_border_nearest, FLAT),
    SAMPLER(repeat_nearest, MIXED),
    SAMPLER(mirror_nearest, FLAT),
    SAMPLER(whole_edge_linear, FLAT),
    SAMPLER(whole_border_linear, MIXED),
    SAMPLER(repeat_linear, FLAT),
    SAMPLER(mirror_linear, FLAT),
    {.kernel = "solid_linear",
     .args = {IMAGE(solid, U8, 5 * 4 * 3 * 4), IN_N(F32, GEN_UNIT, 4), OUT_N(F32, 4)},
     .shapes = many,
     .ulp = 4,
     .near = 1e-4},
    {.kernel = "whole_2d",
     .args = {IMAGE(floats, F32, 13 * 7 * 4), IN_N(I32, GEN_RANDOM, 2), OUT_N(F32, 4)},
     .shapes = many},
    {.kernel = "layers_2d",
     .args = {IMAGE(layers_2d, U16, 9 * 5 * 3 * 4), IN_N(I32, GEN_RANDOM, 4), OUT_N(U32, 4)},
     .shapes = many},
    {.kernel = "layers_1d",
     .args = {IMAGE(layers_1d, I8, 11 * 4), IN_N(I32, GEN_RANDOM, 2), OUT_N(I32, 4)},
     .shapes = many},
    {.kernel = "write_colours",
     .args = {IMAGE(colours, U16, 256 * 4), IN_N(F32, GEN_UNIT, 4)},
     .shapes = table},
    {.kernel = "write_halves",
     .args = {IMAGE(halves, F16, 256 * 4), IN_N(F32, GEN_RANDOM, 4)},
     .shapes = table},
    {.kernel = "write_signed",
     .args = {IMAGE(integers, I16, 256 * 4), IN_N(I32, GEN_EDGE, 4)},
     .shapes = table},
    {.kernel = "write_unsigned",
     .args = {IMAGE(numbers, U8, 256), IN_N(U32, GEN_EDGE, 4)},
     .shapes = table},
    {.kernel = "read_halves",
     .args = {IMAGE(halves, F16, 256 * 4), OUT_N(F32, 4)},
     .shapes = table},
    {.kernel = "read_normal",
     .args = {IMAGE(normal, I8, 256 * 4), OUT_N(F32, 4)},
     .shapes = table,
     .ulp = 2},
    {.kernel = "queries",
     .args = {FLAT, IMAGE(solid, U8, 5 * 4 * 3 * 4), IMAGE(layers_2d, U16, 9 * 5 * 3 * 4),
              OUT_ALL(I32, 7)},
     .shapes = table},
};

TOPIC_FILES(images, CORPUS_FILE("images", images));
