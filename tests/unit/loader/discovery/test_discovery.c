/* The list of candidates, for every form of the variables that make it. */
#include "loader/discovery/discovery.h"
#include "loader/loader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The candidates for the environment as it is, as "name,name". */
static const char *listed(void)
{
    static char text[4096];
    struct geo_candidates candidates;
    text[0] = '\0';
    assert_true(geo_discovery_list(&candidates));
    for (size_t i = 0; i < candidates.count; i++) {
        strcat(text, i ? "," : "");
        strcat(text, candidates.items[i].name);
    }
    geo_candidates_finish(&candidates);
    return text;
}

static int environment_clear(void **state)
{
    (void)state;
    unsetenv("ZE_ENABLE_ALT_DRIVERS");
    unsetenv("ZE_ENABLE_NULL_DRIVER");
    setenv("GEOID_DRIVER_PATH", "/dev", 1); /* no manifests there */
    return 0;
}

static const char usual[] = "libze_intel_gpu.so.1,libze_intel_gpu_legacy1.so.1,"
                            "libze_intel_vpu.so.1,libze_intel_npu.so.1,libze_geoid.so.1";

/* INI-13 */
static void test_usual_list(void **state)
{
    (void)state;
    assert_string_equal(listed(), usual);
    setenv("ZE_ENABLE_ALT_DRIVERS", "", 1);
    assert_string_equal(listed(), usual);
}

static void test_alternatives_replace_the_usual_list(void **state)
{
    (void)state;
    static const struct {
        const char *value, *list;
    } cases[] = {
        {"one.so", "one.so"},
        {"/a/b.so,c.so", "/a/b.so,c.so"},
        {" \tone.so , two words.so\t,,", "one.so,two words.so"}, /* blanks around, not inside */
        {"one.so,two.so,one.so", "one.so,two.so"},               /* each once */
        {",", ""},
        {"  ", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        setenv("ZE_ENABLE_ALT_DRIVERS", cases[i].value, 1);
        assert_string_equal(listed(), cases[i].list);
    }
}

static void test_null_driver_comes_first_and_beside_others(void **state)
{
    (void)state;
    char expected[512];
    snprintf(expected, sizeof(expected), "libze_null.so.1,%s", usual);
    setenv("ZE_ENABLE_NULL_DRIVER", "1", 1);
    assert_string_equal(listed(), expected);
    setenv("ZE_ENABLE_ALT_DRIVERS", "one.so", 1);
    assert_string_equal(listed(), "libze_null.so.1,one.so");
    setenv("ZE_ENABLE_NULL_DRIVER", "0", 1);
    assert_string_equal(listed(), "one.so");
}

static void test_switches(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool on;
    } cases[] = {{"1", true},      {"2", true},   {"true", true}, {"on", true}, {"0", false},
                 {"FALSE", false}, {"no", false}, {"Off", false}, {"", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        setenv("ZE_ENABLE_NULL_DRIVER", cases[i].value, 1);
        assert_true(geo_discovery_switch("ZE_ENABLE_NULL_DRIVER") == cases[i].on);
    }
    assert_false(geo_discovery_switch("ZE_NOBODY_SET_THIS"));
}

static void test_the_origin_is_known_for_each(void **state)
{
    (void)state;
    struct geo_candidates candidates;
    setenv("ZE_ENABLE_NULL_DRIVER", "1", 1);
    assert_true(geo_discovery_list(&candidates));
    assert_int_equal(candidates.items[0].from, GEO_FROM_NULL_DRIVER);
    assert_int_equal(candidates.items[1].from, GEO_FROM_KNOWN_NAME);
    assert_int_equal(candidates.items[candidates.count - 1].from, GEO_FROM_HOME);
    geo_candidates_finish(&candidates);
    setenv("ZE_ENABLE_ALT_DRIVERS", "x", 1);
    assert_true(geo_discovery_list(&candidates));
    assert_int_equal(candidates.items[1].from, GEO_FROM_ALT_DRIVERS);
    assert_non_null(
        strstr(geo_candidate_origin_text(GEO_FROM_ALT_DRIVERS), "ZE_ENABLE_ALT_DRIVERS"));
    geo_candidates_finish(&candidates);
}

/* INI-13: behind the established names, so that these keep their places; before what is only a
 * stand-in. */
static void test_manifests_come_before_our_own_driver(void **state)
{
    (void)state;
    char path[] = "/tmp/geoid-manifest-XXXXXX", expected[512];
    int fd = mkstemp(path);
    static const char text[] = "{\"file_format_version\":\"1.0\",\"library\":\"/x/y.so\"}";
    assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    close(fd);
    setenv("GEOID_DRIVER_PATH", path, 1);
    snprintf(expected, sizeof(expected), "%s", usual);
    strcpy(strstr(expected, "libze_geoid"), "/x/y.so,libze_geoid.so.1");
    assert_string_equal(listed(), expected);
    setenv("ZE_ENABLE_ALT_DRIVERS", "one.so", 1); /* replaces them, too */
    assert_string_equal(listed(), "one.so");
    unlink(path);
}

/* The same manifest under two ways is one, two manifests of one library are two. */
static void test_a_manifest_is_known_by_its_path(void **state)
{
    (void)state;
    char path[] = "/tmp/geoid-manifest-XXXXXX", other[64], list[256];
    int fd = mkstemp(path);
    static const char text[] = "{\"file_format_version\":\"1.0\",\"library\":\"libze_geoid.so.1\"}";
    assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    close(fd);
    snprintf(other, sizeof(other), "%s.json", path);
    assert_int_equal(link(path, other), 0);
    snprintf(list, sizeof(list), "%s:%s:%s", path, other, path);
    setenv("GEOID_DRIVER_PATH", list, 1);
    assert_non_null(
        strstr(listed(), "npu.so.1,libze_geoid.so.1,libze_geoid.so.1,libze_geoid.so.1"));
    assert_int_equal(strlen(listed()), strlen(usual) + 2 * strlen(",libze_geoid.so.1"));
    unlink(path);
    unlink(other);
}

/* The loader finds what is delivered with it by its own place: here, that of this program. */
static void test_home_is_the_folder_of_the_code(void **state)
{
    (void)state;
    char *self = realpath("/proc/self/exe", NULL);
    assert_non_null(self);
    *strrchr(self, '/') = '\0';
    bool found = false;
    for (size_t i = 0; i < 2; i++) {
        const char *home = geo_discovery_home(i);
        char *resolved = home ? realpath(home, NULL) : NULL;
        found |= resolved && strcmp(resolved, self) == 0;
        free(resolved);
    }
    assert_true(found);
    assert_null(geo_discovery_home(2));
    free(self);
}

/* ---- the work for many names ---- */

/* Looks at names, by the loader's code, counted. */
static unsigned long looks;

size_t __real_strlen(const char *text);
int __real_strcmp(const char *a, const char *b);
int __real_strncmp(const char *a, const char *b, size_t length);
size_t __wrap_strlen(const char *text);
int __wrap_strcmp(const char *a, const char *b);
int __wrap_strncmp(const char *a, const char *b, size_t length);

size_t __wrap_strlen(const char *text)
{
    looks++;
    return __real_strlen(text);
}

int __wrap_strcmp(const char *a, const char *b)
{
    looks++;
    return __real_strcmp(a, b);
}

int __wrap_strncmp(const char *a, const char *b, size_t length)
{
    looks++;
    return __real_strncmp(a, b, length);
}

/* Two rounds of discovery with so many names, each twice. */
static void names_discover(unsigned names)
{
    static char list[1 << 17];
    size_t length = 0;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < names; i++) {
            length += (size_t)snprintf(list + length, sizeof(list) - length, "/%u/%u,", names,
                                       i * 7919 % names);
        }
    }
    assert_true(length < sizeof(list) - 1);
    setenv("ZE_ENABLE_ALT_DRIVERS", list, 1);
    looks = 0;
    assert_true(geo_loader_lock());
    geo_loader_discover();
    geo_loader_discover();
    geo_loader_unlock();
    assert_int_equal(geo_loader_state.libraries.count, names);
}

/* The looks that this takes, in a process that knows no names yet. */
static unsigned long work_for(unsigned names)
{
    int pipes[2];
    unsigned long work = 0;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        names_discover(names);
        _exit(write(pipes[1], &looks, sizeof(looks)) != sizeof(looks));
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &work, sizeof(work)), sizeof(work));
    close(pipes[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return work;
}

/* The environment is anybody's: n log n in its names, and the same names again cost no more. */
static void test_many_names_are_no_hindrance(void **state)
{
    (void)state;
    unsigned long one = work_for(512), two = work_for(1024), four = work_for(2048);
    assert_true(one >= 512);
    assert_in_range(two, one, one * 5 / 2);
    assert_in_range(four, two, two * 5 / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_usual_list, environment_clear),
        cmocka_unit_test_setup(test_alternatives_replace_the_usual_list, environment_clear),
        cmocka_unit_test_setup(test_null_driver_comes_first_and_beside_others, environment_clear),
        cmocka_unit_test_setup(test_switches, environment_clear),
        cmocka_unit_test_setup(test_the_origin_is_known_for_each, environment_clear),
        cmocka_unit_test_setup(test_manifests_come_before_our_own_driver, environment_clear),
        cmocka_unit_test_setup(test_a_manifest_is_known_by_its_path, environment_clear),
        cmocka_unit_test_setup(test_many_names_are_no_hindrance, environment_clear),
        cmocka_unit_test_setup(test_home_is_the_folder_of_the_code, environment_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
