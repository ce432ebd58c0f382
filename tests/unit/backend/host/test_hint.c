/* Placement of memory by hints: what the system says afterwards of where pages are to come from. */
#include "support.h"

#include "backend/host/hint.h"
#include "backend/host/node.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BYTES = 4 << 20, PAGE = 4096, SMALL = 64 << 10 };

static uint8_t *memory;
static struct geo_backend_device device;

/* The policy of a page, and whether it names the first node. */
static int policy_at(const uint8_t *page, bool *first_node)
{
    unsigned long nodes[16] = {0};
    int mode = -1;
    if (syscall(SYS_get_mempolicy, &mode, nodes, sizeof(nodes) * 8, page, MPOL_F_ADDR) != 0) {
        return -1;
    }
    *first_node = (nodes[0] & 1) != 0;
    return mode;
}

static void expect_policy(const uint8_t *page, int expected)
{
    bool first_node = false;
    assert_int_equal(policy_at(page, &first_node), expected);
    assert_true(expected == MPOL_DEFAULT || first_node);
}

static bool hint(enum geo_command_operation operation, const uint8_t *start, uint64_t bytes,
                 ze_memory_advice_t advice)
{
    const struct geo_command_range range = {
        .header = {.operation = (uint16_t)operation},
        .start = start,
        .bytes = bytes,
        .device = &device,
        .advice = advice,
    };
    geo_host_hint_place(&range);
    return geo_host_hint_room(&range);
}

static int setup(void **state)
{
    bool first_node;
    (void)state;
    device = (struct geo_backend_device){.node = 0, .info = {.memory_bytes = UINT64_C(1) << 40}};
    memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    if (!geo_node_prefer(memory, BYTES, 0) || policy_at(memory, &first_node) < 0) {
        print_message("the system lets nobody choose\n");
        device.node = -1;
    }
    (void)geo_node_forget(memory, BYTES);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return munmap(memory, BYTES);
}

static void need_nodes(void)
{
    if (device.node < 0) {
        skip();
    }
}

/* MEM-14 */
static void advice_chooses_a_node_and_takes_it_back(void **state)
{
    (void)state;
    need_nodes();
    expect_policy(memory, MPOL_DEFAULT);
    hint(GEO_COMMAND_ADVISE, memory + 1, BYTES - 2, ZE_MEMORY_ADVICE_SET_PREFERRED_LOCATION);
    expect_policy(memory, MPOL_DEFAULT); /* somebody else's in part */
    expect_policy(memory + PAGE, MPOL_PREFERRED);
    expect_policy(memory + BYTES - PAGE - 1, MPOL_PREFERRED);
    expect_policy(memory + BYTES - 1, MPOL_DEFAULT);
    hint(GEO_COMMAND_ADVISE, memory, BYTES, ZE_MEMORY_ADVICE_SET_READ_MOSTLY);
    expect_policy(memory + PAGE, MPOL_PREFERRED);
    hint(GEO_COMMAND_ADVISE, memory, BYTES, ZE_MEMORY_ADVICE_CLEAR_PREFERRED_LOCATION);
    expect_policy(memory + PAGE, MPOL_DEFAULT);
    hint(GEO_COMMAND_ADVISE, memory, BYTES, ZE_MEMORY_ADVICE_SET_PREFERRED_LOCATION);
    hint(GEO_COMMAND_ADVISE, memory, BYTES, ZE_MEMORY_ADVICE_SET_SYSTEM_MEMORY_PREFERRED_LOCATION);
    expect_policy(memory, MPOL_DEFAULT);
}

/* MEM-14, MEM-15 */
static void a_prefetch_goes_to_its_devices_node(void **state)
{
    (void)state;
    need_nodes();
    memset(memory, 1, BYTES);
    assert_true(hint(GEO_COMMAND_PREFETCH, memory, BYTES, 0));
    expect_policy(memory, MPOL_PREFERRED);
    assert_int_equal(memory[BYTES - 1], 1);
}

/* A mapping for each of many small ranges is more than the system has. */
static void small_ranges_stay_where_they_are(void **state)
{
    (void)state;
    need_nodes();
    hint(GEO_COMMAND_ADVISE, memory, SMALL, ZE_MEMORY_ADVICE_SET_PREFERRED_LOCATION);
    assert_true(hint(GEO_COMMAND_PREFETCH, memory, SMALL, 0));
    expect_policy(memory, MPOL_DEFAULT);
}

/* What is to be present has to have room, with something left for others. */
static void there_is_no_room_for_more_than_the_device_has(void **state)
{
    (void)state;
    device.node = -1;
    assert_true(hint(GEO_COMMAND_PREFETCH, memory, BYTES, 0));
    device.info.memory_bytes = BYTES + BYTES / 2;
    assert_false(hint(GEO_COMMAND_PREFETCH, memory, BYTES, 0));
    device.info.memory_bytes = BYTES;
    assert_false(hint(GEO_COMMAND_PREFETCH, memory, BYTES, 0));
    device.info.memory_bytes = UINT64_MAX;
    assert_false(hint(GEO_COMMAND_PREFETCH, memory, UINT64_C(1) << 46, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(advice_chooses_a_node_and_takes_it_back, setup, teardown),
        cmocka_unit_test_setup_teardown(a_prefetch_goes_to_its_devices_node, setup, teardown),
        cmocka_unit_test_setup_teardown(small_ranges_stay_where_they_are, setup, teardown),
        cmocka_unit_test_setup_teardown(there_is_no_room_for_more_than_the_device_has, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
