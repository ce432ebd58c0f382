/* Tests of build options. */
#include "opencl/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void words_reach_their_readers(void **state)
{
    struct geo_ocl_options options;
    (void)state;
    assert_true(geo_ocl_options_read(
        &options, "  -D A=\"b c\" -I/x -cl-std=CL2.0 -cl-mad-enable -cl-opt-disable -g -w"));
    assert_null(options.unknown);
    assert_int_equal(options.clang.count, 6);
    assert_string_equal(options.clang.items[0], "-D");
    assert_string_equal(options.clang.items[1], "A=b c");
    assert_string_equal(options.clang.items[2], "-I/x");
    assert_true(options.has_standard);
    assert_false(options.optimizes);
    assert_string_equal(geo_strbuf_text(&options.module), " -cl-mad-enable -ze-opt-disable -g");
    geo_ocl_options_finish(&options);
}

static void unknown_words_are_named(void **state)
{
    const char *const bad[] = {"-D", "--foo", "-cl-std", "file.cl", "-cl-mad-enable -Xclang"};
    const char *const words[] = {"-D", "--foo", "-cl-std", "file.cl", "-Xclang"};
    struct geo_ocl_options options;
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_true(geo_ocl_options_read(&options, bad[i]));
        assert_non_null(options.unknown);
        assert_string_equal(options.unknown, words[i]);
        geo_ocl_options_finish(&options);
    }
    assert_true(geo_ocl_options_read(&options, NULL));
    assert_null(options.unknown);
    geo_ocl_options_finish(&options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_reach_their_readers),
        cmocka_unit_test(unknown_words_are_named),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
