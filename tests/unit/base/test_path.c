/* Paths after the program has changed its folder. */
#include "unit.h"

#include "base/path.h"

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
    char path[GEO_PATH_BYTES], beside[GEO_PATH_BYTES];
    assert_true(geo_path_beside((const void *)a_library_is_found_by_what_is_in_it, NULL, path,
                                sizeof(path)));
    assert_int_equal(path[0], '/');
    assert_int_equal(access(path, X_OK), 0);
    assert_true(geo_path_beside((const void *)a_library_is_found_by_what_is_in_it, "other", beside,
                                sizeof(beside)));
    strcpy(strrchr(path, '/'), "/other");
    assert_string_equal(beside, path);
    assert_false(geo_path_beside((const void *)a_library_is_found_by_what_is_in_it, NULL, path, 3));
    assert_false(geo_path_beside(&path, NULL, path, sizeof(path))); /* of no library */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_mean_what_they_meant_at_load),
        cmocka_unit_test(a_library_is_found_by_what_is_in_it),
    };
    return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
