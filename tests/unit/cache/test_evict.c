/* Unit test of eviction: what goes, in which order, and what stays. */
#include "support.h"

#include "cache/evict.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ENTRY_BYTES = 100 << 10 };

/* Used so many seconds ago. */
static void path_age(const char *path, long seconds)
{
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static const char *path_of(unsigned number)
{
    char key[32];
    snprintf(key, sizeof(key), "number %u", number);
    return entry_path(key);
}

static bool is_kept(unsigned number)
{
    return access(path_of(number), F_OK) == 0;
}

static uint64_t evict(uint64_t limit)
{
    int fd = open(cache, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    uint64_t evicted = geo_cache_evict(fd, limit);
    close(fd);
    return evicted;
}

/* Ages are no order of names or of making. */
static void what_was_used_the_longest_ago_goes(void **state)
{
    static const long ages[] = {30, 80, 10, 60, 20, 70, 50, 40};
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        number_store(i, 6000);
        path_age(path_of(i), ages[i]);
    }
    assert_int_equal(evict(8 * 8192), 0);
    assert_int_equal(evict(5 * 8192), 4); /* to 7/8 of it: 4 of 8 KiB each */
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(is_kept(i), ages[i] <= 40);
    }
}

static void a_hit_is_a_use(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        number_store(i, 6000);
        path_age(path_of(i), 100 - (long)i);
    }
    assert_int_equal(number_find(0), 1);
    assert_int_equal(evict(2 * 8192 + 4096), 1);
    assert_true(is_kept(0));
    assert_false(is_kept(1));
    assert_true(is_kept(2));
}

/* A mebibyte is looked at after every entry of this size. */
static void the_folder_stays_as_large_as_it_may(void **state)
{
    const struct geo_cache_counts before = geo_cache_counts();
    (void)state;
    setenv("GEOID_CACHE_SIZE", "1", 1);
    for (unsigned i = 0; i < 40; i++) {
        number_store(i, ENTRY_BYTES);
        assert_true(census_take().bytes <= 1 << 20);
        assert_int_equal(number_find(i), 1);
    }
    const struct census census = census_take();
    assert_in_range(census.entries, 7, 10);
    assert_int_equal(geo_cache_counts().evictions - before.evictions, 40 - census.entries);
    number_store(99, 600 << 10); /* more than half of it */
    assert_int_equal(number_find(99), 0);
}

/* What is small beside the folder is looked at by chance: twice its entries are too many. */
static void many_small_entries_do_not_get_by(void **state)
{
    (void)state;
    setenv("GEOID_CACHE_SIZE", "1", 1);
    for (unsigned i = 0; i < 1000; i++) {
        number_store(i, 10);
    }
    assert_in_range(census_take().bytes, (1 << 20) * 3 / 4, (1 << 20) * 3 / 2);
}

static void looks_are_as_rare_as_the_folder_is_large(void **state)
{
    const uint64_t limit = UINT64_C(1) << 30;
    uint64_t random = 1, looks = 0;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        looks += geo_cache_evict_is_due(32768, limit, random >> 11);
    }
    assert_in_range(looks, 100000 * 64 / 32768 - 60, 100000 * 64 / 32768 + 60);
    assert_true(geo_cache_evict_is_due(limit / 64, limit, 12345));
}

static void file_make(const char *name, long age)
{
    char path[400];
    snprintf(path, sizeof(path), "%s/%s", cache, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 10000), 0);
    close(fd);
    path_age(path, age);
}

static void remains_of_the_dead_go(void **state)
{
    (void)state;
    file_make(".0123456789abcdef.tmp", 3600);
    file_make(".0123456789abcde0.tmp", -3600); /* a clock was set */
    file_make(".0123456789abcde1.tmp", 10);    /* is being written */
    assert_int_equal(evict(1 << 20), 0);
    assert_int_equal(census_take().parts, 1);
}

/* Somebody names a folder that has other things in it. */
static void files_of_others_stay(void **state)
{
    static const char *const names[] = {"letter.txt",
                                        "0123456789abcdef",
                                        "0123456789abcdef.geoid.txt",
                                        "0123456789abcdef.photo",
                                        "0123456789abcdeg.geoid",
                                        "123456789abcdef.geoid",
                                        ".0123456789abcdef.geoid",
                                        "0123456789abcdef.tmp",
                                        ".x.tmp"};
    char path[400];
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        file_make(names[i], 7200);
    }
    snprintf(path, sizeof(path), "%s/0123456789abcdef.geoid", cache);
    assert_int_equal(mkdir(path, 0700), 0);
    number_store(1, 4000);
    assert_int_equal(evict(100), 1);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", cache, names[i]);
        assert_int_equal(access(path, F_OK), 0);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_was_used_the_longest_ago_goes),
        CASE(a_hit_is_a_use),
        CASE(the_folder_stays_as_large_as_it_may),
        CASE(many_small_entries_do_not_get_by),
        CASE(looks_are_as_rare_as_the_folder_is_large),
        CASE(remains_of_the_dead_go),
        CASE(files_of_others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
