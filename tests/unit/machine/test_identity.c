/* The features that the processor has, compared with the levels that the C library's own loader
 * finds: it asks the processor by code of its own. */
#include "machine/identity.h"
#include "machine/machine.h"
#include "native/native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LOADER "/lib64/ld-linux-x86-64.so.2"

/* Returns 1 when the loader says that this machine has the level, 0 when it lacks it, -1 when the
 * loader does not name the level. */
static int loader_has(const char *level)
{
    char line[256], name[64];
    int has = -1;
    FILE *help = popen(LOADER " --help 2>&1", "r");
    assert_non_null(help);
    while (fgets(line, sizeof(line), help)) {
        if (sscanf(line, " %63s", name) == 1 && strcmp(name, level) == 0) {
            has = strstr(line, "supported") != NULL;
        }
    }
    pclose(help);
    return has;
}

static void features_are_those_of_the_levels_of_the_c_library(void **state)
{
    static const struct {
        const char *name;
        uint32_t feature;
    } levels[] = {{"x86-64-v2", GEO_FEATURE_SSE4_2},
                  {"x86-64-v3", GEO_FEATURE_AVX2},
                  {"x86-64-v4", GEO_FEATURE_AVX512}};
    uint32_t features = geo_machine_features(), known = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        int has = loader_has(levels[i].name);
        if (has >= 0) {
            assert_int_equal((features & levels[i].feature) != 0, has);
            known++;
        }
    }
    if (known == 0) {
        print_message("the C library's loader names no levels here\n");
        skip();
    }
}

/* The driver refuses code by the features of the identity, the compiler makes it by the others. */
static void the_identity_has_the_same_features(void **state)
{
    struct geo_machine_identity identity;
    (void)state;
    geo_machine_identify(&identity);
    assert_int_equal(identity.features, geo_machine_features());
    assert_non_null(geo_native_target_level_best(GEO_MACHINE_TARGET, identity.features));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_those_of_the_levels_of_the_c_library),
        cmocka_unit_test(the_identity_has_the_same_features),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
