/* The address map against a plain table, and with readers beside the writer. */
#include "unit.h"

#include "driver/mem/address_map.h"

#include <pthread.h>

static struct geo_epoch epoch;
static struct geo_address_map map;

static bool insert(uintptr_t base, uintptr_t end, void *value)
{
    struct geo_address_range range = {base, end, value};
    return geo_address_map_insert(&map, &epoch, &range);
}

static void *find(uintptr_t address)
{
    struct geo_address_range range;
    uint32_t ticket = geo_epoch_enter(&epoch);
    void *value = geo_address_map_find(&map, address, &range) ? range.value : NULL;
    geo_epoch_leave(&epoch, ticket);
    return value;
}

static size_t map_count(void)
{
    struct geo_address_range range = {0, 0, NULL};
    size_t count = 0;
    for (uintptr_t at = 0; geo_address_map_next(&map, at, &range); at = range.base + 1) {
        assert_true(range.base >= at);
        count++;
    }
    return count;
}

static void map_empty(void)
{
    struct geo_address_range range;
    while (geo_address_map_next(&map, 0, &range)) {
        assert_ptr_equal(geo_address_map_remove(&map, &epoch, range.base), range.value);
    }
    assert_int_equal(map_count(), 0);
    geo_epoch_advance(&epoch);
}

static void an_empty_map_finds_nothing(void **state)
{
    (void)state;
    struct geo_address_range range;
    assert_null(find(0));
    assert_null(find(UINTPTR_MAX));
    assert_false(geo_address_map_next(&map, 0, &range));
    assert_null(geo_address_map_remove(&map, &epoch, 4096));
}

static void ranges_hold_their_first_but_not_their_end(void **state)
{
    (void)state;
    int a, b;
    assert_true(insert(1000, 2000, &a));
    assert_true(insert(2000, 2001, &b));
    assert_null(find(999));
    assert_ptr_equal(find(1000), &a);
    assert_ptr_equal(find(1999), &a);
    assert_ptr_equal(find(2000), &b);
    assert_null(find(2001));
    assert_null(geo_address_map_remove(&map, &epoch, 1500)); /* not a first address */
    assert_ptr_equal(geo_address_map_remove(&map, &epoch, 1000), &a);
    assert_null(geo_address_map_remove(&map, &epoch, 1000));
    assert_null(find(1000));
    assert_ptr_equal(find(2000), &b);
    map_empty();
}

/* A range is split by inserting its tail and then replacing it by the head. */
static void a_split_range_is_found_whole_at_every_step(void **state)
{
    (void)state;
    int before, whole, head, tail, behind;
    const struct geo_address_range shorter = {1000, 1500, &head};
    assert_true(insert(900, 1000, &before));
    assert_true(insert(1000, 2000, &whole));
    assert_true(insert(2000, 2100, &behind));
    assert_true(insert(1500, 2000, &tail));
    assert_ptr_equal(find(1499), &whole);
    assert_ptr_equal(find(1500), &tail);
    assert_true(geo_address_map_replace(&map, &epoch, &shorter));
    assert_ptr_equal(find(999), &before);
    assert_ptr_equal(find(1000), &head);
    assert_ptr_equal(find(1499), &head);
    assert_ptr_equal(find(1500), &tail);
    assert_ptr_equal(find(2000), &behind);
    assert_int_equal(map_count(), 4);
    assert_ptr_equal(geo_address_map_remove(&map, &epoch, 1500), &tail);
    assert_null(find(1500)); /* the head ends where it says */
    map_empty();
}

/* A range may reach over where the next leaf begins, when what was there is gone. */
static void a_range_reaches_over_the_border_of_leaves(void **state)
{
    (void)state;
    static int values[200], large;
    for (uintptr_t i = 0; i < 200; i++) {
        assert_true(insert(1000 + i * 10, 1005 + i * 10, &values[i]));
    }
    for (uintptr_t i = 20; i < 180; i++) {
        assert_ptr_equal(geo_address_map_remove(&map, &epoch, 1000 + i * 10), &values[i]);
    }
    assert_true(insert(1200, 2800, &large));
    for (uintptr_t at = 1200; at < 2800; at += 7) {
        assert_ptr_equal(find(at), &large);
    }
    assert_ptr_equal(find(2804), &values[180]);
    assert_ptr_equal(find(1194), &values[19]);
    map_empty();
}

static void random_changes_agree_with_a_plain_table(void **state)
{
    (void)state;
    enum { SLOTS = 4000, ROUNDS = 60000 };
    static uint16_t length[SLOTS]; /* of the range in this slot; 0: none */
    srand(1);
    size_t living = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uintptr_t slot = (uintptr_t)rand() % SLOTS;
        uintptr_t base = (slot + 1) * 100;
        if (length[slot] == 0) {
            length[slot] = (uint16_t)(1 + rand() % 100);
            assert_true(insert(base, base + length[slot], &length[slot]));
            living++;
        } else if (rand() % 3) {
            assert_ptr_equal(geo_address_map_remove(&map, &epoch, base), &length[slot]);
            length[slot] = 0;
            living--;
        }
        if (round % 256 == 0) {
            assert_int_equal(map_count(), living);
        }
        slot = (uintptr_t)rand() % SLOTS;
        uintptr_t offset = (uintptr_t)rand() % 100;
        void *expected = offset < length[slot] ? &length[slot] : NULL;
        assert_ptr_equal(find((slot + 1) * 100 + offset), expected);
    }
    assert_int_equal(map_count(), living);
    map_empty();
}

/* ---- readers beside the writer ---- */

enum { FIXED = 64, MOVING = 512 };
static int fixed_values[FIXED];
static _Atomic bool stop;

/* What is in the map all the time must be found at every moment. */
static void *reader_run(void *argument)
{
    (void)argument;
    unsigned seed = (unsigned)(uintptr_t)pthread_self();
    uintptr_t failures = 0;
    while (!atomic_load(&stop)) {
        uintptr_t i = (uintptr_t)rand_r(&seed) % FIXED;
        failures += find(i * 100000 + 50) != &fixed_values[i];
        (void)find((uintptr_t)rand_r(&seed) % (FIXED * 100000)); /* may or may not be there */
    }
    return (void *)failures;
}

/* GEN-13 */
static void readers_find_what_stays_while_the_writer_works(void **state)
{
    (void)state;
    pthread_t readers[3];
    static int moving;
    for (uintptr_t i = 0; i < FIXED; i++) {
        assert_true(insert(i * 100000, i * 100000 + 100, &fixed_values[i]));
    }
    atomic_store(&stop, false);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&readers[i], NULL, reader_run, NULL), 0);
    }
    static bool present[MOVING];
    srand(2);
    for (int round = 0; round < 40000; round++) {
        uintptr_t i = (uintptr_t)rand() % MOVING;
        uintptr_t base = i % FIXED * 100000 + 200 + i * 100;
        if (!present[i]) {
            assert_true(insert(base, base + 100, &moving));
        } else {
            assert_ptr_equal(geo_address_map_remove(&map, &epoch, base), &moving);
        }
        present[i] = !present[i];
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 3; i++) {
        void *failures;
        pthread_join(readers[i], &failures);
        assert_null(failures);
    }
    map_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_finds_nothing),
        cmocka_unit_test(ranges_hold_their_first_but_not_their_end),
        cmocka_unit_test(a_split_range_is_found_whole_at_every_step),
        cmocka_unit_test(a_range_reaches_over_the_border_of_leaves),
        cmocka_unit_test(random_changes_agree_with_a_plain_table),
        cmocka_unit_test(readers_find_what_stays_while_the_writer_works),
    };
    return cmocka_run_group_tests_name("address map", tests, NULL, NULL);
}
