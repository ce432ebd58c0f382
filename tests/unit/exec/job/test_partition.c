/* How blocks are shared, as a model: participants that come at given times and take given times for
 * each block, in a time that is counted, not measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "exec/job/cost.h"
#include "exec/job/partition.h"

#define BLOCKS_MAX 20000u
#define TAKE_NS    200.0 /* what each taking costs in the model, and each look at others */
#define PEOPLE_MAX 16u

struct model {
    uint32_t blocks, people;
    double known_ns;                     /* of a block, by earlier launches; 0 unknown */
    double (*block_ns)(uint32_t block);  /* what it takes */
    double (*slow)(uint32_t person);     /* times that */
    double (*comes_ns)(uint32_t person); /* when */
};

struct person {
    double at, block_ns; /* its time; what its last blocks took, each */
    uint32_t begin, count;
    bool measured, lingered, done;
};

static struct geo_partition partition;
static uint8_t seen[BLOCKS_MAX];
static struct person people[PEOPLE_MAX];

static double none(uint32_t person)
{
    (void)person;
    return 0;
}

static double once(uint32_t person)
{
    (void)person;
    return 1;
}

/* The person whose time is least and who is not done. */
static struct person *earliest(uint32_t count)
{
    struct person *first = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!people[i].done && (!first || people[i].at < first->at)) {
            first = &people[i];
        }
    }
    return first;
}

/* Runs blocks, which are over at the person's new time. */
static void blocks_run(const struct model *model, struct person *own, uint32_t mine)
{
    double took = 0;
    for (uint32_t i = own->begin; i < own->begin + own->count; i++) {
        took += model->block_ns(i) * model->slow(mine);
        seen[i]++;
    }
    own->block_ns = took / own->count;
    own->measured = true;
    own->at += took + TAKE_NS;
}

/* As in a job: looks for the next blocks; what is not worth stealing is looked at again a while
 * later. */
static void step(const struct model *model, struct person *own, uint32_t mine)
{
    if (own->measured) {
        geo_partition_measured(&partition, mine, own->block_ns);
    }
    own->count =
        geo_partition_next(&partition, mine, own->lingered ? 0 : own->block_ns, &own->begin);
    if (own->count != 0) {
        own->lingered = false;
        blocks_run(model, own, mine);
    } else if (!own->lingered && geo_partition_left(&partition)) {
        own->lingered = true;
        own->at += GEO_COST_LEAST_NS;
    } else {
        own->done = true;
    }
}

/* When the last one is done; every block was run once. */
static double model_run(const struct model *model)
{
    double end = 0;
    geo_partition_deal(&partition, model->blocks, model->people);
    for (uint32_t i = 0; i < model->people; i++) {
        people[i] = (struct person){.at = model->comes_ns(i), .block_ns = model->known_ns};
        uint32_t mine;
        assert_true(geo_partition_claim(&partition, i, &mine));
        assert_int_equal(mine, i);
    }
    struct person *own;
    while ((own = earliest(model->people))) {
        end = own->at > end ? own->at : end;
        step(model, own, (uint32_t)(own - people));
    }
    for (uint32_t i = 0; i < model->blocks; i++) {
        assert_int_equal(seen[i], 1);
        seen[i] = 0;
    }
    return end;
}

/* ---- costs ---- */

static double of_100_ns(uint32_t block)
{
    (void)block;
    return 100;
}

static double of_10_us(uint32_t block)
{
    (void)block;
    return 10000;
}

static double of_400_us(uint32_t block)
{
    (void)block;
    return 400000;
}

static double rising(uint32_t block)
{
    return block / 10.0;
}

/* Of the blocks of two: cheap ones, and at the end a few that take a thousand times as long. */
static double dear_at_the_end(uint32_t block)
{
    return block < 60 ? 100 : 100000;
}

static double half_as_fast(uint32_t person)
{
    return person % 2 ? 2 : 1;
}

static double late(uint32_t person)
{
    return person == 0 ? 0 : 30000;
}

/* ---- cases ---- */

/* At the end nobody waits for long: 2 us, beside what is taken at once. */
static void equal_blocks_end_together(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= PEOPLE_MAX; count *= 2) {
        const struct model model = {count * 1000, count, 100, of_100_ns, once, none};
        double end = model_run(&model);
        assert_in_range((uint64_t)end, 100000, 103000 + 20 * (uint64_t)TAKE_NS);
    }
}

static void few_long_blocks_are_one_each(void **state)
{
    (void)state;
    const struct model model = {16, 16, 0, of_400_us, once, none};
    assert_in_range((uint64_t)model_run(&model), 400000, 405000);
}

static void who_is_slow_is_helped(void **state)
{
    (void)state;
    const struct model two = {2000, 2, 100, of_100_ns, half_as_fast, none};
    assert_in_range((uint64_t)model_run(&two), 133333, 146667); /* alone the slow one had 200 */
    const struct model many = {16 * 64, 16, 10000, of_10_us, half_as_fast, none};
    assert_in_range((uint64_t)model_run(&many), 16 * 640000 / 12, 16 * 640000 / 12 + 45000);
}

static void who_comes_late_finds_its_part(void **state)
{
    (void)state;
    const struct model model = {16000, 16, 100, of_100_ns, once, late};
    assert_in_range((uint64_t)model_run(&model), 100000, 140000);
}

static void unequal_blocks_are_stolen(void **state)
{
    (void)state;
    const struct model model = {20000, 16, 1000, rising, once, none};
    double all = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        all += rising(i);
    }
    assert_in_range((uint64_t)model_run(&model), (uint64_t)(all / 16), (uint64_t)(all / 16 * 1.08));
}

/* What looks cheap and is not does not stay with one: four of 100 us, two each. */
static void what_takes_longer_than_thought_is_stolen_after_all(void **state)
{
    (void)state;
    const struct model model = {64, 2, 100, dear_at_the_end, once, none};
    assert_in_range((uint64_t)model_run(&model), 200000, 215000);
}

static void a_participant_has_the_range_of_its_number(void **state)
{
    (void)state;
    uint32_t mine;
    geo_partition_deal(&partition, 100, 4);
    assert_true(geo_partition_claim(&partition, 2, &mine));
    assert_int_equal(mine, 2);
    assert_true(geo_partition_claim(&partition, 7, &mine)); /* more workers than ranges */
    assert_int_equal(mine, 3);
    assert_true(geo_partition_claim(&partition, 2, &mine)); /* somebody has it */
    assert_int_equal(mine, 0);
    geo_partition_leave(&partition, 2);
    assert_true(geo_partition_claim(&partition, 2, &mine));
    assert_int_equal(mine, 2);
    assert_true(geo_partition_claim(&partition, 2, &mine));
    assert_int_equal(mine, 1);
    assert_false(geo_partition_claim(&partition, 0, &mine));
}

/* Whole, at once, and whatever it costs: nobody else would do it. */
static void what_is_nobodys_is_taken_whole(void **state)
{
    (void)state;
    uint32_t mine, begin;
    geo_partition_deal(&partition, 8, 2);
    assert_true(geo_partition_claim(&partition, 0, &mine));
    assert_int_equal(geo_partition_next(&partition, 0, 100, &begin), 2);
    assert_int_equal(geo_partition_next(&partition, 0, 100, &begin), 1);
    assert_int_equal(geo_partition_next(&partition, 0, 100, &begin), 1);
    assert_int_equal(geo_partition_next(&partition, 0, 100, &begin), 2);
    assert_int_equal(begin, 4);
    assert_int_equal(geo_block_range_length(&partition.ranges[1]), 0);
}

/* By halves. */
static void the_largest_range_is_stolen_from(void **state)
{
    (void)state;
    uint32_t mine, begin;
    geo_partition_deal(&partition, 300, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(geo_partition_claim(&partition, i, &mine));
    }
    assert_int_equal(geo_block_range_take(&partition.ranges[0], 100, &begin), 100);
    assert_int_equal(geo_block_range_take(&partition.ranges[1], 60, &begin), 60);
    assert_int_equal(geo_partition_next(&partition, 0, 1e6, &begin), 1);
    assert_int_equal(begin, 250);
    assert_int_equal(geo_block_range_length(&partition.ranges[0]), 49);
    assert_int_equal(geo_block_range_length(&partition.ranges[1]), 40);
    assert_int_equal(geo_block_range_length(&partition.ranges[2]), 50);
}

/* Each taking of others' blocks counts once, also if several parts of them are run. */
static void steals_are_counted(void **state)
{
    uint32_t begin, first, second;
    (void)state;
    geo_partition_deal(&partition, 100, 2);
    assert_true(geo_partition_claim(&partition, 0, &first));
    assert_true(geo_partition_claim(&partition, 1, &second));
    while (geo_block_range_length(&partition.ranges[first]) != 0) {
        assert_int_equal(geo_partition_next(&partition, first, 0, &begin), 1);
    }
    assert_int_equal(geo_partition_steals(&partition), 0);
    for (int i = 0; i < 10; i++) { /* of the 25 that it takes at once */
        assert_int_equal(geo_partition_next(&partition, first, 0, &begin), 1);
        assert_int_equal(geo_partition_steals(&partition), 1);
    }
    while (geo_partition_left(&partition)) {
        (void)geo_partition_next(&partition, first, 0, &begin);
    }
    assert_in_range(geo_partition_steals(&partition), 2, 26);
    geo_partition_deal(&partition, 100, 2);
    assert_int_equal(geo_partition_steals(&partition), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_blocks_end_together),
        cmocka_unit_test(few_long_blocks_are_one_each),
        cmocka_unit_test(who_is_slow_is_helped),
        cmocka_unit_test(who_comes_late_finds_its_part),
        cmocka_unit_test(unequal_blocks_are_stolen),
        cmocka_unit_test(what_takes_longer_than_thought_is_stolen_after_all),
        cmocka_unit_test(a_participant_has_the_range_of_its_number),
        cmocka_unit_test(what_is_nobodys_is_taken_whole),
        cmocka_unit_test(the_largest_range_is_stolen_from),
        cmocka_unit_test(steals_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
