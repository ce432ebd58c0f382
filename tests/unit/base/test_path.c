/* Paths after the program has changed its folder. */
#include "unit.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void paths_mean_what_they_meant_at_load(void **state)
{
    (void)state;
    char before[GEO_PATH_BYTES], path[GEO_PATH_BYTES], expected[GEO_PATH_BYTES + 8];
    assert_non_null(getcwd(before, sizeof(before)));
    assert_string_equal(geo_path_folder(), before);
    assert_int_equal(chdir("/"), 0);
    assert_true(geo_path_absolute("a/b", path, sizeof(path)));
    snprintf(expected, sizeof(expected), "%s/a/b", before);
    assert_string_equal(path, expected);
    assert_true(geo_path_absolute("/a/b", path, sizeof(path)));
    assert_string_equal(path, "/a/b");
    assert_false(geo_path_absolute("/a/b", path, 4));
    assert_true(geo_path_absolute("/a/b", path, 5));
    assert_int_equal(chdir(before), 0);
}

static void a_library_is_found_by_what_is_in_it(void **state)
{
    (void)state;
    const void *here = (const void *)a_library_is_found_by_what_is_in_it;
    int local = 0;
    char *path = geo_path_beside(here, NULL), *beside = geo_path_beside(here, "other");
    assert_non_null(path);
    assert_non_null(beside);
    assert_int_equal(path[0], '/');
    assert_int_equal(access(path, X_OK), 0);
    char *slash = strrchr(path, '/');
    assert_non_null(slash);
    size_t folder = (size_t)(slash - path);
    assert_memory_equal(beside, path, folder);
    assert_string_equal(beside + folder, "/other");
    assert_null(geo_path_beside(&local, NULL)); /* no library holds the stack */
    free(path);
    free(beside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_mean_what_they_meant_at_load),
        cmocka_unit_test(a_library_is_found_by_what_is_in_it),
    };
    return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
