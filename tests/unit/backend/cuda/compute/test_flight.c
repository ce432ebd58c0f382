/* The ring of batches in flight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/cuda/compute/flight.h"

static void batches_leave_in_their_order(void **state)
{
    (void)state;
    struct geo_compute_flights flights = {0};
    uint64_t oldest = 1;
    assert_null(geo_compute_flights_first(&flights));
    /* the ring turns and grows while it is in use */
    for (uint64_t ticket = 1; ticket <= 300; ticket++) {
        assert_true(geo_compute_flights_reserve(&flights));
        geo_compute_flights_add(&flights, &(struct geo_compute_flight){.ticket = ticket});
        if (ticket % 3 == 0) {
            geo_compute_flights_drop(&flights, oldest);
            oldest++;
        }
        assert_int_equal(geo_compute_flights_first(&flights)->ticket, oldest);
    }
    geo_compute_flights_drop(&flights, 250);
    for (uint64_t ticket = 251; ticket <= 300; ticket++) {
        assert_int_equal(geo_compute_flights_first(&flights)->ticket, ticket);
        geo_compute_flights_drop(&flights, ticket);
    }
    assert_null(geo_compute_flights_first(&flights));
    geo_compute_flights_drop(&flights, 1000);
    geo_compute_flights_finish(&flights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_leave_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
