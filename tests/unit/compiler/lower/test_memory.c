/* Loads, stores, copies and addresses: every memory class, with and without a mask, against a copy
 * made by the host. Bytes that no lane writes must stay. */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "native/abi.h"
#include <cmocka.h>

#define ITEMS 96u  /* work-items */
#define SPACE 512u /* elements in a buffer */
#define PAGE  4096u

enum form {
    FORM_ID,    /* consecutive */
    FORM_TWICE, /* strided by 2 */
    FORM_THREE,
    FORM_FOUR,
    FORM_BACK,    /* strided by -1 */
    FORM_TABLE,   /* a 32-bit index from memory */
    FORM_UNIFORM, /* element 3 */
    FORM_COUNT,
};

static uint64_t form_index(enum form form, uint64_t id, const uint32_t *table)
{
    switch (form) {
    case FORM_ID:
        return id;
    case FORM_TWICE:
    case FORM_THREE:
    case FORM_FOUR:
        return (form - FORM_TWICE + 2) * id;
    case FORM_BACK:
        return SPACE - 1 - id;
    case FORM_TABLE:
        return table[id];
    default:
        return 3;
    }
}

static struct geo_ir_value *form_value(struct harness_function *fn, enum form form)
{
    const struct geo_ir_type *word = geo_ir_type_int(fn->h->module, 64);
    struct geo_ir_value *operands[2] = {fn->id, NULL};
    switch (form) {
    case FORM_ID:
        return fn->id;
    case FORM_TWICE:
    case FORM_THREE:
    case FORM_FOUR:
        operands[1] = harness_constant(fn, word, form - FORM_TWICE + 2);
        return &harness_add(fn, SpvOpIMul, word, operands, 2, NULL, 0)->value;
    case FORM_BACK:
        operands[0] = harness_constant(fn, word, SPACE - 1);
        operands[1] = fn->id;
        return &harness_add(fn, SpvOpISub, word, operands, 2, NULL, 0)->value;
    case FORM_TABLE:
        return harness_load_input(fn, 1, geo_ir_type_int(fn->h->module, 32), HARNESS_VARYING);
    default:
        return harness_constant(fn, word, 3);
    }
}

/* out[store(id)] = in[load(id)] */
struct copy_case {
    const struct geo_ir_type *type;
    enum form load, store;
    bool masked;
    uint32_t flags; /* SpvMemoryAccess* */
    uint32_t align; /* 0: the type's; 1: both buffers start at an odd address */
    bool whole;     /* by OpCopyMemory */
};

static uint32_t copy_build(struct harness *h, const struct copy_case *test)
{
    struct harness_function fn;
    harness_function_begin(h, &fn);
    const struct geo_ir_type *none = geo_ir_type_void(h->module);
    struct geo_ir_value *from = harness_element(&fn, 0, test->type, form_value(&fn, test->load),
                                                SpvStorageClassCrossWorkgroup);
    struct geo_ir_value *to =
        harness_element(&fn, HARNESS_INPUTS, test->type, form_value(&fn, test->store),
                        SpvStorageClassCrossWorkgroup);
    struct geo_ir_inst *access[2];
    struct geo_ir_value *operands[2] = {to, from};
    if (test->whole) {
        access[0] = access[1] = harness_add(&fn, SpvOpCopyMemory, none, operands, 2, NULL, 0);
    } else {
        access[0] = harness_add(&fn, SpvOpLoad, test->type, &from, 1, NULL, 0);
        operands[1] = &access[0]->value;
        access[1] = harness_add(&fn, SpvOpStore, none, operands, 2, NULL, 0);
    }
    for (uint32_t i = 0; i < 2; i++) {
        access[i]->memory_flags = test->flags;
        access[i]->memory_align = test->align;
    }
    return harness_function_end(&fn, test->masked, NULL);
}

/* Copies a value's bytes but not its padding. */
static void value_copy(const struct geo_ir_type *type, char *to, const char *from)
{
    switch (type->kind) {
    case GEO_TYPE_VECTOR:
    case GEO_TYPE_ARRAY:
        for (uint64_t i = 0; i < type->count; i++) {
            uint64_t at = i * type->element->size;
            value_copy(type->element, to + at, from + at);
        }
        return;
    case GEO_TYPE_STRUCT:
        for (uint64_t i = 0; i < type->count; i++) {
            value_copy(type->members[i], to + type->offsets[i], from + type->offsets[i]);
        }
        return;
    case GEO_TYPE_BOOL:
        *to = *from != 0;
        return;
    default:
        memcpy(to, from, type->size);
    }
}

struct buffers {
    char *in, *out, *expected;
    uint32_t table[ITEMS + 64];
    size_t bytes;
    char *pages; /* of the input */
    size_t in_bytes;
};

/* The input ends at the last byte that can be read, except when it starts at an odd address. */
static void buffers_make(struct buffers *b, size_t element_bytes, bool odd)
{
    b->bytes = SPACE * element_bytes + odd;
    b->in_bytes = (b->bytes + PAGE - 1) / PAGE * PAGE;
    char *pages =
        mmap(NULL, b->in_bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + b->in_bytes, PAGE, PROT_NONE), 0);
    b->pages = pages;
    b->in = odd ? pages : pages + b->in_bytes - b->bytes;
    b->out = aligned_alloc(64, (b->bytes + 63) / 64 * 64);
    b->expected = aligned_alloc(64, (b->bytes + 63) / 64 * 64);
    for (size_t i = 0; i < b->bytes; i++) {
        b->in[i] = (char)(i * 37 + (i >> 8) * 11 + 1);
        b->out[i] = b->expected[i] = (char)0xcd;
    }
    for (uint32_t i = 0; i < ITEMS + 64; i++) {
        b->table[i] = (i * 173 + SPACE - 1) % SPACE; /* 173 is prime to SPACE: no index twice */
    }
}

static void buffers_free(struct buffers *b)
{
    munmap(b->pages, b->in_bytes + PAGE);
    free(b->out);
    free(b->expected);
}

static void copy_check(struct harness *h, const struct copy_case *test, uint32_t number)
{
    struct buffers b;
    uint32_t lanes = h->options.lanes;
    size_t size = test->type->size, odd = test->align == 1;
    buffers_make(&b, size, odd);
    for (uint32_t base = 0; base < ITEMS; base += lanes) {
        uint64_t mask = ~0ull;
        if (test->masked && lanes > 1) {
            mask = base % 3 == 0 ? 1ull << (lanes - 2) : 0xa5a5a5b2u >> (base / lanes);
            mask = mask & ((1ull << lanes) - 1) ? mask : 1;
        }
        void *inputs[HARNESS_INPUTS] = {b.in + odd, b.table};
        harness_call(h, number, inputs, b.out + odd, base, mask);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint64_t id = base + lane;
            if (mask >> lane & 1) {
                value_copy(test->type,
                           b.expected + odd + form_index(test->store, id, b.table) * size,
                           b.in + odd + form_index(test->load, id, b.table) * size);
            }
        }
        for (size_t i = 0; i < b.bytes; i++) {
            if (b.out[i] != b.expected[i]) {
                print_error("type of %zu bytes, load %d, store %d, masked %d, flags %u, align %u, "
                            "whole %d, W=%u, base %u: byte %zu is %#x, expected %#x\n",
                            size, test->load, test->store, test->masked, test->flags, test->align,
                            test->whole, lanes, base, i, (uint8_t)b.out[i], (uint8_t)b.expected[i]);
                fail();
            }
        }
    }
    buffers_free(&b);
}

static void run_copies(const char *cpu, uint32_t lanes, bool optimize, enum geo_gathers gathers,
                       void (*list)(struct harness *h, struct copy_case *cases, uint32_t *count))
{
    static struct copy_case cases[1024];
    uint32_t count = 0;
    struct harness h;
    harness_begin(&h, cpu, lanes, optimize);
    h.options.target.gathers = gathers;
    list(&h, cases, &count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(copy_build(&h, &cases[i]), i);
    }
    if (harness_load(&h)) {
        for (uint32_t i = 0; i < count; i++) {
            copy_check(&h, &cases[i], i);
        }
    }
    harness_end(&h);
}

static void run_everywhere(void (*list)(struct harness *, struct copy_case *, uint32_t *))
{
    run_copies("x86-64", 8, false, GEO_GATHERS_NEVER, list);
    run_copies("x86-64-v2", 1, true, GEO_GATHERS_NEVER, list);
    run_copies("x86-64-v3", 8, true, GEO_GATHERS_ALWAYS, list);
    run_copies("x86-64-v3", 8, true, GEO_GATHERS_NEVER, list);
    run_copies("x86-64-v4", 16, true, GEO_GATHERS_ALWAYS, list);
    run_copies("x86-64-v4", 16, true, GEO_GATHERS_VECTORS, list);
}

static void scalar_list(struct harness *h, struct copy_case *cases, uint32_t *count)
{
    static const char *const types[] = {"i8", "i16", "i32", "i64", "f16", "f32", "f64", "b"};
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        for (uint32_t form = 0; form < 2 * FORM_COUNT; form++) {
            enum form other = (enum form)(form / 2);
            cases[(*count)++] = (struct copy_case){.type = harness_type(h, types[t]),
                                                   .load = form % 2 ? other : FORM_ID,
                                                   .store = form % 2 ? FORM_ID : other,
                                                   .masked = (form + t) % 2};
            cases[*count] = cases[*count - 1];
            cases[*count].masked = !cases[*count].masked;
            cases[*count].load = FORM_TABLE;
            (*count)++;
        }
    }
}

static void scalars_of_every_class(void **state)
{
    (void)state;
    run_everywhere(scalar_list);
}

static void vector_list(struct harness *h, struct copy_case *cases, uint32_t *count)
{
    static const char *const types[] = {"i8x2",  "i8x3",  "i8x4",  "i8x8",  "i16x2",
                                        "f16x3", "f16x4", "i32x2", "f32x3", "f32x4",
                                        "f64x2", "i64x3", "f32x8", "i8x16", "f64x16"};
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        for (uint32_t form = 0; form < FORM_COUNT; form++) {
            struct copy_case test = {.type = harness_type(h, types[t]),
                                     .load = (enum form)form,
                                     .store = form == FORM_TABLE ? FORM_TABLE : FORM_ID,
                                     .masked = form % 2};
            cases[(*count)++] = test;
            if (form < 2) {
                test.masked = !test.masked;
                test.store = form ? FORM_UNIFORM : FORM_TWICE;
                cases[(*count)++] = test;
            }
        }
    }
}

static void short_vectors_of_every_class(void **state)
{
    (void)state;
    run_everywhere(vector_list);
}

/* struct { i8; f32x3; i16[3]; bool; f64 } */
static const struct geo_ir_type *mixed_struct(struct harness *h)
{
    struct geo_ir_type *type = geo_ir_type_struct(h->module, 5);
    type->members[0] = harness_type(h, "i8");
    type->members[1] = harness_type(h, "f32x3");
    type->members[2] = geo_ir_type_array(h->module, harness_type(h, "i16"), 3);
    type->members[3] = harness_type(h, "b");
    type->members[4] = harness_type(h, "f64");
    assert_true(geo_ir_struct_layout(type));
    return type;
}

static void odd_list(struct harness *h, struct copy_case *cases, uint32_t *count)
{
    const struct geo_ir_type *types[] = {
        mixed_struct(h),          geo_ir_type_array(h->module, harness_type(h, "i32"), 5),
        harness_type(h, "i32"),   harness_type(h, "f64x2"),
        harness_type(h, "f32x4"), geo_ir_type_array(h->module, harness_type(h, "i16"), 70)};
    static const uint32_t flags[] = {0, SpvMemoryAccessVolatileMask,
                                     SpvMemoryAccessNontemporalMask};
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        for (uint32_t n = 0; n < 24; n++) {
            struct copy_case test = {.type = types[t], .masked = n & 1};
            test.load = n & 2 ? FORM_TABLE : FORM_ID;
            test.store = n & 2 ? FORM_ID : n % 3 ? FORM_TWICE : FORM_ID;
            test.flags = flags[n / 4 % 3];
            test.align = n & 8 ? 1 : 0;
            test.whole = n >= 12;
            /* Large objects move by OpCopyMemory only. */
            if (t == 5 && !test.whole) {
                continue;
            }
            if (t == 0 && test.whole) {
                test.store = FORM_UNIFORM;
                test.load = FORM_BACK;
            }
            cases[(*count)++] = test;
        }
    }
}

static void structs_alignment_volatile_and_copies(void **state)
{
    (void)state;
    run_everywhere(odd_list);
}

/* ---- OpCopyMemorySized ---- */

static uint32_t sized_build(struct harness *h, int kind, bool masked)
{
    struct harness_function fn;
    harness_function_begin(h, &fn);
    const struct geo_ir_type *byte = harness_type(h, "i8"), *word = harness_type(h, "i64");
    struct geo_ir_value *operands[2] = {fn.id, harness_constant(&fn, word, 32)};
    struct geo_ir_value *at = &harness_add(&fn, SpvOpIMul, word, operands, 2, NULL, 0)->value;
    struct geo_ir_value *copy[3];
    copy[0] = harness_element(&fn, HARNESS_INPUTS, byte, at, SpvStorageClassCrossWorkgroup);
    copy[1] = harness_element(&fn, 0, byte, at, SpvStorageClassCrossWorkgroup);
    copy[2] = kind == 0 ? harness_constant(&fn, word, 21)
                        : harness_load_input(&fn, 1, harness_type(h, "i32"),
                                             kind == 1 ? HARNESS_UNIFORM : HARNESS_VARYING);
    harness_add(&fn, SpvOpCopyMemorySized, geo_ir_type_void(h->module), copy, 3, NULL, 0);
    return harness_function_end(&fn, masked, NULL);
}

static void copies_of_run_time_size(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 8, 16};
    for (uint32_t w = 0; w < 3; w++) {
        struct harness h;
        harness_begin(&h, w == 2 ? "x86-64-v4" : "x86-64-v3", widths[w], true);
        for (uint32_t i = 0; i < 6; i++) {
            sized_build(&h, (int)(i / 2), i % 2);
        }
        bool runs = harness_load(&h);
        for (uint32_t i = 0; runs && i < 6; i++) {
            uint32_t sizes[16];
            char in[16 * 32], out[16 * 32];
            for (uint32_t n = 0; n < 16; n++) {
                sizes[n] = n == 0 ? 9 : n * 7 % 33;
            }
            memset(out, 0, sizeof(out));
            for (uint32_t n = 0; n < sizeof(in); n++) {
                in[n] = (char)(n | 1);
            }
            uint64_t mask = i % 2 && widths[w] > 1 ? 0x5a96 & ((1u << widths[w]) - 1) : 0xffff;
            void *inputs[HARNESS_INPUTS] = {in, sizes};
            harness_call(&h, i, inputs, out, 0, mask);
            for (uint32_t n = 0; n < 16 * 32; n++) {
                uint32_t lane = n / 32, size = i < 2 ? 21 : i < 4 ? sizes[0] : sizes[lane];
                bool copied = lane < widths[w] && (mask >> lane & 1) && n % 32 < size;
                assert_int_equal(out[n], copied ? in[n] : 0);
            }
        }
        harness_end(&h);
    }
}

/* ---- addresses ---- */

/* &in[i].member2[j] as a number less &in[0] */
static uint32_t chain_build(struct harness *h, uint32_t index_bits, bool varying, bool difference)
{
    struct harness_function fn;
    harness_function_begin(h, &fn);
    const struct geo_ir_type *type = mixed_struct(h), *word = harness_type(h, "i64");
    const struct geo_ir_type *half = harness_type(h, "i16");
    const struct geo_ir_type *narrow = geo_ir_type_int(h->module, index_bits);
    struct geo_ir_value *base = harness_element(&fn, 0, type, NULL, SpvStorageClassCrossWorkgroup);
    struct geo_ir_value *operands[4] = {base};
    operands[1] = harness_load_input(&fn, 1, narrow, varying ? HARNESS_VARYING : HARNESS_UNIFORM);
    operands[2] = harness_constant(&fn, harness_type(h, "i32"), 2);
    operands[3] = harness_load_input(&fn, 2, narrow, HARNESS_VARYING);
    const struct geo_ir_type *pointer =
        geo_ir_type_pointer(h->module, half, SpvStorageClassCrossWorkgroup);
    struct geo_ir_value *address =
        &harness_add(&fn, SpvOpPtrAccessChain, pointer, operands, 4, NULL, 0)->value;
    struct geo_ir_value *start = &harness_add(&fn, SpvOpBitcast, pointer, &base, 1, NULL, 0)->value;
    if (difference) {
        struct geo_ir_value *both[2] = {address, start};
        harness_store_output(&fn, &harness_add(&fn, SpvOpPtrDiff, word, both, 2, NULL, 0)->value);
    } else {
        address = &harness_add(&fn, SpvOpConvertPtrToU, word, &address, 1, NULL, 0)->value;
        start = &harness_add(&fn, SpvOpConvertPtrToU, word, &start, 1, NULL, 0)->value;
        struct geo_ir_value *both[2] = {address, start};
        harness_store_output(&fn, &harness_add(&fn, SpvOpISub, word, both, 2, NULL, 0)->value);
    }
    return harness_function_end(&fn, false, NULL);
}

static void access_chains_with_signed_indices_of_any_width(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 8, 16}, bits[] = {16, 32, 64};
    for (uint32_t w = 0; w < 3; w++) {
        struct harness h;
        harness_begin(&h, "x86-64-v3", widths[w], true);
        const struct geo_ir_type *type = mixed_struct(&h);
        for (uint32_t i = 0; i < 12; i++) {
            chain_build(&h, bits[i / 4], i & 1, i & 2);
        }
        bool runs = harness_load(&h);
        for (uint32_t i = 0; runs && i < 12; i++) {
            int64_t out[16], first[16], second[16];
            char raw[2][16 * 8];
            uint32_t bytes = bits[i / 4] / 8;
            for (int n = 0; n < 16; n++) {
                first[n] = n * 3 - 20;
                second[n] = n - 7;
                memcpy(raw[0] + n * bytes, &first[n], bytes);
                memcpy(raw[1] + n * bytes, &second[n], bytes);
            }
            void *inputs[HARNESS_INPUTS] = {raw, raw[0], raw[1]};
            harness_call(&h, i, inputs, out, 0, ~0ull);
            for (uint32_t n = 0; n < widths[w]; n++) {
                int64_t expected = first[i & 1 ? n : 0] * (int64_t)type->size +
                                   (int64_t)type->offsets[2] + second[n] * 2;
                assert_int_equal(out[n], i & 2 ? expected / 2 : expected);
            }
        }
        harness_end(&h);
    }
}

static struct geo_ir_value *pointer_test(struct harness_function *fn, unsigned op,
                                         struct geo_ir_value *a, struct geo_ir_value *b)
{
    struct geo_ir_value *both[2] = {a, b};
    return &harness_add(fn, op, harness_type(fn->h, "b"), both, 2, NULL, 0)->value;
}

static void pointers_compare_and_move_by_bytes(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 8};
    for (uint32_t w = 0; w < 2; w++) {
        struct harness h;
        struct harness_function fn;
        harness_begin(&h, "x86-64-v2", widths[w], true);
        const struct geo_ir_type *word = harness_type(&h, "i32");
        for (uint32_t i = 0; i < 2; i++) {
            harness_function_begin(&h, &fn);
            struct geo_ir_value *start =
                harness_element(&fn, 0, word, NULL, SpvStorageClassCrossWorkgroup);
            /* in0 + in1[id] bytes, against &in0[id] */
            struct geo_ir_value *operands[2] = {
                start, harness_load_input(&fn, 1, harness_type(&h, "i64"), HARNESS_VARYING)};
            struct geo_ir_value *moved =
                &harness_add(&fn, GEO_OP_PTR_ADD, start->type, operands, 2, NULL, 0)->value;
            struct geo_ir_value *element =
                harness_element(&fn, 0, word, fn.id, SpvStorageClassCrossWorkgroup);
            harness_store_output(
                &fn, pointer_test(&fn, i ? SpvOpPtrNotEqual : SpvOpPtrEqual, moved, element));
            harness_function_end(&fn, false, NULL);
        }
        bool runs = harness_load(&h);
        for (uint32_t i = 0; runs && i < 2; i++) {
            int32_t data[16] = {0};
            int64_t offsets[16];
            uint8_t out[16];
            for (int n = 0; n < 16; n++) {
                offsets[n] = n % 3 ? n * 4 : -4 * n;
            }
            void *inputs[HARNESS_INPUTS] = {data, offsets};
            harness_call(&h, i, inputs, out, 0, ~0ull);
            for (uint32_t n = 0; n < widths[w]; n++) {
                assert_int_equal(out[n], (offsets[n] == (int64_t)n * 4) == (i == 0));
            }
        }
        harness_end(&h);
    }
}

/* The harness passes in0 as the worker and in1 as the launch; in2[id] are the pointers. */
static void explicit_casts_tell_local_private_and_global(void **state)
{
    (void)state;
    static const SpvStorageClass to[] = {SpvStorageClassWorkgroup, SpvStorageClassFunction,
                                         SpvStorageClassCrossWorkgroup};
    struct harness h;
    harness_begin(&h, "x86-64-v3", 8, true);
    const struct geo_ir_type *byte = harness_type(&h, "i8"), *word = harness_type(&h, "i64");
    for (uint32_t i = 0; i < 3; i++) {
        struct harness_function fn;
        harness_function_begin(&h, &fn);
        const struct geo_ir_type *generic =
            geo_ir_type_pointer(h.module, byte, SpvStorageClassGeneric);
        struct geo_ir_value *value = harness_load_input(&fn, 2, word, HARNESS_VARYING);
        value = &harness_add(&fn, SpvOpConvertUToPtr, generic, &value, 1, NULL, 0)->value;
        uint32_t literal = to[i];
        value = &harness_add(&fn, SpvOpGenericCastToPtrExplicit,
                             geo_ir_type_pointer(h.module, byte, to[i]), &value, 1, &literal, 1)
                     ->value;
        value = &harness_add(&fn, SpvOpConvertPtrToU, word, &value, 1, NULL, 0)->value;
        harness_store_output(&fn, value);
        harness_function_end(&fn, false, NULL);
    }
    if (harness_load(&h)) {
        static uint8_t memory[512];
        uint8_t *scratch = memory + 128;
        struct geo_worker worker = {.scratch = scratch, .scratch_bytes = 256};
        struct geo_launch launch = {.frame_offset = 128};
        uint8_t *pointers[8] = {scratch,       scratch + 127, scratch + 128, scratch + 255,
                                scratch + 256, scratch - 1,   (uint8_t *)&h, NULL};
        static const uint8_t kind[8] = {0, 0, 1, 1, 2, 2, 2, 2};
        for (uint32_t i = 0; i < 3; i++) {
            uint8_t *out[8];
            void *inputs[HARNESS_INPUTS] = {&worker, &launch, pointers};
            harness_call(&h, i, inputs, out, 0, ~0ull);
            for (uint32_t n = 0; n < 8; n++) {
                assert_ptr_equal(out[n], kind[n] == i ? pointers[n] : NULL);
            }
        }
    }
    harness_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_of_every_class),
        cmocka_unit_test(short_vectors_of_every_class),
        cmocka_unit_test(structs_alignment_volatile_and_copies),
        cmocka_unit_test(copies_of_run_time_size),
        cmocka_unit_test(access_chains_with_signed_indices_of_any_width),
        cmocka_unit_test(pointers_compare_and_move_by_bytes),
        cmocka_unit_test(explicit_casts_tell_local_private_and_global),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
