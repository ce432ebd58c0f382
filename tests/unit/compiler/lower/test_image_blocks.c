/* Blocks of images that a sub-group reads or writes together, against memory taken byte by byte as
 * SPV_INTEL_subgroups and SPV_INTEL_media_block_io have it: inside and over every edge, for pixels
 * of one to four bytes, in whole sub-groups and parts of one. */
#include "image_reference.h"
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(list)  (sizeof(list) / sizeof((list)[0]))
#define MOST_ITEMS   67u
#define MOST_ELEMENT 128u /* bytes of an item */

/* One of the kernels: elements of so many bytes, N to an item; a block of pixels or none. */
struct kernel {
    const char *name;
    uint32_t size, bytes, count, width, height;
};

static const struct kernel kernels[] = {
    {"plain_ui_8", 8, 4, 1, 0, 0},    {"plain_ui8_8", 8, 4, 8, 0, 0},
    {"plain_us4_16", 16, 2, 4, 0, 0}, {"plain_uc16_32", 32, 1, 16, 0, 0},
    {"plain_ul2_16", 16, 8, 2, 0, 0}, {"media_uc_8", 8, 1, 1, 4, 2},
    {"media_uc4_16", 16, 1, 4, 7, 5}, {"media_us2_32", 32, 2, 2, 6, 8},
    {"media_ui8_8", 8, 4, 8, 8, 8},
};

/* Where element `number` of a block (item + component * S) lies from its first: bytes and rows.
 * False: nowhere. */
static bool element_place(const struct kernel *kernel, uint32_t number, int *x, int *y)
{
    if (!kernel->width) {
        *x = (int)(number % kernel->size * kernel->bytes);
        *y = (int)(number / kernel->size);
        return true;
    }
    uint32_t padded = 1, at = 0;
    while (padded < kernel->width) {
        padded *= 2;
    }
    for (uint32_t row = 0; row < kernel->height; row++) {
        for (uint32_t column = 0; column < padded; column++, at++) {
            if (at == number) {
                *x = (int)(column * kernel->bytes);
                *y = (int)row;
                return column < kernel->width;
            }
        }
    }
    return false;
}

static uint32_t pixel_bytes(const struct image *image)
{
    return image->surface.pixel_bytes;
}

static uint8_t *byte_at(const struct image *image, int x, int y)
{
    int end = (int)(image->width * pixel_bytes(image));
    bool inside = x >= 0 && x < end && y >= 0 && y < (int)image->height;
    return inside ? image->pixels + (size_t)y * image->row_pitch + x : NULL;
}

/* A byte beyond an edge is that of the pixel at it. */
static uint8_t byte_read(const struct image *image, int x, int y)
{
    int pixel = (int)pixel_bytes(image), end = (int)image->width * pixel;
    while (x < 0) {
        x += pixel;
    }
    while (x >= end) {
        x -= pixel;
    }
    y = y < 0 ? 0 : y >= (int)image->height ? (int)image->height - 1 : y;
    return *byte_at(image, x, y);
}

/* What every item has, and which of its bytes are said; what is written then. */
static void block_expect(const struct kernel *kernel, const struct image *from, struct image *to,
                         const int at[2][2], uint32_t items, uint8_t (*lanes)[MOST_ELEMENT],
                         bool (*known)[MOST_ELEMENT])
{
    for (uint32_t i = 0; i < items; i++) {
        for (uint32_t c = 0; c < kernel->count; c++) {
            int x, y;
            bool somewhere = element_place(kernel, i % kernel->size + c * kernel->size, &x, &y);
            for (uint32_t b = 0; b < kernel->bytes; b++) {
                uint32_t place = c * kernel->bytes + b;
                known[i][place] = somewhere;
                if (!somewhere) {
                    continue;
                }
                lanes[i][place] = byte_read(from, at[0][0] + x + (int)b, at[0][1] + y);
                uint8_t *target = byte_at(to, at[1][0] + x + (int)b, at[1][1] + y);
                if (target) {
                    *target = lanes[i][place];
                }
            }
        }
    }
}

static void block_check(const struct program *program, const struct kernel *kernel,
                        const ze_image_format_t *format, const int at[2][2], uint32_t items)
{
    static uint8_t wanted[MOST_ITEMS][MOST_ELEMENT];
    static bool known[MOST_ITEMS][MOST_ELEMENT];
    static _Alignas(128) uint8_t got[MOST_ITEMS * MOST_ELEMENT];
    const uint32_t size[4] = {61, 9, 1, 1};
    struct image *from = image_create(ZE_IMAGE_TYPE_2D, format, false, size, items);
    struct image *to = image_create(ZE_IMAGE_TYPE_2D, format, false, size, 3);
    struct image *same = image_create(ZE_IMAGE_TYPE_2D, format, false, size, 3);
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {items, 1, 1}};
    const struct program_argument arguments[] = {
        PROGRAM_POINTER(&from->surface), PROGRAM_POINTER(&to->surface), PROGRAM_VALUE(at[0]),
        PROGRAM_VALUE(at[1]), PROGRAM_POINTER(got)};
    program_run(program, kernel->name, &launch, arguments, 5);
    block_expect(kernel, from, same, at, items, wanted, known);
    for (uint32_t i = 0; i < items; i++) {
        for (uint32_t b = 0; b < kernel->count * kernel->bytes; b++) {
            uint8_t value = got[i * kernel->count * kernel->bytes + b];
            if (known[i][b] && value != wanted[i][b]) {
                fail_msg("%s from %d, %d: byte %u of item %u is %u, not %u", kernel->name, at[0][0],
                         at[0][1], b, i, value, wanted[i][b]);
            }
        }
    }
    assert_memory_equal(to->pixels, same->pixels, image_bytes(same));
    image_destroy(from);
    image_destroy(to);
    image_destroy(same);
}

static void blocks_check(const char *file, bool optimize)
{
    static const ze_image_format_t formats[] = {
        {.layout = ZE_IMAGE_FORMAT_LAYOUT_8, .type = ZE_IMAGE_FORMAT_TYPE_UNORM},
        {.layout = ZE_IMAGE_FORMAT_LAYOUT_8_8_8, .type = ZE_IMAGE_FORMAT_TYPE_UINT},
        {.layout = ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, .type = ZE_IMAGE_FORMAT_TYPE_UNORM},
    };
    /* where is read, and where is written: at multiples of four */
    static const int places[][2][2] = {
        {{0, 0}, {0, 0}},    {{8, 1}, {16, 2}},  {{3, 2}, {4, 0}},
        {{-8, -3}, {-8, 1}}, {{50, 6}, {36, 5}}, {{300, 20}, {228, -2}},
    };
    struct program *program =
        program_build(file, &(struct program_options){.lanes = 16, .optimize = optimize});
    for (size_t k = 0; k < COUNT(kernels); k++) {
        for (size_t f = 0; f < COUNT(formats); f++) {
            for (size_t p = 0; p < COUNT(places); p++) {
                block_check(program, &kernels[k], &formats[f], places[p], 2 * kernels[k].size);
                block_check(program, &kernels[k], &formats[f], places[p], kernels[k].size + 3);
            }
        }
    }
    program_destroy(program);
}

/* SPV-19, SPV-21, SPV-23, SPV-24 */
static void blocks_are_bytes_of_rows(void **state)
{
    (void)state;
    blocks_check("image_blocks_O2", true);
}

static void blocks_are_the_same_unoptimised(void **state)
{
    (void)state;
    blocks_check("image_blocks_O0", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_bytes_of_rows),
        cmocka_unit_test(blocks_are_the_same_unoptimised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
