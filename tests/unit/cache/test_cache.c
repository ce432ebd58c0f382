/* Unit test of the cache: what is stored is found, as it was; what is damaged, forged or another's
 * is not; and which folders are used. */
#include "support.h"

#include "cache/entry.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY "a key"

static const uint8_t content[] = {0x7f, 'E', 'L', 'F', 0, 1, 2, 3, 4, 5, 6};

static void store(const char *key, const char *text)
{
    const struct geo_cache_value value = {.bytes = content, .count = sizeof(content), .text = text};
    geo_cache_store(key_of(key), &value);
}

static bool find(const char *key)
{
    struct geo_cache_value value;
    bool found = geo_cache_find(key_of(key), &value);
    if (found) {
        assert_int_equal(value.count, sizeof(content));
        assert_memory_equal(value.bytes, content, sizeof(content));
    }
    geo_cache_release(&value);
    return found;
}

/* ---- finding ---- */

static void what_is_stored_is_found(void **state)
{
    struct geo_cache_value value;
    (void)state;
    assert_false(find(KEY));
    store(KEY, "two\nlines\n");
    assert_true(geo_cache_find(key_of(KEY), &value));
    assert_int_equal(value.count, sizeof(content));
    assert_memory_equal(value.bytes, content, sizeof(content));
    assert_string_equal(value.text, "two\nlines\n");
    assert_int_equal((uintptr_t)value.bytes % 8, 0);
    geo_cache_release(&value);
    assert_null(value.bytes);
    store("no text", NULL);
    assert_true(geo_cache_find(key_of("no text"), &value));
    assert_null(value.text);
    geo_cache_release(&value);
}

static void other_keys_are_not_found(void **state)
{
    (void)state;
    store(KEY, "");
    assert_false(find("a ke"));
    assert_false(find("a key "));
    assert_false(find("b key"));
    assert_false(find(""));
}

/* Nobody can choose a module for the sake of another's entry. */
static void an_entry_of_the_same_name_is_not_the_key_s(void **state)
{
    char from[400];
    (void)state;
    store(KEY, "");
    snprintf(from, sizeof(from), "%s", entry_path(KEY));
    assert_int_equal(rename(from, entry_path("b key")), 0);
    assert_false(find("b key"));
    store("b key", "");
    assert_true(find("b key"));
}

static void the_latest_value_counts(void **state)
{
    struct geo_cache_value value;
    (void)state;
    store(KEY, "first");
    store(KEY, "second");
    assert_true(geo_cache_find(key_of(KEY), &value));
    assert_string_equal(value.text, "second");
    geo_cache_release(&value);
}

static void counts_say_what_happened(void **state)
{
    const struct geo_cache_counts before = geo_cache_counts();
    (void)state;
    assert_false(find(KEY));
    store(KEY, "");
    assert_true(find(KEY));
    assert_true(find(KEY));
    assert_int_equal(truncate(entry_path(KEY), 20), 0);
    assert_false(find(KEY));
    const struct geo_cache_counts after = geo_cache_counts();
    assert_int_equal(after.hits - before.hits, 2);
    assert_int_equal(after.misses - before.misses, 2);
    assert_int_equal(after.refused - before.refused, 1);
    assert_int_equal(after.stores - before.stores, 1);
}

static void it_can_be_switched_off(void **state)
{
    static const char *const off[] = {"off", "0"};
    (void)state;
    store(KEY, "");
    for (size_t i = 0; i < 2; i++) {
        setenv("GEOID_CACHE_SIZE", off[i], 1);
        assert_false(geo_cache_is_on());
        assert_false(find(KEY));
        store("b key", "");
    }
    setenv("GEOID_CACHE_SIZE", "1000", 1);
    assert_true(find(KEY));
    assert_false(find("b key"));
}

/* ---- damage ---- */

static size_t file_bytes(const char *path, uint8_t *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, room, file);
    fclose(file);
    return count;
}

static void file_set(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void damaged_entries_are_misses(void **state)
{
    uint8_t bytes[512];
    (void)state;
    store(KEY, "text");
    size_t count = file_bytes(entry_path(KEY), bytes, sizeof(bytes));
    assert_in_range(count, 60, sizeof(bytes) - 1);
    for (size_t i = 0; i < count; i++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (uint8_t)(1u << bit);
            file_set(entry_path(KEY), bytes, count);
            assert_false(find(KEY));
            bytes[i] ^= (uint8_t)(1u << bit);
        }
    }
    for (size_t shorter = 0; shorter < count; shorter++) {
        file_set(entry_path(KEY), bytes, shorter);
        assert_false(find(KEY));
    }
    bytes[count] = 0;
    file_set(entry_path(KEY), bytes, count + 1);
    assert_false(find(KEY));
    file_set(entry_path(KEY), bytes, count);
    assert_true(find(KEY));
}

/* With a checksum that is right: who reads does not leave the bytes. */
static void sizes_that_lie_are_refused(void **state)
{
    static const uint64_t lies[] = {0, 1, 7, 8, 64, 1000, UINT64_MAX, UINT64_MAX - 7, INT64_MAX};
    const struct geo_cache_value value = {.bytes = content, .count = 11, .text = "text"};
    struct geo_cache_value found;
    size_t count;
    (void)state;
    uint8_t *bytes = geo_cache_entry_make(key_of(KEY), &value, &count);
    assert_non_null(bytes);
    for (size_t field = 2; field < 5; field++) {
        for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
            uint8_t *copy = malloc(count);
            uint64_t checksum;
            memcpy(copy, bytes, count);
            if (memcmp(copy + field * 8, &lies[i], 8) == 0) {
                free(copy);
                continue;
            }
            memcpy(copy + field * 8, &lies[i], 8);
            checksum = geo_cache_entry_name((struct geo_cache_bytes){copy + 16, count - 16});
            memcpy(copy + 8, &checksum, 8);
            if (geo_cache_entry_read(copy, count, key_of(KEY), &found)) {
                const uint8_t *start = found.bytes;
                assert_true(start >= copy && start + found.count <= copy + count);
                assert_true(!found.text || found.text[strlen(found.text)] == '\0');
            }
            free(copy);
        }
    }
    free(bytes);
}

/* ---- whom it trusts ---- */

/* Leaves everything as it was. */
static void folder_is_refused(void)
{
    assert_false(find(KEY));
    store("b key", "");
}

static void folders_that_others_may_write_to_are_not_used(void **state)
{
    static const mode_t modes[] = {0720, 0702, 0777, 01777, 0770};
    (void)state;
    store(KEY, "");
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        assert_int_equal(chmod(cache, modes[i]), 0);
        folder_is_refused();
    }
    assert_int_equal(chmod(cache, 0755), 0);
    assert_true(find(KEY));
    assert_false(find("b key"));
}

static void folders_of_others_are_not_used(void **state)
{
    (void)state;
    store(KEY, "");
    if (geteuid() != 0) {
        skip();
    }
    assert_int_equal(chown(cache, 12345, 12345), 0);
    folder_is_refused();
    assert_int_equal(chown(cache, 0, 0), 0);
    assert_true(find(KEY));
    assert_false(find("b key"));
}

static void symbolic_links_are_not_followed(void **state)
{
    char link[400], other[400];
    (void)state;
    store(KEY, "");
    snprintf(link, sizeof(link), "%s/link", folder);
    assert_int_equal(symlink(cache, link), 0);
    setenv("GEOID_CACHE_DIR", link, 1);
    folder_is_refused();
    setenv("GEOID_CACHE_DIR", cache, 1);
    assert_true(find(KEY));
    assert_false(find("b key"));
    snprintf(other, sizeof(other), "%s/other", folder);
    assert_int_equal(rename(entry_path(KEY), other), 0);
    assert_int_equal(symlink(other, entry_path(KEY)), 0);
    assert_false(find(KEY));
}

static void files_of_others_are_not_read(void **state)
{
    static const mode_t modes[] = {0660, 0606, 0666};
    (void)state;
    store(KEY, "");
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        assert_int_equal(chmod(entry_path(KEY), modes[i]), 0);
        assert_false(find(KEY));
    }
    assert_int_equal(chmod(entry_path(KEY), 0644), 0);
    assert_true(find(KEY));
    if (geteuid() == 0) {
        assert_int_equal(chown(entry_path(KEY), 12345, 12345), 0);
        assert_false(find(KEY));
    }
}

/* A pipe would keep who opens it waiting. */
static void only_files_are_read(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(entry_path(KEY), 0600), 0);
    assert_false(find(KEY));
    assert_int_equal(unlink(entry_path(KEY)), 0);
    assert_int_equal(mkdir(entry_path(KEY), 0700), 0);
    assert_false(find(KEY));
    store(KEY, "");
    assert_false(find(KEY));
    assert_int_equal(rmdir(entry_path(KEY)), 0);
    assert_int_equal(census_take().parts, 0);
}

static void entries_are_for_this_user_alone(void **state)
{
    struct stat status;
    (void)state;
    mode_t before = umask(0);
    assert_int_equal(rmdir(cache), 0);
    store(KEY, "");
    umask(before);
    assert_int_equal(stat(cache, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    assert_int_equal(stat(entry_path(KEY), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
}

/* ---- which folder ---- */

static bool is_there(const char *form)
{
    char path[400];
    struct stat status;
    snprintf(path, sizeof(path), form, folder);
    return stat(path, &status) == 0;
}

/* Nothing is made by looking. */
static void the_folder_is_the_user_s(void **state)
{
    char home[400];
    (void)state;
    unsetenv("GEOID_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    snprintf(home, sizeof(home), "%s/home", folder);
    assert_int_equal(mkdir(home, 0755), 0);
    setenv("HOME", home, 1);
    assert_false(find(KEY));
    assert_false(is_there("%s/home/.cache"));
    store(KEY, "");
    assert_true(is_there("%s/home/.cache/geoid"));
    assert_true(find(KEY));
    snprintf(home, sizeof(home), "%s/xdg", folder);
    setenv("XDG_CACHE_HOME", home, 1);
    assert_false(find(KEY));
    store(KEY, "");
    assert_true(is_there("%s/xdg/geoid"));
    assert_true(find(KEY));
    setenv("XDG_CACHE_HOME", "relative", 1); /* as if it were not set */
    assert_true(find(KEY));
    unsetenv("XDG_CACHE_HOME");
}

/* As root with the HOME of a user: the folder would be closed to them. */
static void nothing_is_made_in_the_home_of_others(void **state)
{
    char home[400];
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    unsetenv("GEOID_CACHE_DIR");
    snprintf(home, sizeof(home), "%s/home", folder);
    assert_int_equal(mkdir(home, 0755), 0);
    assert_int_equal(chown(home, 12345, 12345), 0);
    setenv("HOME", home, 1);
    store(KEY, "");
    assert_false(is_there("%s/home/.cache"));
    snprintf(home, sizeof(home), "%s/home/.cache", folder);
    assert_int_equal(mkdir(home, 0755), 0);
    assert_int_equal(chown(home, 12345, 12345), 0);
    store(KEY, "");
    assert_false(is_there("%s/home/.cache/geoid"));
}

static void without_a_folder_nothing_happens(void **state)
{
    static const char *const places[] = {
        "relative", "", "/proc/geoid", "/dev/null", "/dev/null/x", "/nowhere/at/all"};
    (void)state;
    assert_int_equal(chdir(folder), 0);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        setenv("GEOID_CACHE_DIR", places[i], 1);
        store(KEY, "");
        assert_false(find(KEY));
    }
    assert_false(is_there("%s/relative"));
    unsetenv("GEOID_CACHE_DIR");
    unsetenv("HOME");
    store(KEY, "");
    assert_false(find(KEY));
    char *long_path = malloc(5000);
    memset(long_path, 'x', 4999);
    long_path[0] = '/';
    long_path[4999] = '\0';
    setenv("HOME", long_path, 1);
    store(KEY, "");
    assert_false(find(KEY));
    setenv("GEOID_CACHE_DIR", long_path, 1);
    store(KEY, "");
    assert_false(find(KEY));
    free(long_path);
    assert_int_equal(chdir("/"), 0);
}

/* The signal of a limit on files would end the process. */
static void a_limit_on_files_keeps_nothing(void **state)
{
    struct rlimit before, limit;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 1000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    number_store(1, 3000);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(number_find(1), 0);
    const struct census census = census_take();
    assert_int_equal(census.entries + census.parts, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_stored_is_found),
        CASE(other_keys_are_not_found),
        CASE(an_entry_of_the_same_name_is_not_the_key_s),
        CASE(the_latest_value_counts),
        CASE(counts_say_what_happened),
        CASE(it_can_be_switched_off),
        CASE(damaged_entries_are_misses),
        CASE(sizes_that_lie_are_refused),
        CASE(folders_that_others_may_write_to_are_not_used),
        CASE(folders_of_others_are_not_used),
        CASE(symbolic_links_are_not_followed),
        CASE(files_of_others_are_not_read),
        CASE(only_files_are_read),
        CASE(entries_are_for_this_user_alone),
        CASE(the_folder_is_the_user_s),
        CASE(nothing_is_made_in_the_home_of_others),
        CASE(without_a_folder_nothing_happens),
        CASE(a_limit_on_files_keeps_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
