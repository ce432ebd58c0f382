/* How the machine is divided into devices and parts. */
#include "support.h"

#include "backend/host/node.h"
#include "backend/host/roster.h"

#include <sys/mman.h>

static struct geo_backend_device devices[GEO_ROSTER_DEVICES];
static const int32_t six[] = {10, 11, 12, 13, 14, 15};
static const struct geo_device_info whole = {
    .memory_bytes = 1 << 30,
    .max_allocation_bytes = 1 << 30,
    .threads_per_eu = 1,
    .eus_per_subslice = 6,
    .subslices_per_slice = 1,
    .slices = 1,
    .groups = {{.queue_count = 4}, {.queue_count = 1}},
    .group_count = 2,
    .uuid = {1, 2, 3},
};

static uint32_t build(struct geo_roster_shape shape, uint32_t places, uint32_t workers)
{
    const struct geo_roster_desc desc = {
        .shape = shape,
        .info = &whole,
        .crew = {.places = six, .place_count = places, .workers = workers, .pinned = true},
    };
    memset(devices, 0, sizeof(devices));
    return geo_roster_build(&desc, devices);
}

static void places_free(void)
{
    for (uint32_t i = 0; i < GEO_ROSTER_DEVICES; i++) {
        free((void *)(uintptr_t)devices[i].crew.places);
    }
}

static uint32_t units(const struct geo_backend_device *device)
{
    return device->info.slices * device->info.subslices_per_slice * device->info.eus_per_subslice;
}

/* The device's workers sit there, and nowhere else. */
static void expect_places(const struct geo_backend_device *device, uint32_t count,
                          const int32_t *places)
{
    assert_int_equal(device->crew.workers, count);
    assert_memory_equal(device->crew.places, places, count * sizeof(*places));
    assert_true(device->info.groups[0].queue_count >= 1 &&
                device->info.groups[0].queue_count <= device->crew.workers);
}

static void texts_that_say_how_many(void **state)
{
    (void)state;
    struct geo_roster_shape shape;
    const struct {
        const char *text;
        uint32_t roots, parts;
    } good[] = {{"1", 1, 0},   {"2", 2, 0},   {"2x4", 2, 4},
                {"1x2", 1, 2}, {"3x1", 3, 0}, {"32", 32, 0}};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(geo_roster_parse(good[i].text, &shape));
        assert_int_equal(shape.roots, good[i].roots);
        assert_int_equal(shape.parts, good[i].parts);
    }
    const char *const bad[] = {
        "",   "0",  "x",     "2x",  "x2",         "2x0",          "-1",  "33",  "4x8",
        "2 ", " 2", "2x2x2", "2X2", "4294967297", "1x4294967298", "two", "2x2 "};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(geo_roster_parse(bad[i], &shape));
    }
}

/* DEV-10, DEV-21 */
static void devices_have_equal_shares(void **state)
{
    (void)state;
    assert_int_equal(build((struct geo_roster_shape){.roots = 2}, 6, 6), 2);
    expect_places(&devices[0], 3, (const int32_t[]){10, 11, 12});
    expect_places(&devices[1], 3, (const int32_t[]){13, 14, 15});
    for (uint32_t i = 0; i < 2; i++) {
        assert_null(devices[i].info.parent);
        assert_int_equal(devices[i].info.memory_bytes, 1 << 29);
        assert_int_equal(devices[i].info.max_allocation_bytes, 1 << 29);
        assert_int_equal(units(&devices[i]), 3);
    }
    assert_memory_equal(devices[0].info.uuid, whole.uuid, sizeof(whole.uuid));
    assert_memory_not_equal(devices[1].info.uuid, whole.uuid, sizeof(whole.uuid));
    places_free();
}

/* DEV-3, DEV-6, DEV-10, DEV-21 */
static void parts_add_up_to_their_device(void **state)
{
    (void)state;
    assert_int_equal(build((struct geo_roster_shape){.roots = 1, .parts = 2}, 6, 5), 3);
    expect_places(&devices[0], 4, six); /* the fifth is left over */
    expect_places(&devices[1], 2, (const int32_t[]){10, 11});
    expect_places(&devices[2], 2, (const int32_t[]){12, 13});
    assert_int_equal(devices[0].info.slices, 2);
    assert_int_equal(units(&devices[0]), 4);
    for (uint32_t i = 1; i < 3; i++) {
        assert_ptr_equal(devices[i].info.parent, &devices[0]);
        assert_int_equal(devices[i].info.slices, 1);
        assert_int_equal(units(&devices[i]), 2);
        assert_int_equal(devices[i].info.memory_bytes, 1 << 29);
        assert_memory_equal(devices[i].info.uuid, whole.uuid, sizeof(whole.uuid) - 1);
        assert_int_not_equal(devices[i].info.uuid[15], devices[3 - i].info.uuid[15]);
        assert_int_not_equal(devices[i].info.uuid[15], whole.uuid[15]);
    }
    places_free();
}

/* As few as there are. */
static void who_finds_no_core_left_shares_one(void **state)
{
    (void)state;
    assert_int_equal(build((struct geo_roster_shape){.roots = 3, .parts = 2}, 2, 2), 9);
    const int32_t of_root[] = {10, 11, 10};
    for (uint32_t i = 0; i < 9; i++) {
        expect_places(&devices[i], 1, &of_root[i / 3]);
        assert_int_equal(units(&devices[i]), i % 3 ? 1 : 2);
    }
    places_free();
}

/* DEV-6, DEV-7: nodes of two and three cores, the last place without a worker */
static void the_machine_has_parts_of_its_own(void **state)
{
    (void)state;
    const uint32_t part_of[] = {0, 1, 0, 1, 1, 0};
    const struct geo_roster_part parts[] = {{.node = 4, .bytes = 3 << 20}, {.node = -1}};
    struct geo_roster_desc desc = {
        .info = &whole,
        .crew = {.places = six, .place_count = 6, .workers = 5},
        .part_of = part_of,
        .machine_parts = parts,
        .part_count = 2,
    };
    memset(devices, 0, sizeof(devices));
    assert_int_equal(geo_roster_build(&desc, devices), 3);
    expect_places(&devices[0], 5, six);
    expect_places(&devices[1], 2, (const int32_t[]){10, 12, 15});
    assert_int_equal(devices[1].crew.place_count, 3);
    expect_places(&devices[2], 3, (const int32_t[]){11, 13, 14});
    assert_int_equal(devices[1].node, 4);
    assert_int_equal(devices[2].node, -1);
    assert_int_equal(devices[1].info.memory_bytes, 3 << 20);
    assert_int_equal(devices[2].info.memory_bytes, 1 << 29);
    assert_int_equal(devices[0].info.slices, devices[1].info.slices + devices[2].info.slices);
    assert_int_equal(units(&devices[0]), 5);
    assert_int_equal(units(&devices[1]), 2);
    assert_int_equal(units(&devices[2]), 3);
    places_free();
    desc.shape = (struct geo_roster_shape){.roots = 1}; /* asked for one without parts */
    memset(devices, 0, sizeof(devices));
    assert_int_equal(geo_roster_build(&desc, devices), 1);
    assert_int_equal(devices[0].crew.place_count, 6);
    assert_int_equal(units(&devices[0]), 6);
    places_free();
}

/* DEV-7: the nodes' own sizes say nothing where a limit of the container is below them */
static void parts_have_no_more_memory_than_their_device(void **state)
{
    (void)state;
    const uint32_t part_of[] = {0, 1, 0, 1, 0, 1};
    const struct geo_roster_part parts[] = {{.node = 0, .bytes = UINT64_C(3) << 30},
                                            {.node = 1, .bytes = UINT64_C(1) << 30}};
    const struct geo_roster_desc desc = {
        .info = &whole,
        .crew = {.places = six, .place_count = 6, .workers = 6},
        .part_of = part_of,
        .machine_parts = parts,
        .part_count = 2,
    };
    memset(devices, 0, sizeof(devices));
    assert_int_equal(geo_roster_build(&desc, devices), 3);
    assert_int_equal(devices[1].info.memory_bytes, 3 << 28);
    assert_int_equal(devices[1].info.max_allocation_bytes, 3 << 28);
    assert_int_equal(devices[2].info.memory_bytes, 1 << 28);
    places_free();
}

/* ENV-6, ENV-11 */
static void a_device_can_be_less_than_its_parts(void **state)
{
    (void)state;
    assert_int_equal(build((struct geo_roster_shape){.roots = 1, .parts = 3}, 6, 6), 4);
    struct geo_backend_device *const kept[] = {&devices[1], &devices[3]};
    geo_roster_narrow(&devices[0], kept, 2);
    expect_places(&devices[0], 4, (const int32_t[]){10, 11, 14, 15});
    assert_int_equal(devices[0].crew.place_count, 4);
    assert_int_equal(devices[0].info.slices, 2);
    assert_int_equal(units(&devices[0]), 4);
    assert_int_equal(devices[0].info.memory_bytes,
                     devices[1].info.memory_bytes + devices[3].info.memory_bytes);
    places_free();
}

/* DEV-7: where it can be chosen at all */
static void memory_is_preferred_from_a_node(void **state)
{
    (void)state;
    uint8_t *memory =
        mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_false(geo_node_prefer(memory, 1 << 20, -1));
    assert_false(geo_node_prefer(memory, 1 << 20, 5000));
    (void)geo_node_prefer(memory, 1 << 20, 0); /* a sandbox may forbid it */
    memset(memory, 1, 1 << 20);
    munmap(memory, 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_say_how_many),
        cmocka_unit_test(devices_have_equal_shares),
        cmocka_unit_test(parts_add_up_to_their_device),
        cmocka_unit_test(who_finds_no_core_left_shares_one),
        cmocka_unit_test(the_machine_has_parts_of_its_own),
        cmocka_unit_test(parts_have_no_more_memory_than_their_device),
        cmocka_unit_test(a_device_can_be_less_than_its_parts),
        cmocka_unit_test(memory_is_preferred_from_a_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
