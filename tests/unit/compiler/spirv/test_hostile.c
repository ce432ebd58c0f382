/* Hostile SPIR-V: truncated, mutated and reordered modules are read or refused with a log, and
 * never more than that. */
#include "support.h"

#include "compiler/builtins/builtins.h"
#include "compiler/spirv/reader.h"
#include "compiler/validate/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MUTATIONS 6000

/* What a build does before transforms. Refusals must say why. True: the module went through. */
static bool survives(const void *bytes, size_t size)
{
    struct geo_strbuf log;
    struct geo_ir_module *module;
    geo_strbuf_init(&log, 1u << 16);
    bool good = geo_spirv_read(bytes, size, &module, &log) == ZE_RESULT_SUCCESS &&
                geo_validate(module, "reading", &log) == ZE_RESULT_SUCCESS &&
                geo_builtins_resolve(module, &log) == ZE_RESULT_SUCCESS;
    if (good) {
        support_assert_valid(module); /* what we add to a valid module is valid */
    } else {
        assert_non_null(strstr(geo_strbuf_text(&log), "error: "));
    }
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    return good;
}

/* Does an instruction end here? */
static bool is_boundary(const uint32_t *words, size_t at)
{
    size_t place = 5;
    while (place < at) {
        place += words[place] >> 16;
    }
    return place == at;
}

/* SPV-1 */
static void truncated_modules_are_refused(void **state)
{
    size_t size;
    uint8_t *bytes = support_fixture_bytes(*state, &size);
    for (size_t cut = 0; cut < size; cut += 4) {
        void *copy = malloc(cut + 1); /* exact size: a tool sees what is read beyond it */
        assert_non_null(copy);
        memcpy(copy, bytes, cut);
        bool good = survives(copy, cut);
        free(copy);
        if (good) {
            assert_true(is_boundary((const uint32_t *)(const void *)bytes, cut / 4));
        }
    }
    free(bytes);
}

/* SPV-1 */
static void mutated_modules_never_crash(void **state)
{
    size_t size, good = 0;
    uint32_t *words = support_fixture_bytes(*state, &size);
    uint32_t *copy = malloc(size);
    struct support_random random = {0x5EED};
    assert_non_null(copy);
    for (int i = 0; i < MUTATIONS; i++) {
        memcpy(copy, words, size);
        for (uint32_t changes = 1 + support_random_below(&random, 3); changes > 0; changes--) {
            uint32_t at = 5 + support_random_below(&random, (uint32_t)(size / 4) - 5);
            switch (support_random_below(&random, 4)) {
            case 0:
                copy[at] ^= 1u << support_random_below(&random, 32);
                break;
            case 1:
                copy[at] = (uint32_t)support_random_value(&random);
                break;
            case 2: /* another id or literal of the module */
                copy[at] = words[5 + support_random_below(&random, (uint32_t)(size / 4) - 5)];
                break;
            default: /* a small number: most likely another id */
                copy[at] = support_random_below(&random, words[3]);
                break;
            }
        }
        good += survives(copy, size);
    }
    assert_true(good > 0 && good < MUTATIONS); /* both ends were reached */
    free(copy);
    free(words);
}

/* SPV-1: instructions out of their order */
static void reordered_modules_never_crash(void **state)
{
    size_t size;
    uint32_t *words = support_fixture_bytes(*state, &size);
    uint32_t *copy = malloc(size);
    uint32_t starts[4096], count = 0;
    struct support_random random = {0xF00D};
    assert_non_null(copy);
    for (size_t at = 5; at < size / 4 && count < 4096; at += words[at] >> 16) {
        starts[count++] = (uint32_t)at;
    }
    for (int i = 0; i < MUTATIONS / 4; i++) {
        /* move one instruction to another place */
        uint32_t from = starts[support_random_below(&random, count)];
        uint32_t to = starts[support_random_below(&random, count)];
        uint32_t length = words[from] >> 16;
        uint32_t out = 5;
        memcpy(copy, words, 20);
        for (uint32_t k = 0; k < count; k++) {
            if (starts[k] == to && to != from) {
                memcpy(copy + out, words + from, length * 4);
                out += length;
            }
            if (starts[k] != from || to == from) {
                memcpy(copy + out, words + starts[k], (words[starts[k]] >> 16) * 4);
                out += words[starts[k]] >> 16;
            }
        }
        survives(copy, out * 4);
    }
    free(copy);
    free(words);
}

/* SPV-1 */
static void random_words_are_refused(void **state)
{
    uint32_t words[256] = {SpvMagicNumber, 0x00010000, 0, 64, 0};
    struct support_random random = {0xABCD};
    (void)state;
    for (int i = 0; i < MUTATIONS; i++) {
        for (int k = 5; k < 256; k++) {
            words[k] = k % 3 == 0 ? (uint32_t)support_random(&random)
                                  : (1 + support_random_below(&random, 6)) << 16 |
                                        support_random_below(&random, 420);
        }
        assert_false(survives(words, sizeof(words)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(truncated_modules_are_refused, "reader_O2"),
        cmocka_unit_test_prestate(mutated_modules_never_crash, "reader_O0"),
        cmocka_unit_test_prestate(mutated_modules_never_crash, "reader_O2"),
        cmocka_unit_test_prestate(reordered_modules_never_crash, "reader_O2"),
        cmocka_unit_test_prestate(mutated_modules_never_crash, "images_O0"),
        cmocka_unit_test_prestate(mutated_modules_never_crash, "images_O2"),
        cmocka_unit_test(random_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
