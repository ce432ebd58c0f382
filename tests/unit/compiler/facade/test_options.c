/* Build options: what they switch, what is accepted for other hardware, what is reported. */
#include "compiler/facade/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct geo_strbuf log_text;

static struct geo_build_options request_read(const struct geo_compiler_request *request)
{
    struct geo_build_options options;
    geo_strbuf_finish(&log_text);
    geo_facade_options_read(request, &options, &log_text);
    return options;
}

static struct geo_build_options parse(const char *text)
{
    const struct geo_compiler_source source = {.options = text};
    const struct geo_compiler_request request = {.source_count = 1, .sources = &source};
    return request_read(&request);
}

static struct geo_build_options parse_silently(const char *text)
{
    struct geo_build_options options = parse(text);
    assert_string_equal(geo_strbuf_text(&log_text), "");
    return options;
}

/* How often the log has this text. */
static unsigned said(const char *text)
{
    unsigned count = 0;
    for (const char *at = geo_strbuf_text(&log_text); (at = strstr(at, text)); at++) {
        count++;
    }
    return count;
}

static int finish(void **state)
{
    (void)state;
    geo_strbuf_finish(&log_text);
    return 0;
}

/* MOD-3: the default level is 2 */
static void defaults_optimise(void **state)
{
    (void)state;
    assert_true(parse_silently(NULL).optimize);
    assert_true(parse_silently("").optimize);
    assert_true(parse_silently("  \t ").optimize);
    assert_false(parse_silently("").correctly_rounded_divide_sqrt);
    assert_int_equal(parse_silently("").fast_math, 0);
}

static uint32_t profile_flags(const char *text, bool instrumented)
{
    const struct geo_compiler_source source = {.options = text};
    const struct geo_compiler_request request = {
        .source_count = 1, .sources = &source, .instrumented = instrumented};
    return request_read(&request).profile_flags;
}

/* PIN-2 */
static void profile_flags_are_hexadecimal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t flags;
    } good[] = {{"-zet-profile-flags 0", 0},   {"-zet-profile-flags 1", 1},
                {"-zet-profile-flags 0x2", 2}, {"-zet-profile-flags 0X3", 3},
                {"-zet-profile-flags=3", 3},   {"-g -zet-profile-flags 00000002 -w", 2}};
    static const char *const bad[] = {
        "-zet-profile-flags 4",  "-zet-profile-flags 0x100000001",
        "-zet-profile-flags +1", "-zet-profile-flags 1g",
        "-zet-profile-flags 0x", "-zet-profile-flags=",
        "-zet-profile-flags -1", "-zet-profile-flags 0000000000000000000001"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(profile_flags(good[i].text, true), good[i].flags);
        assert_string_equal(geo_strbuf_text(&log_text), "");
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(profile_flags(bad[i], true), 0);
        assert_int_equal(said("has no effect: the value is a number from 0 to 3"), 1);
    }
}

/* PIN-2 */
static void profile_flags_need_instrumentation(void **state)
{
    (void)state;
    assert_int_equal(profile_flags("-zet-profile-flags 3", false), 0);
    assert_int_equal(said("has no effect without ZET_ENABLE_PROGRAM_INSTRUMENTATION=1"), 1);
}

static void one_source_asks_for_a_profile(void **state)
{
    (void)state;
    const struct geo_compiler_source sources[] = {
        {.options = "-zet-profile-flags 1"}, {.options = "-zet-profile-flags 2"}, {.options = ""}};
    const struct geo_compiler_request request = {
        .source_count = 3, .sources = sources, .instrumented = true};
    assert_int_equal(request_read(&request).profile_flags, 3);
}

/* MOD-3 */
static void levels_switch_optimisation(void **state)
{
    (void)state;
    assert_false(parse_silently("-ze-opt-disable").optimize);
    assert_false(parse_silently("-cl-opt-disable").optimize);
    assert_false(parse_silently("-ze-opt-level=0").optimize);
    assert_false(parse_silently("-ze-opt-level 0").optimize);
    assert_true(parse_silently("-ze-opt-level=1").optimize);
    assert_true(parse_silently("-ze-opt-disable -ze-opt-level 1").optimize);
    assert_true(parse_silently("-ze-opt-level \t2").optimize);
    assert_true(parse_silently("-ze-opt-disable -ze-opt-level=2").optimize);
    assert_true(parse("-ze-opt-level=3").optimize);
    assert_int_equal(said("'-ze-opt-level=3' has no effect: levels are 0 to 2"), 1);
    assert_true(parse("-ze-opt-level 00").optimize);
    assert_int_equal(said("'-ze-opt-level 00' has no effect: levels are 0 to 2"), 1);
    assert_true(parse("-ze-opt-level=").optimize);
    assert_int_equal(said("levels are 0 to 2"), 1);
}

static void precision_is_switched(void **state)
{
    (void)state;
    uint32_t finite = GEO_VALUE_FAST_NOT_NAN | GEO_VALUE_FAST_NOT_INF;
    uint32_t unsafe = parse_silently("-cl-unsafe-math-optimizations").fast_math;
    assert_int_equal(parse_silently("-cl-mad-enable").fast_math, GEO_VALUE_FAST_CONTRACT);
    assert_int_equal(parse_silently("-cl-no-signed-zeros").fast_math, GEO_VALUE_FAST_NSZ);
    assert_int_equal(parse_silently("-cl-finite-math-only").fast_math, finite);
    assert_int_equal(unsafe & finite, 0);
    assert_int_equal(unsafe | finite, GEO_VALUE_FAST_ALL | GEO_VALUE_RELAXED);
    assert_int_equal(parse_silently("-cl-fast-relaxed-math").fast_math, unsafe | finite);
    assert_true(
        parse_silently("-cl-fp32-correctly-rounded-divide-sqrt").correctly_rounded_divide_sqrt);
    assert_true(
        parse_silently("-ze-fp32-correctly-rounded-divide-sqrt").correctly_rounded_divide_sqrt);
}

/* MOD-3 */
static void large_buffers_are_announced(void **state)
{
    (void)state;
    static const char *const words[] = {"-ze-opt-greater-than-4GB-buffer-required",
                                        "-ze-intel-greater-than-4GB-buffer-required",
                                        "-cl-intel-greater-than-4GB-buffer-required"};
    assert_false(parse_silently("").large_buffers);
    for (size_t i = 0; i < 3; i++) {
        assert_true(parse_silently(words[i]).large_buffers);
    }
}

/* Every form that is accepted without effect. */
static const char *const accepted[] = {
    "-ze-opt-has-buffer-offset-arg",
    "-ze-opt-large-register-file",
    "-ze-opt-large-grf-kernel kernel",
    "-ze-opt-regular-grf-kernel kernel",
    "-ze-exp-register-file-size=256",
    "-ze-exp-register-file-size 256",
    "-ze-intel-enable-auto-large-GRF-mode",
    "-ze-intel-has-buffer-offset-arg",
    "-ze-kernel-scheduling-mode-fair",
    "-ze-denorms-are-zero",
    "-ze-take-global-address",
    "-ze-library-compilation",
    "-ze-collect-cost-info",
    "-cl-std=CL3.0",
    "-cl-denorms-are-zero",
    "-cl-single-precision-constant",
    "-cl-uniform-work-group-size",
    "-cl-kernel-arg-info",
    "-cl-store-cache-default=2",
    "-cl-load-cache-default=4",
    "-cl-intel-enable-auto-large-GRF-mode",
    "-g",
    "-w",
    "-Werror",
    "-O",
    "-O2",
    "-DNAME",
    "-DNAME=1",
    "-vc-codegen",
    "-library-compilation",
    "-igc_opts 'VectorizerAllowSIMD, x=1'",
    "-igc_opts \"PrintToConsole=1 ForceOCLSIMDWidth=16\"",
    "-device pvc",
};

#define ACCEPTED (sizeof(accepted) / sizeof(accepted[0]))

/* MOD-3 */
static void options_of_other_hardware_are_accepted(void **state)
{
    (void)state;
    struct geo_strbuf all;
    geo_strbuf_init(&all, 0);
    for (size_t i = 0; i < ACCEPTED; i++) {
        geo_strbuf_printf(&all, " %s ", accepted[i]);
        struct geo_build_options options = parse_silently(geo_strbuf_text(&all));
        assert_true(options.optimize);
        assert_false(options.correctly_rounded_divide_sqrt);
        assert_int_equal(options.fast_math, 0);
        /* what stands behind it is read */
        geo_strbuf_printf(&all, "-ze-opt-disable");
        assert_false(parse_silently(geo_strbuf_text(&all)).optimize);
        geo_strbuf_finish(&all);
    }
    for (size_t i = 0; i < ACCEPTED; i++) {
        geo_strbuf_printf(&all, "\n%s\t", accepted[i]);
    }
    parse_silently(geo_strbuf_text(&all));
    geo_strbuf_finish(&all);
}

/* A whole word, and nothing of one: neither longer nor shorter names pass. */
static void names_are_not_guessed(void **state)
{
    (void)state;
    static const char *const words[] = {"-ze-opt-disabled",
                                        "-ze-opt-disable=1",
                                        "-ze-opt-leve",
                                        "-ze-opt-levels=2",
                                        "-gg",
                                        "-cl-std",
                                        "-cl-stdCL3.0",
                                        "-devices",
                                        "-ze",
                                        "-",
                                        "-Wall",
                                        "-ze-opt",
                                        "ze-opt-disable"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        assert_true(parse(words[i]).optimize);
        assert_int_equal(said("is not known and has no effect"), 1);
        assert_int_equal(said(words[i]), 1);
    }
}

/* MOD-3 */
static void unknown_options_are_named_once_and_ignored(void **state)
{
    (void)state;
    assert_false(parse("-bogus -ze-opt-disable -bogus -other -bogus").optimize);
    assert_int_equal(said("build option '-bogus' is not known"), 1);
    assert_int_equal(said("build option '-other' is not known"), 1);
    assert_int_equal(said("\n"), 2);
    parse("'never closed");
    assert_int_equal(said("'never closed' is not known"), 1);
}

static void a_missing_value_is_reported(void **state)
{
    (void)state;
    static const char *const words[] = {"-igc_opts",
                                        "-device ",
                                        "-zet-profile-flags\t",
                                        "-ze-opt-level",
                                        "-ze-exp-register-file-size",
                                        "-ze-opt-large-grf-kernel",
                                        "-ze-opt-regular-grf-kernel"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        assert_true(parse(words[i]).optimize);
        assert_int_equal(said("' lacks its value\n"), 1);
        assert_int_equal(said("\n"), 1);
    }
}

static void the_log_stays_short(void **state)
{
    (void)state;
    char *endless = malloc(100001);
    assert_non_null(endless);
    memset(endless, 'a', 100000);
    endless[100000] = 0;
    parse(endless);
    assert_true(log_text.length < 400);
    for (size_t i = 0; i + 6 < 100000; i += 6) { /* many different words */
        endless[i] = ' ';
        endless[i + 1] = (char)('b' + i / 6 % 23);
        endless[i + 2] = (char)('b' + i / 138 % 23);
        endless[i + 3] = (char)('b' + i / 3174 % 23);
    }
    parse(endless);
    assert_true(log_text.length < 4000);
    assert_int_equal(said("more build options have no effect"), 1);
    free(endless);
}

/* Several sources that are built as one: each is read, each text named once; what is asked for by
 * one holds for all, what gives precision away needs all. */
static void sources_of_a_program_are_read_together(void **state)
{
    (void)state;
    struct geo_compiler_source sources[3] = {
        {.options = "-bogus -cl-mad-enable"},
        {.options = "-cl-fp32-correctly-rounded-divide-sqrt -cl-mad-enable -bogus"},
        {.options = "-ze-opt-disable -ze-opt-greater-than-4GB-buffer-required -other"},
    };
    const struct geo_compiler_request request = {.source_count = 3, .sources = sources};
    struct geo_build_options options = request_read(&request);
    assert_false(options.optimize);
    assert_true(options.correctly_rounded_divide_sqrt);
    assert_int_equal(options.fast_math, 0);
    assert_true(options.large_buffers);
    assert_int_equal(said("'-bogus'"), 1);
    assert_int_equal(said("'-other'"), 1);
    sources[2].options = "-cl-mad-enable";
    assert_int_equal(request_read(&request).fast_math, GEO_VALUE_FAST_CONTRACT);
}

/* MOD-6: the build has said what is not known; the other modules' options are theirs. */
static void a_link_says_nothing_and_takes_the_module_s_own(void **state)
{
    (void)state;
    const struct geo_compiler_source sources[] = {
        {.options = "-bogus -cl-mad-enable"},
        {.options = "-ze-opt-disable -other", .unit = 1},
    };
    const struct geo_compiler_request request = {
        .source_count = 2, .sources = sources, .unit_count = 2};
    struct geo_build_options options = request_read(&request);
    assert_true(options.optimize);
    assert_int_equal(options.fast_math, GEO_VALUE_FAST_CONTRACT);
    assert_string_equal(geo_strbuf_text(&log_text), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_optimise),
        cmocka_unit_test(levels_switch_optimisation),
        cmocka_unit_test(profile_flags_are_hexadecimal),
        cmocka_unit_test(profile_flags_need_instrumentation),
        cmocka_unit_test(one_source_asks_for_a_profile),
        cmocka_unit_test(precision_is_switched),
        cmocka_unit_test(large_buffers_are_announced),
        cmocka_unit_test(options_of_other_hardware_are_accepted),
        cmocka_unit_test(names_are_not_guessed),
        cmocka_unit_test(unknown_options_are_named_once_and_ignored),
        cmocka_unit_test(a_missing_value_is_reported),
        cmocka_unit_test(the_log_stays_short),
        cmocka_unit_test(sources_of_a_program_are_read_together),
        cmocka_unit_test(a_link_says_nothing_and_takes_the_module_s_own),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
