/* Text that comes from outside: ZE_AFFINITY_MASK and build options. */
#include "unit.h"

#include "driver/core/affinity.h"
#include "driver/program/build_options.h"

static uint32_t selected_bits(const char *mask, uint32_t count)
{
    bool selected[16];
    uint32_t bits = 0, chosen = geo_affinity_select(mask, count, selected), found = 0;
    for (uint32_t i = 0; i < count; i++) {
        bits |= (uint32_t)selected[i] << i;
        found += selected[i];
    }
    assert_int_equal(found, chosen);
    return bits;
}

/* ENV-6, ENV-8 */
static void the_mask_lists_ordinals_in_any_order(void **state)
{
    (void)state;
    assert_int_equal(selected_bits(NULL, 4), 0xf);
    assert_int_equal(selected_bits("", 4), 0xf);
    assert_int_equal(selected_bits("0", 4), 0x1);
    assert_int_equal(selected_bits("3,1", 4), 0xa);
    assert_int_equal(selected_bits("1,3,1", 4), 0xa);
    assert_int_equal(selected_bits(" 2 ,\t0 ", 4), 0x5);
    assert_int_equal(selected_bits("0,1,2,3", 4), 0xf);
}

/* ENV-14 */
static void entries_that_name_nothing_select_nothing(void **state)
{
    (void)state;
    assert_int_equal(selected_bits("4", 4), 0);
    assert_int_equal(selected_bits("0.0", 4), 0);
    assert_int_equal(selected_bits("0.0,2", 4), 0x4);
    assert_int_equal(selected_bits("-1", 4), 0);
    assert_int_equal(selected_bits(",,,", 4), 0);
    assert_int_equal(selected_bits("1x,0x1,+1", 4), 0);
    assert_int_equal(selected_bits("4294967296,18446744073709551616", 4), 0);
}

static const char *warnings(struct geo_strbuf *log, const char *options)
{
    geo_strbuf_finish(log);
    geo_strbuf_init(log, 0);
    geo_build_options_check(options, log);
    return geo_strbuf_text(log);
}

/* MOD-3 */
static void options_of_known_clients_bring_no_warning(void **state)
{
    (void)state;
    static const char *const known[] = {
        "",
        "-ze-opt-disable",
        "-ze-opt-level=2",
        "-ze-opt-level 1 -g",
        "-ze-opt-greater-than-4GB-buffer-required -ze-opt-large-register-file",
        "-ze-opt-has-buffer-offset-arg",
        "-ze-fp32-correctly-rounded-divide-sqrt",
        "-igc_opts 'PrintToConsole=1, ForceOCLSIMDWidth=16' -g",
        "-cl-mad-enable -cl-fp32-correctly-rounded-divide-sqrt",
        "-zet-profile-flags 0x3",
        "  -cl-std=CL3.0\t-O2 ",
    };
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_string_equal(warnings(&log, NULL), "");
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        assert_string_equal(warnings(&log, known[i]), "");
    }
    geo_strbuf_finish(&log);
}

/* MOD-3 */
static void unknown_options_are_named_in_the_log(void **state)
{
    (void)state;
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_non_null(strstr(warnings(&log, "-g -ze-unheard-of"), "-ze-unheard-of is not known"));
    assert_non_null(strstr(warnings(&log, "-ze-opt-disablex"), "-ze-opt-disablex"));
    assert_non_null(strstr(warnings(&log, "-igc_opts"), "lacks its value"));
    assert_non_null(strstr(warnings(&log, "'never closed"), "'never closed"));
    char *endless = malloc(100001);
    assert_non_null(endless);
    memset(endless, 'a', 100000);
    endless[100000] = 0;
    assert_true(strlen(warnings(&log, endless)) < 400);
    free(endless);
    geo_strbuf_finish(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mask_lists_ordinals_in_any_order),
        cmocka_unit_test(entries_that_name_nothing_select_nothing),
        cmocka_unit_test(options_of_known_clients_bring_no_warning),
        cmocka_unit_test(unknown_options_are_named_in_the_log),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
