/* Unit test of the cache where the system says no: to memory, opening, writing, renaming. Nothing
 * is then found or kept; what is kept is whole, and nothing is left behind. */
#include "support.h"

#include "failing.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = 5000 };

/* ---- calls that fail ---- */

static struct {
    long writes, renames; /* so many succeed, then one fails; -1: all succeed */
    size_t most;          /* bytes a write takes; 0: all */
    bool interrupted, no_times, privileged;
    unsigned other_user, other_group; /* bits: the real, effective, saved one is another */
} faults;

ssize_t __real_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count)
{
    if (faults.writes == 0) {
        faults.writes = -1;
        errno = faults.interrupted ? EINTR : ENOSPC;
        return -1;
    }
    faults.writes -= faults.writes > 0;
    return __real_write(fd, bytes, faults.most && count > faults.most ? faults.most : count);
}

int __real_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new)
{
    if (faults.renames == 0) {
        errno = EDQUOT;
        return -1;
    }
    return __real_renameat(from, old, to, new);
}

int __real_futimens(int fd, const struct timespec times[2]);
int __wrap_futimens(int fd, const struct timespec times[2]);
int __wrap_futimens(int fd, const struct timespec times[2])
{
    if (faults.no_times) {
        errno = EROFS;
        return -1;
    }
    return __real_futimens(fd, times);
}

unsigned long __real_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type)
{
    return type == AT_SECURE ? faults.privileged : __real_getauxval(type);
}

/* Three numbers, of which those that `other` names differ from what they are. */
static void ids_change(unsigned *ids[3], unsigned other)
{
    for (unsigned i = 0; i < 3; i++) {
        *ids[i] += other >> i & 1;
    }
}

int __real_getresuid(uid_t *real, uid_t *effective, uid_t *saved);
int __wrap_getresuid(uid_t *real, uid_t *effective, uid_t *saved);
int __wrap_getresuid(uid_t *real, uid_t *effective, uid_t *saved)
{
    int result = __real_getresuid(real, effective, saved);
    ids_change((unsigned *[]){real, effective, saved}, faults.other_user);
    return result;
}

int __real_getresgid(gid_t *real, gid_t *effective, gid_t *saved);
int __wrap_getresgid(gid_t *real, gid_t *effective, gid_t *saved);
int __wrap_getresgid(gid_t *real, gid_t *effective, gid_t *saved)
{
    int result = __real_getresgid(real, effective, saved);
    ids_change((unsigned *[]){real, effective, saved}, faults.other_group);
    return result;
}

static int set_up(void **state)
{
    faults.writes = faults.renames = -1;
    faults.most = 0;
    faults.interrupted = faults.no_times = faults.privileged = false;
    faults.other_user = faults.other_group = 0;
    return folder_set_up(state);
}

static void folder_is_clean(void)
{
    const struct census census = census_take();
    assert_int_equal(census.parts + census.others, 0);
}

/* ---- cases ---- */

static void a_full_disk_keeps_nothing(void **state)
{
    (void)state;
    faults.most = 1000;
    for (long i = 0; i < 5; i++) {
        faults.writes = i;
        number_store(1, BYTES);
        assert_int_equal(number_find(1), 0);
        assert_int_equal(census_take().entries, 0);
        folder_is_clean();
    }
    faults.writes = -1;
    number_store(1, BYTES);
    assert_int_equal(number_find(1), 1);
}

static void interrupted_writes_go_on(void **state)
{
    (void)state;
    faults.most = 700;
    faults.writes = 3;
    faults.interrupted = true;
    number_store(1, BYTES);
    assert_int_equal(number_find(1), 1);
    folder_is_clean();
}

static void what_cannot_be_renamed_goes(void **state)
{
    (void)state;
    number_store(1, BYTES);
    faults.renames = 0;
    number_store(1, 2 * BYTES);
    number_store(2, BYTES);
    assert_int_equal(number_find(1), 1);
    assert_int_equal(number_find(2), 0);
    folder_is_clean();
}

static void a_folder_that_cannot_be_written_is_read(void **state)
{
    (void)state;
    number_store(1, BYTES);
    faults.no_times = true;
    assert_int_equal(number_find(1), 1);
}

static void programs_with_privileges_have_none(void **state)
{
    (void)state;
    number_store(1, BYTES);
    faults.privileged = true;
    assert_false(geo_cache_is_on());
    assert_int_equal(number_find(1), 0);
    faults.privileged = false;
    assert_int_equal(number_find(1), 1);
}

/* A root daemon that acts for a user now may become root again, and so on. */
static void programs_with_several_identities_have_none(void **state)
{
    (void)state;
    number_store(1, BYTES);
    for (unsigned other = 1; other < 7; other++) {
        for (int group = 0; group < 2; group++) {
            faults.other_user = group ? 0 : other;
            faults.other_group = group ? other : 0;
            assert_false(geo_cache_is_on());
            assert_int_equal(number_find(1), 0);
            number_store(2, BYTES);
        }
    }
    faults.other_user = faults.other_group = 0;
    assert_int_equal(number_find(1), 1);
    assert_int_equal(number_find(2), 0);
    assert_int_equal(census_take().entries, 1);
}

/* Each call in turn, alone and with all after it. */
static void calls_fail(enum failing_call call, bool for_good)
{
    long count = 4;
    for (long at = 1; at <= count; at++) {
        failing_begin(&(struct failing){.call = call, .at = at, .for_good = for_good});
        number_store(2, BYTES);
        (void)number_find(1);
        (void)number_find(2);
        count = failing_count() > count ? failing_count() : count;
        failing_end();
        assert_int_equal(number_find(1), 1);
        folder_is_clean();
    }
#ifndef GEOID_SANITIZED
    assert_true(count > 4);
#endif
}

static void failing_calls_are_misses(void **state)
{
    (void)state;
    number_store(1, BYTES);
    for (int good = 0; good < 2; good++) {
        calls_fail(FAILING_OPEN, good);
    }
}

/* The values of cases are allocated, too: only what the cache does fails. */
static void failing_memory_is_a_miss(void **state)
{
    uint8_t bytes[20 << 10] = {1};
    const struct geo_cache_value value = {.bytes = bytes, .count = sizeof(bytes), .text = "text"};
    struct geo_cache_value found;
    (void)state;
    setenv("GEOID_CACHE_SIZE", "1", 1); /* it is looked at */
    for (unsigned i = 0; i < 200; i++) {
        number_store(1000 + i, 10);
    }
    for (int good = 0; good < 2; good++) {
        long count = 2; /* the entry, and what is read of it */
        for (long at = 1; at <= count; at++) {
            failing_begin(
                &(struct failing){.call = FAILING_ALLOCATION, .at = at, .for_good = good != 0});
            geo_cache_store(key_of("a key"), &value);
            bool hit = geo_cache_find(key_of("a key"), &found);
            count = failing_count() > count ? failing_count() : count;
            failing_end();
            if (hit) {
                assert_int_equal(found.count, sizeof(bytes));
                assert_memory_equal(found.bytes, bytes, sizeof(bytes));
                geo_cache_release(&found);
            }
            folder_is_clean();
        }
        assert_true(count > 2);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, folder_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_full_disk_keeps_nothing),          CASE(interrupted_writes_go_on),
        CASE(what_cannot_be_renamed_goes),        CASE(a_folder_that_cannot_be_written_is_read),
        CASE(programs_with_privileges_have_none), CASE(programs_with_several_identities_have_none),
        CASE(failing_calls_are_misses),           CASE(failing_memory_is_a_miss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
