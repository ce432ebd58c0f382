/* zedbg without a debugged process: reads the debug information of a module that the compiler has
 * built, finds lines and functions, and evaluates variables in memory that this test makes up.
 *
 *     zedbg_dwarf FOLDER
 *
 * FOLDER has the modules stencil.O0.spv, stencil.O2.spv and stencil.plain.spv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/zedbg/chunk.h"
#include "tools/zedbg/error.h"
#include "tools/zedbg/expression.h"
#include "tools/zedbg/line.h"
#include "tools/zedbg/memory.h"
#include "tools/zedbg/module.h"
#include "tools/zedbg/place.h"
#include "tools/zedbg/print.h"
#include "tools/zedbg/scope.h"

#include <level_zero/ze_api.h>
#include <level_zero/zet_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD    UINT64_C(0x40000000)
#define STACK   UINT64_C(0x10000)
#define PRIVATE UINT64_C(0x20000)
enum { LANES = 8, WORDS = 1024, PRIVATE_BYTES = 4096 };

static const char *folder;

/* ---- modules ---- */

static void check(ze_result_t result)
{
    if (result != ZE_RESULT_SUCCESS) {
        fail_msg("Level Zero says 0x%x", (unsigned)result);
    }
}

static uint8_t *file_read(const char *name, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("%s cannot be opened", path);
    }
    uint8_t *bytes = malloc(1 << 16);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

/* Builds a module and returns its binary, which the caller frees. */
static uint8_t *module_build(const char *name, const char *flags, size_t *size)
{
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_module_handle_t module;
    uint32_t one = 1;
    ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint8_t *spirv = file_read(name, size);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = *size,
                             .pInputModule = spirv,
                             .pBuildFlags = flags};
    check(zeInit(0));
    check(zeDriverGet(&one, &driver));
    check(zeDeviceGet(driver, &one, &device));
    check(zeContextCreate(driver, &context_desc, &context));
    check(zeModuleCreate(context, device, &desc, &module, NULL));
    check(zeModuleGetNativeBinary(module, size, NULL));
    uint8_t *binary = malloc(*size);
    assert_non_null(binary);
    check(zeModuleGetNativeBinary(module, size, binary));
    check(zeModuleDestroy(module));
    check(zeContextDestroy(context));
    free(spirv);
    return binary;
}

static struct module *open_module(const char *name, const char *flags)
{
    size_t size;
    uint8_t *binary = module_build(name, flags, &size);
    struct module *module = module_open(binary, size, LOAD);
    if (!module) {
        fail_msg("%s: %s", name, error_text());
    }
    return module;
}

/* ---- a thread that is made up ---- */

struct thread {
    struct image *image;
    uint64_t words[WORDS];
    uint8_t bytes[PRIVATE_BYTES];
    uint64_t pc;
    struct thread_reader reader;
    struct frame *frames;
    size_t count;
};

static bool read_memory(void *context, uint64_t address, void *bytes, size_t size)
{
    const struct thread *thread = context;
    const uint8_t *words = (const uint8_t *)thread->words;
    if (address >= STACK && address + size <= STACK + sizeof(thread->words)) {
        memcpy(bytes, words + (address - STACK), size);
        return true;
    }
    if (address >= PRIVATE && address + size <= PRIVATE + PRIVATE_BYTES) {
        memcpy(bytes, thread->bytes + (address - PRIVATE), size);
        return true;
    }
    return error_set("memory at 0x%llx cannot be read", (unsigned long long)address);
}

static bool read_register(void *context, unsigned number, void *bytes, size_t size)
{
    const struct thread *thread = context;
    uint64_t value = number == MACHINE_PC   ? thread->pc
                     : number == MACHINE_SP ? STACK + 256
                                            : 1000 + number;
    if (size > sizeof(value)) {
        return error_set("register %u cannot be read", number);
    }
    memcpy(bytes, &value, size);
    return true;
}

static struct image *image_at(void *context, uint64_t address)
{
    const struct thread *thread = context;
    return image_has_code(thread->image, address) ? thread->image : NULL;
}

static void thread_stop(struct thread *thread, struct image *image, uint64_t pc)
{
    *thread = (struct thread){.image = image, .pc = pc};
    thread->reader = (struct thread_reader){.context = thread,
                                            .read_memory = read_memory,
                                            .read_register = read_register,
                                            .image = image_at};
    for (size_t i = 0; i < WORDS; i++) {
        thread->words[i] = i;
    }
    thread->count = frames_make(&thread->reader, &thread->frames);
    assert_int_not_equal(thread->count, 0);
}

static struct value variable(const struct thread *thread, const char *name)
{
    Dwarf_Die die;
    struct value value;
    const struct frame *frame = &thread->frames[0];
    assert_true(scope_variable(frame->scope, name, &die));
    if (!value_variable(&frame->state, &die, &value)) {
        fail_msg("%s: %s", name, error_text());
    }
    return value;
}

/* Finds the words in which the chunk's fields are: each word has its own number so far. Sets them,
 * and makes all others point to private memory. */
static void chunk_set(struct thread *thread, const char *const names[], const uint64_t numbers[],
                      size_t count)
{
    uint64_t words[16];
    const struct state *state = &thread->frames[0].state;
    const struct value chunk = variable(thread, SCOPE_CHUNK);
    for (size_t i = 0; i < count; i++) {
        struct value field;
        int64_t word;
        assert_true(value_member(state, &chunk, names[i], &field));
        assert_true(value_integer(state, &field, &word));
        assert_in_range(word, 0, WORDS - 1);
        words[i] = (uint64_t)word;
    }
    for (size_t i = 0; i < WORDS; i++) {
        thread->words[i] = PRIVATE;
    }
    for (size_t i = 0; i < count; i++) {
        thread->words[words[i]] = numbers[i];
    }
}

static const char *const fields[] = {
    "lanes",          "is_linear",    "mask",         "linear",          "group_x",
    "group_y",        "group_z",      "local_x",      "local_y",         "local_z",
    "local_size_x",   "local_size_y", "local_size_z", "global_offset_x", "global_offset_y",
    "global_offset_z"};

/* Stops at a line of stencil.cl at which work-items 24 to 31 run, of which lane 3 is off. */
static void stop_at(struct thread *thread, struct image *image, int line)
{
    static const uint64_t numbers[] = {LANES, 0, 0xf7, 0, 1, 0, 0, 8, 0, 0, 16, 1, 1, 0, 0, 0};
    uint64_t *addresses;
    assert_int_not_equal(place_of_line(image, "stencil.cl", &line, &addresses), 0);
    thread_stop(thread, image, addresses[0]);
    chunk_set(thread, fields, numbers, 16);
}

static void set_bytes(struct thread *thread, const struct value *value, const void *bytes,
                      size_t size)
{
    assert_true(value->in_memory);
    assert_in_range(value->address, PRIVATE, PRIVATE + PRIVATE_BYTES - size);
    memcpy(thread->bytes + (value->address - PRIVATE), bytes, size);
}

/* ---- lines and functions ---- */

static void lines_have_addresses_in_each_copy(void **state)
{
    struct module *module = *state;
    struct image *image = &module->image;
    uint64_t *addresses;
    int line = 26;
    const size_t count = place_of_line(image, "stencil.cl", &line, &addresses);
    assert_int_equal(line, 26);
    assert_int_equal(count, 2); /* whole chunks, partial chunks */
    for (size_t i = 0; i < count; i++) {
        const struct line_row *row = line_of(image, addresses[i]);
        assert_non_null(row);
        assert_int_equal(row->line, 26);
        assert_int_equal(row->address, addresses[i]);
        assert_true(image_has_code(image, addresses[i]));
    }
    line = 11; /* the brace behind weigh: kernel stencil follows */
    assert_int_not_equal(place_of_line(image, "stencil.cl", &line, &addresses), 0);
    assert_true(line > 11);
    line = 1000;
    assert_int_equal(place_of_line(image, "stencil.cl", &line, &addresses), 0);
    line = 26;
    assert_int_equal(place_of_line(image, "tencil.cl", &line, &addresses), 0);
    assert_non_null(line_file(image, "gdb/stencil.cl"));
    assert_null(line_file(image, "other.cl"));
    assert_null(line_of(image, LOAD - 1));
}

static void functions_have_addresses_where_a_chunk_is_known(void **state)
{
    struct module *module = *state;
    uint64_t *addresses, start, size;
    size_t count = place_of_function(&module->image, "stencil", &addresses);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) {
        struct thread thread;
        assert_string_equal(image_symbol(&module->image, addresses[i], &start, &size), "stencil");
        thread_stop(&thread, &module->image, addresses[i]);
        assert_string_equal(thread.frames[0].name, "stencil");
        (void)variable(&thread, SCOPE_CHUNK);
    }
    assert_int_equal(place_of_function(&module->image, "weigh", &addresses), 1);
    assert_int_equal(place_of_function(&module->image, "other", &addresses), 0);
}

static void inlined_calls_are_frames(void **state)
{
    (void)state;
    struct module *module = open_module("stencil.O2.spv", "-g");
    uint64_t *addresses;
    const size_t count = place_of_function(&module->image, "weigh", &addresses);
    assert_int_not_equal(count, 0);
    struct scope *scopes;
    assert_int_equal(scopes_at(&module->image, addresses[0], &scopes), 2);
    assert_string_equal(scopes[0].name, "weigh");
    assert_true(scopes[0].is_inlined);
    assert_int_equal(scopes[0].call_line, 21);
    assert_non_null(strstr(scopes[0].call_file, "stencil.cl"));
    assert_string_equal(scopes[1].name, "stencil");
    assert_false(scopes[1].is_inlined);
    module_close(module);
}

static void a_module_without_debug_information_has_functions(void **state)
{
    (void)state;
    struct module *module = open_module("stencil.plain.spv", "");
    uint64_t *addresses, address;
    int line = 26;
    assert_int_equal(place_of_line(&module->image, "stencil.cl", &line, &addresses), 0);
    assert_true(image_function(&module->image, "sums", &address));
    assert_int_equal(place_of_function(&module->image, "sums", &addresses), 1);
    assert_int_equal(addresses[0], address);
    struct thread thread;
    thread_stop(&thread, &module->image, address);
    assert_string_equal(thread.frames[0].name, "sums");
    assert_null(thread.frames[0].scope);
    module_close(module);
}

/* Instructions that the compiler adds have no line, and lie in gaps of the block of a chunk. */
static void code_of_a_chunk_has_a_chunk_everywhere(void **state)
{
    struct module *module = *state;
    uint64_t *first, *last;
    size_t without_line = 0;
    int line = 27;
    assert_int_equal(place_of_function(&module->image, "stencil", &first), 2);
    assert_int_equal(place_of_line(&module->image, "stencil.cl", &line, &last), 2);
    const uint64_t end = last[0];
    for (uint64_t address = first[0]; address < end; address++) {
        struct scope *scopes;
        Dwarf_Die variable;
        const size_t count = scopes_at(&module->image, address, &scopes);
        assert_int_not_equal(count, 0);
        if (!scope_variable(&scopes[count - 1], SCOPE_CHUNK, &variable)) {
            fail_msg("no chunk is known at 0x%llx", (unsigned long long)(address - LOAD));
        }
        without_line += line_of(&module->image, address)->line == 0;
        assert_int_not_equal(line_near(&module->image, address)->line, 0);
        scratch_reset();
    }
    assert_int_not_equal(without_line, 0);
}

/* ---- work-items and variables ---- */

static void work_items_have_lanes(void **state)
{
    struct module *module = *state;
    struct thread thread;
    struct chunk chunk;
    uint64_t lane;
    stop_at(&thread, &module->image, 26);
    assert_true(chunk_read(thread.frames, thread.count, 0, &chunk));
    assert_int_equal(chunk.lanes, LANES);
    assert_true(chunk_find(&chunk, (int64_t[]){29, 0, 0}, &lane));
    assert_int_equal(lane, 5);
    assert_false(chunk_find(&chunk, (int64_t[]){32, 0, 0}, &lane));
    assert_false(chunk_find(&chunk, (int64_t[]){29, 1, 0}, &lane));
    assert_int_equal(chunk_state(&chunk, 5), LANE_ON);
    assert_int_equal(chunk_state(&chunk, 3), LANE_OFF);
    struct item_id id = chunk_local(&chunk, 5);
    assert_string_equal(item_text(&id), "13,0,0");
}

static void linear_chunks_wrap_into_rows(void **state)
{
    static const uint64_t numbers[] = {LANES, 1, 0xff, 6, 2, 1, 0, 0, 0, 0, 4, 3, 2, 100, 0, 0};
    struct module *module = *state;
    struct thread thread;
    struct chunk chunk;
    uint64_t *addresses;
    int line = 26;
    assert_int_not_equal(place_of_line(&module->image, "stencil.cl", &line, &addresses), 0);
    thread_stop(&thread, &module->image, addresses[0]);
    chunk_set(&thread, fields, numbers, 16);
    assert_true(chunk_read(thread.frames, thread.count, 0, &chunk));
    struct item_id id = chunk_local(&chunk, 7); /* item 13 of 4 x 3 x 2 */
    assert_string_equal(item_text(&id), "1,0,1");
    id = chunk_global(&chunk, 7);
    assert_string_equal(item_text(&id), "109,3,1");
}

static void each_lane_has_its_own_values(void **state)
{
    struct module *module = *state;
    struct thread thread;
    struct chunk chunk;
    int i[LANES];
    struct {
        float sum;
        int count;
    } totals[LANES];
    float nearest[4][LANES] = {{0}}; /* element i of all lanes side by side */
    stop_at(&thread, &module->image, 26);
    for (int lane = 0; lane < LANES; lane++) {
        i[lane] = 24 + lane;
        totals[lane].sum = (float)lane + 0.5f;
        totals[lane].count = -lane;
        nearest[2][lane] = 3.0f * (float)lane;
    }
    struct value all = variable(&thread, "i");
    assert_int_equal(all.type->kind, TYPE_LANES);
    set_bytes(&thread, &all, i, sizeof(i));
    all = variable(&thread, "t");
    set_bytes(&thread, &all, totals, sizeof(totals));
    all = variable(&thread, "nearest");
    assert_int_equal(all.type->form, FORM_INTERLEAVED);
    set_bytes(&thread, &all, nearest, sizeof(nearest));
    assert_true(chunk_read(thread.frames, thread.count, 0, &chunk));
    struct value lane, element;
    uint64_t address;
    assert_true(value_lane(&thread.frames[0].state, &all, 5, &lane));
    assert_true(value_index(&thread.frames[0].state, &lane, 2, &element));
    assert_false(value_address(&lane, &address));
    assert_true(value_address(&element, &address)); /* where the test has put it */
    assert_int_equal(address, all.address + sizeof(nearest[0]) * 2 + sizeof(float) * 5);

    static const struct {
        const char *text, *value;
    } cases[] = {
        {"i", "29"},
        {"t", "{sum = 5.5, count = -5}"},
        {"t.sum", "5.5"},
        {"nearest", "{0, 0, 15, 0}"},
        {"nearest[2] * 2 + t.count", "25"},
        {"(&t)->count", "-5"},
        {"*(&i)", "29"},
        {"*&t.sum", "5.5"},
        {"get_global_id(0)", "29"},
        {"get_local_id(0) + get_group_id(0) * get_local_size(0)", "29"},
        {"get_global_id(1)", "0"},
        {"i == 29 && t.sum > 5", "1"},
        {"i == 28 || !t.count", "0"},
        {"(uchar)(i + 250)", "23 '\\027'"},
        {"(float)i / 2", "14.5"},
        {"i / 2", "14"},
        {"-i % 4", "-1"},
        {"(1 + 2) * 3 << 2", "36"},
        {"~0", "-1"},
        {"0xffu", "255"},
        {"1.5f", "1.5"},
        {"'a'", "97"},
        {"$pc == 1", "0"},
        {"$rdx", "1001"},
    };
    const struct place place = {&thread.frames[0], &chunk, 5};
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct value value;
        if (!expression_evaluate(&place, cases[at].text, &value)) {
            fail_msg("%s: %s", cases[at].text, error_text());
        }
        const char *text = print_value(expression_state(&place), &value, STYLE_USUAL);
        if (strcmp(text, cases[at].value) != 0) {
            fail_msg("%s is %s, not %s", cases[at].text, text, cases[at].value);
        }
    }
}

static void wrong_expressions_have_a_reason(void **state)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "a value is expected at the end"},
        {"i +", "a value is expected at the end"},
        {"(i", "')' is expected at the end"},
        {"other", "variable other does not exist in stencil"},
        {"t.other", "total has no member other"},
        {"i.x", "int has no members: .x needs a structure or vector"},
        {"ends.z", "float2 has no components .z"},
        {"nearest[4]", "index 4 is out of range: float [4] has 4 elements"},
        {"i[0]", "int has no elements"},
        {"*i", "int is not a pointer"},
        {"t + 1", "the operator + needs numbers, not total"},
        {"1 / 0", "division by 0"},
        {"i i", "\"i\" does not belong to the expression"},
        {"12x", "\"12x\" is not a number"},
        {"$rzx", "register $rzx does not exist"},
        {"weigh(1)", "zedbg calls no functions, only get_global_id and the like: weigh"},
        {"*(int *)16 + 1", "memory at 0x10 cannot be read"},
        {"&1", "the value has no address: it is not in memory"},
    };
    struct module *module = *state;
    struct thread thread;
    struct chunk chunk;
    stop_at(&thread, &module->image, 26);
    assert_true(chunk_read(thread.frames, thread.count, 0, &chunk));
    const struct place place = {&thread.frames[0], &chunk, 5};
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct value value;
        assert_false(expression_evaluate(&place, cases[at].text, &value));
        if (strcmp(error_text(), cases[at].reason) != 0) {
            fail_msg("%s: the error is \"%s\"", cases[at].text, error_text());
        }
    }
}

static void vectors_have_components(void **state)
{
    struct module *module = *state;
    struct thread thread;
    struct chunk chunk;
    float ends[LANES][2];
    stop_at(&thread, &module->image, 26);
    for (int lane = 0; lane < LANES; lane++) {
        ends[lane][0] = (float)lane;
        ends[lane][1] = 100.0f + (float)lane;
    }
    const struct value all = variable(&thread, "ends");
    set_bytes(&thread, &all, ends, sizeof(ends));
    assert_true(chunk_read(thread.frames, thread.count, 0, &chunk));
    const struct place place = {&thread.frames[0], &chunk, 3};
    static const struct {
        const char *text, *value;
    } cases[] = {{"ends", "(float2)(3, 103)"},    {"ends.y", "103"},  {"ends.s1", "103"},
                 {"ends.yx", "(float2)(103, 3)"}, {"ends[1]", "103"}, {"ends.hi", "103"}};
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct value value;
        assert_true(expression_evaluate(&place, cases[at].text, &value));
        assert_string_equal(print_value(expression_state(&place), &value, STYLE_USUAL),
                            cases[at].value);
    }
    assert_string_equal(print_value(expression_state(&place), &all, STYLE_USUAL),
                        "{(float2)(0, 100), (float2)(1, 101), (float2)(2, 102), (float2)(3, 103), "
                        "(float2)(4, 104), (float2)(5, 105), (float2)(6, 106), (float2)(7, 107)}");
}

/* ---- hostile images ---- */

static void broken_images_are_refused(void **state)
{
    size_t size;
    (void)state;
    uint8_t *binary = module_build("stencil.O0.spv", "-g -ze-opt-disable", &size);
    for (size_t length = 0; length < size; length += 97) { /* cut off */
        uint8_t *copy = malloc(length + 1);
        assert_non_null(copy);
        memcpy(copy, binary, length);
        struct module *module = module_open(copy, length, LOAD);
        if (length < size / 2) {
            assert_null(module);
            assert_int_not_equal(strlen(error_text()), 0);
        }
        module_close(module);
    }
    uint32_t random = 1;
    for (int round = 0; round < 300; round++) { /* changed */
        uint8_t *copy = malloc(size);
        uint64_t *addresses;
        assert_non_null(copy);
        memcpy(copy, binary, size);
        for (int i = 0; i < 8; i++) {
            random = random * 1664525 + 1013904223;
            copy[(random >> 8) % size] = (uint8_t)random;
        }
        struct module *module = module_open(copy, size, LOAD);
        if (module) {
            int line = 26;
            struct thread thread = {0};
            const size_t count = place_of_line(&module->image, "stencil.cl", &line, &addresses);
            thread.image = &module->image;
            thread.reader = (struct thread_reader){&thread, read_memory, read_register, image_at};
            thread.pc = count ? addresses[0] : LOAD;
            const size_t frames = frames_make(&thread.reader, &thread.frames);
            const struct place place = {frames ? thread.frames : NULL, NULL, 0};
            struct value value;
            static const char *const names[] = {"i", "t", "ends", "nearest", "in", "factors"};
            for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                if (expression_evaluate(&place, names[i], &value)) {
                    (void)print_value(expression_state(&place), &value, STYLE_USUAL);
                }
            }
        }
        module_close(module);
        scratch_reset();
    }
    free(binary);
}

static int setup(void **state)
{
    *state = open_module("stencil.O0.spv", "-g -ze-opt-disable");
    return 0;
}

static int teardown(void **state)
{
    module_close(*state);
    scratch_reset();
    return 0;
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_addresses_in_each_copy),
        cmocka_unit_test(functions_have_addresses_where_a_chunk_is_known),
        cmocka_unit_test(inlined_calls_are_frames),
        cmocka_unit_test(a_module_without_debug_information_has_functions),
        cmocka_unit_test(code_of_a_chunk_has_a_chunk_everywhere),
        cmocka_unit_test(work_items_have_lanes),
        cmocka_unit_test(linear_chunks_wrap_into_rows),
        cmocka_unit_test(each_lane_has_its_own_values),
        cmocka_unit_test(wrong_expressions_have_a_reason),
        cmocka_unit_test(vectors_have_components),
        cmocka_unit_test(broken_images_are_refused),
    };
    char path[4096];
    folder = argc > 1 ? argv[1] : ".";
    snprintf(path, sizeof(path), "%s/stencil.O0.spv", folder);
    FILE *file = fopen(path, "rb");
    if (!file) {
        puts("skipped: no clang-15 or llvm-spirv-15, which write the debug information");
        return 77;
    }
    fclose(file);
    return cmocka_run_group_tests(tests, setup, teardown);
}
