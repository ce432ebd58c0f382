/* Which folders are looked into for manifests, and which manifests count. */
#include "loader/discovery/drop_in.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/geoid-drop-in-XXXXXX";

/* ---- folders ---- */

static char opened[4096]; /* "FOLDER;" of each, without `root` */

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);

DIR *__wrap_opendir(const char *path)
{
    bool is_ours = strncmp(path, root, strlen(root)) == 0;
    strcat(opened, is_ours ? path + strlen(root) : path);
    strcat(opened, ";");
    return __real_opendir(path);
}

/* "+" in the value stands for `root`. */
static void variable_set(const char *name, const char *value)
{
    char text[4096] = "", part[2] = "";
    for (; *value; value++) {
        part[0] = *value;
        strcat(text, *value == '+' ? root : part);
    }
    setenv(name, text, 1);
}

static void file_make(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", root, name);
    for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A manifest that names the library NAME.so. */
static void manifest_make(const char *path, const char *name)
{
    char text[160];
    snprintf(text, sizeof(text), "{\"file_format_version\":\"1.0\",\"library\":\"%s.so\"}", name);
    file_make(path, text);
}

/* What is found, as "library;"; of what is refused "PATH: reason;", without `root`. */
static const char *found(void)
{
    static char text[8192];
    struct geo_candidates candidates = {0};
    char *out = text;
    opened[0] = text[0] = '\0';
    assert_true(geo_drop_in_add(&candidates));
    for (size_t i = 0; i < candidates.count; i++) {
        const struct geo_candidate *item = &candidates.items[i];
        assert_int_equal(item->from, GEO_FROM_MANIFEST);
        if (item->refusal) {
            bool is_ours = strncmp(item->name, root, strlen(root)) == 0;
            out += sprintf(out, "%s: ", item->name + (is_ours ? strlen(root) : 0));
            const char *rest = strstr(item->refusal, root);
            int kept = rest ? (int)(rest - item->refusal) : (int)strlen(item->refusal);
            out += sprintf(out, "%.*s%s;", kept, item->refusal, rest ? rest + strlen(root) : "");
        } else {
            out += sprintf(out, "%s;", item->name);
        }
    }
    geo_candidates_finish(&candidates);
    return text;
}

static int root_make(void **state)
{
    (void)state;
    umask(022);
    strcpy(root + strlen(root) - 6, "XXXXXX");
    if (!mkdtemp(root)) {
        return -1;
    }
    unsetenv("GEOID_DRIVER_PATH");
    variable_set("XDG_CONFIG_HOME", "+/config");
    variable_set("HOME", "+/home");
    return 0;
}

static int root_remove(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return system(command);
}

#define SYSTEM GEOID_SYSCONFDIR "/level_zero/drivers.d;"

static void test_the_users_folder_and_the_systems_are_looked_into(void **state)
{
    (void)state;
    manifest_make("config/level_zero/drivers.d/x.json", "by_config");
    manifest_make("home/.config/level_zero/drivers.d/x.json", "by_home");
    const char *text = found();
    assert_memory_equal(text, "by_config.so;", 13);
    assert_string_equal(opened, "/config/level_zero/drivers.d;" SYSTEM);
    setenv("XDG_CONFIG_HOME", "relative", 1); /* counts as unset */
    text = found();
    assert_memory_equal(text, "by_home.so;", 11);
    assert_string_equal(opened, "/home/.config/level_zero/drivers.d;" SYSTEM);
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "relative", 1);
    found();
    assert_string_equal(opened, SYSTEM);
    unsetenv("HOME");
    found();
    assert_string_equal(opened, SYSTEM);
    setenv("GEOID_DRIVER_PATH", "", 1); /* counts as unset */
    found();
    assert_string_equal(opened, SYSTEM);
}

static void test_a_list_of_folders_replaces_them(void **state)
{
    (void)state;
    manifest_make("config/level_zero/drivers.d/x.json", "by_config");
    manifest_make("a/1.json", "a1");
    manifest_make("b/2.json", "b2");
    manifest_make("b/single.txt", "single");
    variable_set("GEOID_DRIVER_PATH", ": +/b/single.txt :+/b:\t+/a::");
    assert_string_equal(found(), "single.so;b2.so;a1.so;");
    assert_string_equal(opened, "/b;/a;");
    variable_set("GEOID_DRIVER_PATH", ":");
    assert_string_equal(found(), "");
}

static void test_what_is_named_and_not_there_is_told(void **state)
{
    (void)state;
    manifest_make("a/1.json", "a1");
    variable_set("GEOID_DRIVER_PATH", "+/nowhere:+/a:+/a/1.json/x");
    assert_string_equal(found(), "/nowhere: No such file or directory;a1.so;"
                                 "/a/1.json/x: Not a directory;");
    if (geteuid() != 0) {
        char path[64];
        snprintf(path, sizeof(path), "%s/a", root);
        assert_int_equal(chmod(path, 0), 0);
        variable_set("GEOID_DRIVER_PATH", "+/a");
        assert_string_equal(found(), "/a: Permission denied;");
        assert_int_equal(chmod(path, 0700), 0);
    }
}

static void test_manifests_come_in_the_order_of_their_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"b", "a", "B", "10", "9", "\xc3\xa9", "a-b", "a.b", "_"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[32];
        snprintf(path, sizeof(path), "a/%s.json", names[i]);
        manifest_make(path, names[i]);
    }
    variable_set("GEOID_DRIVER_PATH", "+/a");
    assert_string_equal(found(), "10.so;9.so;B.so;_.so;a-b.so;a.b.so;a.so;b.so;\xc3\xa9.so;");
}

static void test_other_files_are_no_manifests(void **state)
{
    (void)state;
    static const char *const names[] = {"a/x.json~", "a/x.JSON",     "a/json", "a/.json",
                                        "a/.x.json", "a/x.json.bak", "a/xjson"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        manifest_make(names[i], "other");
    }
    manifest_make("a/sub/x.json", "below");
    manifest_make("a/x.json", "x");
    variable_set("GEOID_DRIVER_PATH", "+/a");
    assert_string_equal(found(), "x.so;");
}

/* Also one that names nothing: so a user does without a driver of the system. */
static void test_a_name_in_an_earlier_folder_hides_later_ones(void **state)
{
    (void)state;
    manifest_make("a/x.json", "ax");
    manifest_make("b/x.json", "bx");
    manifest_make("b/y.json", "by");
    manifest_make("c/x.json", "cx");
    file_make("c/z.json", "");
    manifest_make("d/z.json", "dz");
    variable_set("GEOID_DRIVER_PATH", "+/a:+/b:+/c:+/d");
    assert_string_equal(found(), "ax.so;/b/x.json: hidden by /a/x.json;by.so;"
                                 "/c/x.json: hidden by /a/x.json;/c/z.json: an empty file;"
                                 "/d/z.json: hidden by /c/z.json;");
    /* those that are named one by one are meant */
    variable_set("GEOID_DRIVER_PATH", "+/b/x.json:+/a:+/c/x.json");
    assert_string_equal(found(), "bx.so;ax.so;cx.so;");
}

static void test_a_folder_that_anybody_may_write_to_is_not_read(void **state)
{
    (void)state;
    char path[64];
    manifest_make("a/x.json", "ax");
    manifest_make("b/x.json", "bx");
    snprintf(path, sizeof(path), "%s/a", root);
    assert_int_equal(chmod(path, 0777), 0);
    variable_set("GEOID_DRIVER_PATH", "+/a:+/b");
    assert_string_equal(found(), "/a: anybody may write to it;bx.so;");
    assert_int_equal(chmod(path, 01777), 0);
    assert_string_equal(found(), "/a: anybody may write to it;bx.so;");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, root_make, root_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_the_users_folder_and_the_systems_are_looked_into),
        TEST(test_a_list_of_folders_replaces_them),
        TEST(test_what_is_named_and_not_there_is_told),
        TEST(test_manifests_come_in_the_order_of_their_bytes),
        TEST(test_other_files_are_no_manifests),
        TEST(test_a_name_in_an_earlier_folder_hides_later_ones),
        TEST(test_a_folder_that_anybody_may_write_to_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
