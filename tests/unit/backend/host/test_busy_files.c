/* What processes were busy with, as files tell it that the test has written. */
#include "support.h"

#include "backend/host/census_table.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEC ((uint64_t)GEO_NS_PER_SEC)

static uint64_t looked(const char *folder, enum geo_busy_kind kind, uint64_t now_ns)
{
    static uint16_t cpus[GEO_BUSY_CPUS];
    static uint64_t ns[GEO_BUSY_CPUS];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < GEO_BUSY_CPUS; i++) {
        cpus[i] = (uint16_t)i;
    }
    assert_true(geo_census_read_busy(folder, kind, now_ns, cpus, ns, GEO_BUSY_CPUS));
    for (uint32_t i = 0; i < GEO_BUSY_CPUS; i++) {
        sum += ns[i];
    }
    return sum;
}

static char root[] = "/tmp/geoid-busy-XXXXXX";
static int table;

static const char *table_path(void)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s" GEO_CENSUS_FOLDER "/" GEO_CENSUS_NAME "%u", root,
             (unsigned)geteuid());
    return path;
}

static void put(uint64_t at, const void *bytes, size_t size)
{
    assert_int_equal(pwrite(table, bytes, size, (off_t)at), size);
}

static void put_word(uint64_t at, uint64_t word)
{
    put(at, &word, sizeof(word));
}

static uint64_t word_at(uint64_t at)
{
    uint64_t word;
    assert_int_equal(pread(table, &word, sizeof(word), (off_t)at), sizeof(word));
    return word;
}

#define SINCE_AT                                                                                   \
    (offsetof(struct geo_census_head, watch) + offsetof(struct geo_busy_watch, since_ns))
#define UNTIL_AT                                                                                   \
    (offsetof(struct geo_census_head, watch) + offsetof(struct geo_busy_watch, until_ns))

static void put_cpu(uint32_t cpu, uint64_t kernel_ns, uint64_t copy_ns)
{
    const uint64_t at = GEO_CENSUS_CPUS_AT + cpu * sizeof(struct geo_busy_cpu);
    put_word(at, kernel_ns);
    put_word(at + 8, copy_ns);
}

static void put_place(uint32_t index, uint32_t format, uint32_t used)
{
    struct geo_census_place place = {.format = format, .pid = 4711, .cells_used = used};
    put((uint64_t)geo_census_table_place_at(index), &place, sizeof(place));
}

static void put_cell(uint32_t place, uint32_t index, uint32_t what, uint64_t begin_ns)
{
    struct geo_busy_cell cell = {.begin_ns = begin_ns, .what = what};
    put((uint64_t)geo_census_table_place_at(place) + GEO_CENSUS_CELLS_AT + index * sizeof(cell),
        &cell, sizeof(cell));
}

static void hold(uint32_t index, short type)
{
    struct flock lock = {.l_type = type,
                         .l_whence = SEEK_SET,
                         .l_start = geo_census_table_place_at(index),
                         .l_len = 1};
    assert_int_equal(fcntl(table, F_OFD_SETLK, &lock), 0);
}

static uint32_t what(enum geo_busy_kind kind, uint32_t cpu)
{
    return (uint32_t)kind << GEO_BUSY_KIND_SHIFT | cpu;
}

static int table_setup(void **state)
{
    const uint32_t format = GEO_CENSUS_FORMAT;
    char path[128];
    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof(path), "%s/dev", root);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof(path), "%s/dev/shm", root);
    assert_int_equal(mkdir(path, 0755), 0);
    table = open(table_path(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(table >= 0);
    put(0, &format, sizeof(format));
    return ftruncate(table, (off_t)GEO_CENSUS_BYTES);
}

static int table_teardown(void **state)
{
    char command[128];
    (void)state;
    close(table);
    snprintf(command, sizeof(command), "rm -rf %s", root);
    memset(root + strlen(root) - 6, 'X', 6);
    return system(command);
}

static void a_look_says_so_for_ten_minutes(void **state)
{
    (void)state;
    assert_int_equal(looked(root, GEO_BUSY_KERNEL, 100 * SEC), 0);
    assert_int_equal(word_at(SINCE_AT), 100 * SEC);
    assert_int_equal(word_at(UNTIL_AT), 700 * SEC);
    assert_int_equal(looked(root, GEO_BUSY_COPY, 101 * SEC), 0);
    assert_int_equal(word_at(SINCE_AT), 100 * SEC);
    (void)looked(root, GEO_BUSY_COPY, 300 * SEC);
    assert_int_equal(word_at(SINCE_AT), 100 * SEC);
    assert_int_equal(word_at(UNTIL_AT), 900 * SEC);
    put_word(UNTIL_AT, UINT64_MAX); /* nonsense does not stay */
    (void)looked(root, GEO_BUSY_COPY, 301 * SEC);
    assert_int_equal(word_at(UNTIL_AT), 901 * SEC);
}

static void counts_of_cpus_are_told_by_kind_whoever_is_left(void **state)
{
    (void)state;
    put_cpu(0, 1000, 50);
    put_cpu(5, 300, 7);
    put_cpu(1023, 20, 3);
    assert_int_equal(looked(root, GEO_BUSY_KERNEL, SEC), 1320);
    assert_int_equal(looked(root, GEO_BUSY_COPY, SEC), 60);
    const uint16_t some[] = {1, 5};
    uint64_t ns[2] = {9, 9};
    assert_true(geo_census_read_busy(root, GEO_BUSY_KERNEL, SEC, some, ns, 2));
    assert_int_equal(ns[0], 0);
    assert_int_equal(ns[1], 300);
}

static void what_runs_counts_up_to_now_while_its_process_lives(void **state)
{
    (void)state;
    put_word(SINCE_AT, 5 * SEC);
    put_word(UNTIL_AT, 5000 * SEC);
    put_cpu(3, 100, 0);
    put_place(7, GEO_CENSUS_FORMAT, 3);
    put_cell(7, 0, what(GEO_BUSY_KERNEL, 3), 8 * SEC);
    put_cell(7, 1, what(GEO_BUSY_COPY, 4), 9 * SEC);
    put_cell(7, 2, what(GEO_BUSY_KERNEL, 2), 1 * SEC);              /* before anybody looked */
    put_cell(7, 3, what(GEO_BUSY_KERNEL, 2), 8 * SEC);              /* never taken */
    assert_int_equal(looked(root, GEO_BUSY_KERNEL, 10 * SEC), 100); /* nobody holds the place */
    hold(7, F_WRLCK);
    assert_int_equal(looked(root, GEO_BUSY_KERNEL, 10 * SEC), 100 + 2 * SEC + 5 * SEC);
    assert_int_equal(looked(root, GEO_BUSY_COPY, 10 * SEC), SEC);
    assert_int_equal(looked(root, GEO_BUSY_KERNEL, 12 * SEC), 100 + 4 * SEC + 7 * SEC);
    assert_int_equal(looked(root, GEO_BUSY_KERNEL, 7 * SEC), 100 + 2 * SEC); /* not begun yet */
    const uint16_t cpu = 3;
    uint64_t ns;
    assert_true(geo_census_read_busy(root, GEO_BUSY_KERNEL, 10 * SEC, &cpu, &ns, 1));
    assert_int_equal(ns, 100 + 2 * SEC);
    put_place(7, 0, 3); /* being filled */
    assert_int_equal(looked(root, GEO_BUSY_KERNEL, 10 * SEC), 100);
    put_place(7, GEO_CENSUS_FORMAT, 3);
    hold(7, F_UNLCK);
    assert_int_equal(looked(root, GEO_BUSY_KERNEL, 10 * SEC), 100);
}

/* Of the last place, and of as many as there can be. */
static void all_places_are_looked_at(void **state)
{
    (void)state;
    put_word(SINCE_AT, SEC);
    put_word(UNTIL_AT, 5000 * SEC);
    for (uint32_t i = 0; i < GEO_CENSUS_PLACES; i++) {
        put_place(i, GEO_CENSUS_FORMAT, 1);
        put_cell(i, 0, what(GEO_BUSY_COPY, i), 2 * SEC);
        hold(i, F_WRLCK);
    }
    assert_int_equal(looked(root, GEO_BUSY_COPY, 3 * SEC), GEO_CENSUS_PLACES * SEC);
}

static void files_of_another_layout_are_left_alone(void **state)
{
    const uint32_t other = 0x67636e31;
    (void)state;
    put_cpu(0, 1000, 1000);
    put(0, &other, sizeof(other));
    assert_int_equal(looked(root, GEO_BUSY_KERNEL, SEC), 0);
    assert_int_equal(word_at(SINCE_AT), 0);
    assert_int_equal(word_at(UNTIL_AT), 0);
}

static void any_bytes_are_read_without_harm(void **state)
{
    static uint32_t bytes[1 << 14];
    uint32_t random = 12345;
    const uint32_t format = GEO_CENSUS_FORMAT;
    (void)state;
    for (uint32_t i = 0; i < GEO_CENSUS_PLACES; i++) {
        hold(i, F_WRLCK);
    }
    for (int round = 0; round < 20; round++) {
        for (uint64_t at = 0; at < GEO_CENSUS_BYTES; at += sizeof(bytes)) {
            for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
                random = random * 1664525 + 1013904223;
                bytes[i] = round % 4 == 0 ? UINT32_MAX : round % 4 == 1 ? random >> 8 : random;
            }
            uint64_t left = GEO_CENSUS_BYTES - at;
            put(at, bytes, left < sizeof(bytes) ? left : sizeof(bytes));
        }
        put(0, &format, sizeof(format));
        for (uint32_t i = 0; i < GEO_CENSUS_PLACES; i++) {
            put((uint64_t)geo_census_table_place_at(i), &format, sizeof(format));
        }
        (void)looked(root, GEO_BUSY_KERNEL, geo_now_ns());
        (void)looked(root, GEO_BUSY_COPY, geo_now_ns());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_look_says_so_for_ten_minutes, table_setup,
                                        table_teardown),
        cmocka_unit_test_setup_teardown(counts_of_cpus_are_told_by_kind_whoever_is_left,
                                        table_setup, table_teardown),
        cmocka_unit_test_setup_teardown(what_runs_counts_up_to_now_while_its_process_lives,
                                        table_setup, table_teardown),
        cmocka_unit_test_setup_teardown(all_places_are_looked_at, table_setup, table_teardown),
        cmocka_unit_test_setup_teardown(files_of_another_layout_are_left_alone, table_setup,
                                        table_teardown),
        cmocka_unit_test_setup_teardown(any_bytes_are_read_without_harm, table_setup,
                                        table_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
