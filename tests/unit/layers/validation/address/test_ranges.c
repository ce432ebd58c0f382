/* Allocations by address, when memory for their records runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "allocations.h"

#include "layers/validation/address/ranges.h"
#include "layers/validation/address/system_memory.h"

/* The parts are linked without the layer that they are in. */
struct geo_layer_part;
extern const struct geo_layer_part *const geo_layer_parts[];
const struct geo_layer_part *const geo_layer_parts[] = {NULL};

static void range_add(uintptr_t base)
{
    const struct geo_val_range range = {.base = base, .size = 64};
    geo_val_range_add(&range);
}

/* An allocation without a record must not be accused when the program frees it. */
static void a_record_that_is_missing_is_known(void **state)
{
    (void)state;
    struct geo_val_range found;
    range_add(4096);
    assert_true(geo_val_range_find(4096, &found));
    assert_false(geo_val_allocations_are_unseen());

    allocations_fail(1, true);
    range_add(8192);
    assert_true(allocations_end());
    assert_false(geo_val_range_find(8192, &found));
    assert_true(geo_val_allocations_are_unseen());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_that_is_missing_is_known),
    };
    return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
