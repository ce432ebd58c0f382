/* Build flags: what they switch, what is accepted for other hardware, what is reported. */
#include "compiler/facade/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct geo_build_options parse(const char *text, const char *expected_in_log)
{
    struct geo_build_options options;
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    geo_build_options_parse(text, &options, &log);
    if (expected_in_log) {
        assert_non_null(strstr(geo_strbuf_text(&log), expected_in_log));
    } else {
        assert_string_equal(geo_strbuf_text(&log), "");
    }
    geo_strbuf_finish(&log);
    return options;
}

/* MOD-9: the default level is 2 */
static void defaults_optimise(void **state)
{
    (void)state;
    assert_true(parse(NULL, NULL).optimize);
    assert_true(parse("", NULL).optimize);
    assert_true(parse("  \t ", NULL).optimize);
    assert_false(parse("", NULL).debug);
}

/* MOD-9 */
static void levels_switch_optimisation(void **state)
{
    (void)state;
    assert_false(parse("-ze-opt-disable", NULL).optimize);
    assert_false(parse("-ze-opt-level=0", NULL).optimize);
    assert_true(parse("-ze-opt-level=1", NULL).optimize);
    assert_true(parse("-ze-opt-level=2", NULL).optimize);
    assert_true(parse("-ze-opt-level=3", "levels are 0 to 2").optimize);
    assert_true(parse("-ze-opt-level=", "levels are 0 to 2").optimize);
    assert_true(parse("-g -ze-opt-level=2", NULL).debug);
}

/* MOD-9: flags of real clients (Unified Runtime, oneMKL, pocl) pass without a word */
static void flags_of_other_hardware_are_accepted(void **state)
{
    struct geo_build_options options =
        parse("-cl-mad-enable -cl-fp32-correctly-rounded-divide-sqrt "
              "-ze-opt-greater-than-4GB-buffer-required "
              "-igc_opts 'VectorizerAllowSIMD, x=1' -ze-opt-large-register-file -g",
              NULL);
    (void)state;
    assert_true(options.mad_enable);
    assert_true(options.correctly_rounded_divide_sqrt);
    assert_true(options.debug);
    assert_true(parse("-zet-profile-flags 0x1 -g", NULL).debug);
}

/* MOD-9 */
static void unknown_flags_are_named_and_ignored(void **state)
{
    (void)state;
    assert_true(parse("-bogus", "'-bogus' is unknown").optimize);
    assert_false(parse("-bogus -ze-opt-disable", "'-bogus' is unknown").optimize);
    parse("-ze-opt-disabled", "'-ze-opt-disabled' is unknown");
    parse("'unterminated", "is unknown");
    parse("-igc_opts", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_optimise),
        cmocka_unit_test(levels_switch_optimisation),
        cmocka_unit_test(flags_of_other_hardware_are_accepted),
        cmocka_unit_test(unknown_flags_are_named_and_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
