/* Unit test of builds on threads (facade/thread.c): the order's limits, and what is left of them. */
#include "compiler/facade/service.h"

#include "order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void code_is_bounded(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    struct geo_answer answer;
    assert_true(geo_thread_build(order, &answer));
    assert_int_equal(answer.result, ZE_RESULT_SUCCESS);
    size_t size = answer.object_bytes;
    geo_answer_finish(&answer);
    order->code_bytes = size;
    assert_true(geo_thread_build(order, &answer));
    assert_int_equal(answer.result, ZE_RESULT_SUCCESS);
    geo_answer_finish(&answer);
    order->code_bytes = size - 1;
    assert_true(geo_thread_build(order, &answer));
    assert_int_equal(answer.result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_null(answer.object);
    assert_non_null(strstr(answer.log, "GEOID_BUILD_CODE"));
    geo_answer_finish(&answer);
    geo_order_unref(order);
}

static void an_effort_that_is_none_is_refused(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    struct geo_answer answer;
    geo_order_set_attempt(order, 3);
    assert_true(geo_thread_build(order, &answer));
    assert_int_equal(answer.result, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    geo_answer_finish(&answer);
    geo_order_unref(order);
    assert_int_equal(geo_thread_builds(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_bounded),
        cmocka_unit_test(an_effort_that_is_none_is_refused),
    };
    return cmocka_run_group_tests_name("facade_thread", tests, NULL, NULL);
}
