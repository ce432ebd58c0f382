/* Unit test of requests and answers as bytes: they come out as they went in, and whatever else
 * arrives is refused. */
#include "compiler/facade/message.h"
#include "compiler/ir/remark.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint32_t words[] = {0x07230203, 0x00010000, 0, 10, 0, 0x00020011, 6};

static struct geo_order *order_make(void)
{
    const struct geo_compiler_source sources[] = {
        {.spirv = words, .bytes = sizeof(words), .options = "-ze-opt-level=1"},
        {.spirv = words, .bytes = sizeof(words) - 3, .unit = 1},
    };
    const struct geo_compiler_link links[] = {{.importer = 0, .exporter = 1, .name = "f"},
                                              {.importer = 1, .exporter = 0, .name = ""}};
    const struct geo_compiler_request request = {.source_count = 2,
                                                 .sources = sources,
                                                 .unit_count = 2,
                                                 .link_count = 2,
                                                 .links = links,
                                                 .function = "f",
                                                 .kernels = GEO_COMPILER_KERNELS_AUTO,
                                                 .restricted = true,
                                                 .counted = true,
                                                 .instrumented = true,
                                                 .near_null = true,
                                                 .kernel_count = 2,
                                                 .kernel_names = (const char *const[]){"k", ""},
                                                 .target_cpu = "x86-64-v2",
                                                 .lanes = 8,
                                                 .tile = 4};
    struct geo_order *order = geo_order_create(&request);
    assert_non_null(order);
    return order;
}

/* Bytes that are their own, with nothing behind them. */
static struct geo_message copy_of(const struct geo_message *message, size_t count)
{
    struct geo_message copy = {.bytes = malloc(count + 1), .count = count};
    uint8_t *exact = realloc(copy.bytes, count ? count : 1);
    copy.bytes = exact;
    memcpy(copy.bytes, message->bytes, count);
    return copy;
}

static void order_check(const struct geo_order *order)
{
    const struct geo_compiler_request *request = &order->request;
    assert_int_equal(request->source_count, 2);
    assert_int_equal(request->sources[0].bytes, sizeof(words));
    assert_memory_equal(request->sources[0].spirv, words, sizeof(words));
    assert_string_equal(request->sources[0].options, "-ze-opt-level=1");
    assert_int_equal(request->sources[0].constant_count, 0);
    assert_int_equal(request->sources[1].bytes, sizeof(words) - 3);
    assert_memory_equal(request->sources[1].spirv, words, sizeof(words) - 3);
    assert_null(request->sources[1].options);
    assert_int_equal(request->sources[1].unit, 1);
    assert_int_equal(request->unit_count, 2);
    assert_int_equal(request->link_count, 2);
    assert_int_equal(request->links[0].exporter, 1);
    assert_string_equal(request->links[0].name, "f");
    assert_int_equal(request->links[1].importer, 1);
    assert_string_equal(request->links[1].name, "");
    assert_string_equal(request->function, "f");
    assert_int_equal(request->kernel_count, 2);
    assert_string_equal(request->kernel_names[0], "k");
    assert_string_equal(request->kernel_names[1], "");
    assert_int_equal(request->kernels, GEO_COMPILER_KERNELS_AUTO);
    assert_true(request->restricted);
    assert_true(request->counted);
    assert_true(request->instrumented);
    assert_true(request->near_null);
    assert_string_equal(request->target_cpu, "x86-64-v2");
    assert_int_equal(request->lanes, 8);
    assert_int_equal(request->tile, 4);
}

static void orders_come_out_as_they_went_in(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    order_check(order);
    geo_order_set_attempt(order, 2);
    struct geo_message message = copy_of(&order->message, order->message.count);
    struct geo_order *other = geo_order_read(&message);
    assert_non_null(other);
    assert_null(message.bytes); /* it is the order's now */
    order_check(other);
    assert_int_equal(other->attempt, 2);
    assert_int_equal(other->seconds, 60);
    assert_int_equal(other->memory_bytes, UINT64_C(4096) << 20);
    geo_order_unref(order);
    order_check(other); /* nothing in it is the first one's */
    geo_order_unref(other);
}

static void what_is_no_order_is_refused(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    for (size_t count = 0; count < order->message.count; count++) {
        struct geo_message cut = copy_of(&order->message, count);
        assert_null(geo_order_read(&cut));
    }
    for (size_t at = 0; at < order->message.count; at++) { /* any, but nothing beyond its bytes */
        struct geo_message broken = copy_of(&order->message, order->message.count);
        broken.bytes[at] ^= 0xff;
        geo_order_unref(geo_order_read(&broken));
    }
    geo_order_unref(order);
}

static void specialisation_constants_are_in_the_copy(void **state)
{
    (void)state;
    /* OpDecorate %3 SpecId 7; %1 = OpTypeInt 16; %3 = OpSpecConstant %1 5 */
    const uint32_t module[] = {0x07230203, 0x00010000,   0, 10, 0, 4 << 16 | 71, 3, 1,
                               7,          4 << 16 | 21, 1, 16, 0, 4 << 16 | 50, 1, 3,
                               5};
    uint8_t *value = malloc(2); /* of the constant's own size, and no more */
    value[0] = 0x34;
    value[1] = 0x12;
    const uint32_t id = 7;
    const void *const values[] = {value};
    const struct geo_compiler_source source = {.spirv = module,
                                               .bytes = sizeof(module),
                                               .constant_count = 1,
                                               .constant_ids = &id,
                                               .constant_values = values};
    const struct geo_compiler_request request = {.source_count = 1, .sources = &source};
    struct geo_order *order = geo_order_create(&request);
    free(value);
    assert_non_null(order);
    const uint32_t *copy = order->request.sources[0].spirv;
    assert_int_equal(copy[16], 0x1234);
    assert_memory_equal(copy, module, 16 * sizeof(uint32_t));
    geo_order_unref(order);
}

static void answers_come_out_as_they_went_in(void **state)
{
    (void)state;
    struct geo_answer answer = {.result = ZE_RESULT_SUCCESS,
                                .log = (char *)"note",
                                .binary = (void *)words,
                                .binary_bytes = sizeof(words)};
    struct geo_answer other;
    struct geo_message message = {0};
    assert_true(geo_answer_write(&answer, &message));
    assert_true(geo_answer_read(&message, &other));
    assert_string_equal(other.log, "note");
    assert_int_equal(other.binary_bytes, sizeof(words));
    assert_memory_equal(other.binary, words, sizeof(words));
    geo_answer_finish(&other);
    for (size_t count = 0; count < message.count; count++) {
        struct geo_message cut = copy_of(&message, count);
        assert_false(geo_answer_read(&cut, &other));
        free(cut.bytes);
    }
    free(message.bytes);
}

/* Texts of an answer are lists in a message of their own: the report, then the others in order. */
static void texts_come_out_as_they_went_in(void **state)
{
    (void)state;
    struct geo_remarks remarks;
    struct geo_answer answer = {.result = ZE_RESULT_SUCCESS}, other;
    struct geo_message message = {0};
    uint32_t count;
    geo_remarks_init(&remarks, GEO_REMARK_REPORT | GEO_REMARK_MODELS);
    geo_remarks_current = &remarks;
    geo_remark_code("kernel.a\"\n", "\"spills\": %d", 3);
    geo_remark_text(GEO_REMARK_MODELS, "loops", "text and more", 4);
    geo_remark_text(GEO_REMARK_LLVM, "lowered", "not wanted", 10);
    geo_remarks_current = NULL;
    assert_true(geo_answer_texts_write(&answer, &remarks));
    geo_remarks_finish(&remarks);
    assert_true(geo_answer_write(&answer, &message));
    geo_answer_finish(&answer);
    assert_true(geo_answer_read(&message, &other));
    assert_null(other.binary);
    struct geo_compiler_text *texts = geo_answer_texts_read(&other.texts, &count);
    assert_int_equal(count, 2);
    assert_int_equal(texts[0].form, GEO_COMPILER_REPORT);
    assert_string_equal(texts[0].text, "[\n{\"kind\": \"code\", \"symbol\": \"kernel.a\\\"\\\\n\", "
                                       "\"spills\": 3}\n]\n");
    assert_int_equal(texts[0].length, strlen(texts[0].text));
    assert_int_equal(texts[1].form, GEO_COMPILER_MODELS);
    assert_string_equal(texts[1].name, "loops");
    assert_string_equal(texts[1].text, "text");
    free(texts);
    for (size_t bytes = 0; bytes < other.texts.count; bytes++) {
        struct geo_message cut = copy_of(&other.texts, bytes);
        assert_null(geo_answer_texts_read(&cut, &count));
        assert_int_equal(count, 0);
        free(cut.bytes);
    }
    const uint64_t nameless[] = {1, GEO_COMPILER_PTX, UINT64_MAX, UINT64_MAX};
    const struct geo_message hostile = {.bytes = (uint8_t *)nameless, .count = sizeof(nameless)};
    assert_null(geo_answer_texts_read(&hostile, &count));
    geo_answer_finish(&other);
    free(message.bytes);
}

/* Remarks of a thread that collects none are lost, and nothing is printed for them. */
static void remarks_without_a_collection_are_lost(void **state)
{
    (void)state;
    geo_remark_code("kernel.a", "\"spills\": %d", 3);
    geo_remark_access_part(GEO_REMARK_LANES);
    geo_remark_model(NULL, "loops");
    geo_remarks_accesses_add();
    assert_false(geo_remarks_wanted());
}

/* A child may say anything: no result that a build has not, no code without success, no success
 * without code. */
static void answers_that_no_build_gives_are_refused(void **state)
{
    (void)state;
    const struct geo_answer answers[] = {
        {.result = ZE_RESULT_SUCCESS},
        {.result = ZE_RESULT_ERROR_DEVICE_LOST},
        {.result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
         .binary = (void *)words,
         .binary_bytes = 8},
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct geo_message message = {0};
        struct geo_answer other;
        assert_true(geo_answer_write(&answers[i], &message));
        assert_false(geo_answer_read(&message, &other));
        free(message.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_come_out_as_they_went_in),
        cmocka_unit_test(what_is_no_order_is_refused),
        cmocka_unit_test(specialisation_constants_are_in_the_copy),
        cmocka_unit_test(answers_come_out_as_they_went_in),
        cmocka_unit_test(texts_come_out_as_they_went_in),
        cmocka_unit_test(remarks_without_a_collection_are_lost),
        cmocka_unit_test(answers_that_no_build_gives_are_refused),
    };
    return cmocka_run_group_tests_name("facade_message", tests, NULL, NULL);
}
