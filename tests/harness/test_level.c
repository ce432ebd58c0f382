/* Unit test of level.h, on machines whose features the test chooses. */
#include "level.h"

#include "machine/identity.h"
#include "machine/machine.h"
#include "native/native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

uint32_t __wrap_geo_machine_features(void);

static uint32_t features;

uint32_t __wrap_geo_machine_features(void)
{
    return features;
}

/* Runs `ask` in a child, whose output goes to `text`. Returns the child's exit status. */
static int output_of(void (*ask)(void), char *text, size_t text_bytes)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        ask();
        fflush(stdout);
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got; (got = read(ends[0], text + used, text_bytes - 1 - used)) > 0;) {
        used += (size_t)got;
    }
    text[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void levels_need_all_of_their_features(void **state)
{
    (void)state;
    if (GEO_MACHINE_TARGET != GEO_TARGET_X86_64) {
        assert_true(level_runs("aarch64"));
        assert_false(level_runs("x86-64"));
        return;
    }
    features = GEO_FEATURE_SSE4_2;
    assert_true(level_runs("x86-64"));
    assert_true(level_runs("x86-64-v2"));
    assert_false(level_runs("x86-64-v3"));
    assert_false(level_runs("x86-64-v4"));
    features = GEO_FEATURE_AVX2 | GEO_FEATURE_AVX512;
    assert_false(level_runs("x86-64-v4"));
    features |= GEO_FEATURE_SSE4_2;
    assert_true(level_runs("x86-64-v4"));
    assert_false(level_runs("x86-64-v4-vnni"));
}

static void other_architectures_have_no_level_here(void **state)
{
    (void)state;
    features = UINT32_MAX;
    assert_false(level_runs(GEO_MACHINE_TARGET == GEO_TARGET_X86_64 ? "aarch64" : "x86-64"));
}

static void no_name_is_the_own_level_and_unknown_ones_are_the_compilers(void **state)
{
    (void)state;
    features = 0;
    assert_true(level_runs(NULL));
    assert_true(level_runs("x86-64-v9"));
}

static void ask_twice(void)
{
    level_runs("x86-64-v4");
    level_runs("x86-64-v3");
    level_runs("x86-64-v4");
    level_runs("x86-64");
}

static void demand_v4(void)
{
    setenv("GEOID_CPU", "x86-64-v4", 1);
    level_demand();
}

static void skipped_levels_are_named_once(void **state)
{
    char text[512];
    (void)state;
    if (GEO_MACHINE_TARGET != GEO_TARGET_X86_64) {
        skip();
    }
    features = GEO_FEATURE_SSE4_2;
    assert_int_equal(output_of(ask_twice, text, sizeof(text)), 0);
    assert_string_equal(text, "levels: x86-64-v4 skipped: this processor lacks it\n"
                              "levels: x86-64-v3 skipped: this processor lacks it\n");
}

static void a_demanded_level_that_lacks_skips_the_test(void **state)
{
    char text[512];
    (void)state;
    if (GEO_MACHINE_TARGET != GEO_TARGET_X86_64) {
        skip();
    }
    features = GEO_FEATURE_SSE4_2 | GEO_FEATURE_AVX2;
    assert_int_equal(output_of(demand_v4, text, sizeof(text)), 77);
    assert_string_equal(text, "levels: x86-64-v4 skipped: this processor lacks it\n");
    features |= GEO_FEATURE_AVX512;
    assert_int_equal(output_of(demand_v4, text, sizeof(text)), 0);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipped_levels_are_named_once),
        cmocka_unit_test(a_demanded_level_that_lacks_skips_the_test),
        cmocka_unit_test(levels_need_all_of_their_features),
        cmocka_unit_test(other_architectures_have_no_level_here),
        cmocka_unit_test(no_name_is_the_own_level_and_unknown_ones_are_the_compilers),
    };
    return cmocka_run_group_tests_name("level", tests, NULL, NULL);
}
