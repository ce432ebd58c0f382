/* Two-dimensional blocks of memory (SPV_INTEL_2d_block_io): loads, transposed and packed ones, and
 * stores, shared out among sub-groups of 8, 16 and 32 as the extension's text says, with blocks
 * that lie partly beyond the region. */
#include "program.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SLOTS        32u /* of 64 bits, of an item's private memory */

enum kind { LOAD = 6231, TRANSFORM = 6232, TRANSPOSE = 6233, STORE = 6235 };

struct block {
    enum kind kind;
    uint32_t size, width, height, count, lanes;
    int32_t x, y;
    uint32_t bytes, rows, pitch; /* of the region */
};

static const struct block blocks[] = {
    {LOAD, 4, 8, 2, 1, 8, 0, 0, 64, 4, 64},         {LOAD, 4, 16, 3, 2, 8, 3, 1, 128, 8, 192},
    {LOAD, 2, 4, 5, 1, 16, 2, 3, 64, 6, 64},        {LOAD, 1, 32, 4, 2, 16, 4, 0, 64, 4, 72},
    {LOAD, 8, 4, 4, 1, 16, -2, -1, 64, 8, 64},      {LOAD, 4, 5, 2, 2, 16, 0, 0, 64, 4, 64},
    {LOAD, 2, 16, 8, 1, 32, 8, 2, 128, 9, 128},     {TRANSPOSE, 4, 4, 8, 1, 8, 1, 2, 64, 9, 64},
    {TRANSPOSE, 4, 2, 16, 1, 16, 0, 0, 64, 16, 64}, {TRANSPOSE, 8, 4, 2, 2, 16, 5, 1, 64, 3, 64},
    {TRANSFORM, 2, 16, 4, 1, 16, 0, 0, 64, 8, 64},  {TRANSFORM, 1, 16, 8, 2, 16, 4, 1, 64, 8, 64},
    {TRANSFORM, 2, 8, 3, 1, 16, 2, 0, 64, 2, 64},   {STORE, 4, 8, 2, 1, 8, 3, 1, 64, 4, 64},
    {STORE, 4, 16, 3, 2, 8, 1, 1, 128, 3, 192},     {STORE, 2, 4, 5, 1, 16, 30, 0, 64, 6, 64},
    {STORE, 8, 2, 4, 1, 32, 0, 1, 64, 8, 64},
};

/* ---- what belongs to whom ---- */

static uint32_t power_of_two(uint32_t n)
{
    uint32_t power = 1;
    while (power < n) {
        power *= 2;
    }
    return power;
}

static uint64_t element_read(const struct block *b, const uint8_t *region, uint32_t number,
                             uint32_t row, uint32_t column)
{
    int64_t at = ((int64_t)b->x + number * b->width + column) * b->size, line = b->y + (int64_t)row;
    uint64_t value = 0;
    if (column < b->width && row < b->height && at >= 0 && at + b->size <= b->bytes && line >= 0 &&
        line < b->rows) {
        memcpy(&value, region + line * b->pitch + at, b->size);
    }
    return value;
}

/* The rows of a block as they are dealt out; each element of `unit` bytes. */
static uint64_t dealt(const struct block *b, const uint8_t *region, uint32_t number, uint32_t row,
                      uint32_t column)
{
    uint64_t word = 0;
    switch (b->kind) {
    case TRANSPOSE:
        return element_read(b, region, number, column, row);
    case TRANSFORM:
        for (uint32_t i = 0; i < 4 / b->size; i++) {
            word |= element_read(b, region, number, row * (4 / b->size) + i, column)
                    << 8 * b->size * i;
        }
        return word;
    default:
        return element_read(b, region, number, row, column);
    }
}

/* Calls for each element: item, place in the item's memory, block, row, column. */
static void deal(const struct block *b,
                 void (*each)(const struct block *b, uint32_t item, uint32_t place, uint32_t number,
                              uint32_t row, uint32_t column, uint8_t *region, uint8_t *items),
                 uint8_t *region, uint8_t *items)
{
    bool turned = b->kind == TRANSPOSE;
    uint32_t across = power_of_two(turned ? b->height : b->width);
    uint32_t lines = turned                 ? b->width
                     : b->kind == TRANSFORM ? (b->height * b->size + 3) / 4
                                            : b->height;
    uint32_t used[32] = {0};
    for (uint32_t number = 0; number < b->count; number++) {
        uint32_t padded = across < b->lanes
                              ? (lines + b->lanes / across - 1) / (b->lanes / across) * b->lanes
                              : lines * across;
        for (uint32_t i = 0; i < padded; i++) {
            uint32_t item = across > b->lanes ? i % across / (across / b->lanes) : i % b->lanes;
            each(b, item, used[item]++, number, i / across, i % across, region, items);
        }
    }
}

static uint32_t unit_of(const struct block *b)
{
    return b->kind == TRANSFORM ? 4 : b->size;
}

static void load_each(const struct block *b, uint32_t item, uint32_t place, uint32_t number,
                      uint32_t row, uint32_t column, uint8_t *region, uint8_t *items)
{
    uint64_t value = dealt(b, region, number, row, column);
    memcpy(items + item * SLOTS * 8 + place * unit_of(b), &value, unit_of(b));
}

static void store_each(const struct block *b, uint32_t item, uint32_t place, uint32_t number,
                       uint32_t row, uint32_t column, uint8_t *region, uint8_t *items)
{
    int64_t at = ((int64_t)b->x + number * b->width + column) * b->size, line = b->y + (int64_t)row;
    if (column < b->width && row < b->height && at >= 0 && at + b->size <= b->bytes && line >= 0 &&
        line < b->rows) {
        memcpy(region + line * b->pitch + at, items + item * SLOTS * 8 + place * b->size, b->size);
    }
}

/* ---- the kernel: private memory from `items`, the instruction, private memory to `items` ---- */

static struct program *program_of(const struct block *b, bool optimize)
{
    struct geo_strbuf text;
    const char *region = b->kind == STORE ? "%mine %region" : "%region";
    geo_strbuf_init(&text, 0);
    geo_strbuf_printf(
        &text,
        "OpEntryPoint Kernel %%f \"f\" %%id\nOpExecutionMode %%f SubgroupSize %u\n"
        "OpDecorate %%id BuiltIn GlobalInvocationId\nOpDecorate %%id Constant\n"
        "%%void = OpTypeVoid\n%%u8 = OpTypeInt 8 0\n%%u32 = OpTypeInt 32 0\n"
        "%%u64 = OpTypeInt 64 0\n%%l3 = OpTypeVector %%u64 3\n%%i2 = OpTypeVector %%u32 2\n"
        "%%p_l3 = OpTypePointer Input %%l3\n%%id = OpVariable %%p_l3 Input\n"
        "%%size = OpConstant %%u32 %u\n%%width = OpConstant %%u32 %u\n"
        "%%height = OpConstant %%u32 %u\n%%count = OpConstant %%u32 %u\n"
        "%%bytes = OpConstant %%u32 %u\n%%rows = OpConstant %%u32 %u\n"
        "%%pitch = OpConstant %%u32 %u\n%%x = OpConstant %%u32 %u\n%%y = OpConstant %%u32 %u\n"
        "%%at = OpConstantComposite %%i2 %%x %%y\n%%slots = OpConstant %%u32 %u\n"
        "%%own = OpConstant %%u64 %u\n%%all = OpTypeArray %%u64 %%slots\n"
        "%%p_all = OpTypePointer Function %%all\n%%o_u8 = OpTypePointer Function %%u8\n"
        "%%g_all = OpTypePointer CrossWorkgroup %%all\n%%g_u8 = OpTypePointer CrossWorkgroup %%u8\n"
        "%%type = OpTypeFunction %%void %%g_u8 %%g_u8\n%%f = OpFunction %%void None %%type\n"
        "%%region = OpFunctionParameter %%g_u8\n%%items = OpFunctionParameter %%g_u8\n"
        "%%l = OpLabel\n%%v = OpVariable %%p_all Function\n%%ids = OpLoad %%l3 %%id\n"
        "%%i = OpCompositeExtract %%u64 %%ids 0\n%%offset = OpIMul %%u64 %%i %%own\n"
        "%%place = OpInBoundsPtrAccessChain %%g_u8 %%items %%offset\n"
        "%%whole = OpBitcast %%g_all %%place\n%%before = OpLoad %%all %%whole\n"
        "OpStore %%v %%before\n%%mine = OpBitcast %%o_u8 %%v\n"
        "OpNop\n!0x%08x %%size %%width %%height %%count %s %%bytes %%rows %%pitch %%at %s\n"
        "%%after = OpLoad %%all %%v\nOpStore %%whole %%after\nOpReturn\nOpFunctionEnd\n",
        b->lanes, b->size, b->width, b->height, b->count, b->bytes, b->rows, b->pitch,
        (uint32_t)b->x, (uint32_t)b->y, SLOTS, SLOTS * 8, 11u << 16 | b->kind, region,
        b->kind == STORE ? "" : "%mine");
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&text));
    struct program *program =
        program_build_model(module, &(struct program_options){.lanes = 16, .optimize = optimize});
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&text);
    return program;
}

static void check(const struct block *b, bool optimize)
{
    static uint8_t region[4096], wanted_region[4096], items[32 * SLOTS * 8];
    static uint8_t wanted_items[sizeof(items)];
    struct support_random random = {b->width + b->lanes};
    for (size_t i = 0; i < sizeof(region); i++) {
        region[i] = wanted_region[i] = (uint8_t)support_random(&random);
    }
    for (size_t i = 0; i < sizeof(items); i++) {
        items[i] = wanted_items[i] = (uint8_t)support_random(&random);
    }
    deal(b, b->kind == STORE ? store_each : load_each, wanted_region, wanted_items);
    struct program *program = program_of(b, optimize);
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {b->lanes, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(region), PROGRAM_POINTER(items)};
    program_run(program, "f", &launch, arguments, 2);
    program_destroy(program);
    for (size_t i = 0; i < b->lanes * SLOTS * 8; i++) {
        if (items[i] != wanted_items[i]) {
            fail_msg("block %td: byte %zu of item %zu is %#x, not %#x", b - blocks, i % (SLOTS * 8),
                     i / (SLOTS * 8), items[i], wanted_items[i]);
        }
    }
    for (size_t i = 0; i < sizeof(region); i++) {
        if (region[i] != wanted_region[i]) {
            fail_msg("block %td: byte %zu of the region is %#x, not %#x", b - blocks, i, region[i],
                     wanted_region[i]);
        }
    }
}

static void blocks_are_shared_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(blocks); i++) {
        check(&blocks[i], true);
        check(&blocks[i], false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_shared_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
