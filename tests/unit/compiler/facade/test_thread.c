/* Unit test of builds on threads (facade/thread.c): the order's limits, and what is left of them. */
#include "compiler/facade/job.h"
#include "compiler/facade/service.h"

#include "order.h"

#include <stdatomic.h>
#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static _Atomic bool stuck, let_go;

static time_t thread_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec;
}

/* While `stuck` is set, a build does not look at its limits: it ends when it is let go, or after
 * much more processor time than its order allows. */
void __real_geo_job_run(struct geo_job *job);
void __wrap_geo_job_run(struct geo_job *job);
void __wrap_geo_job_run(struct geo_job *job)
{
    enum { MUCH_SECONDS = 15 };
    if (!stuck) {
        __real_geo_job_run(job);
        return;
    }
    while (!let_go && thread_seconds() < MUCH_SECONDS) {
    }
    job->answer.result = ZE_RESULT_SUCCESS;
}

static void code_is_bounded(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    struct geo_answer answer;
    assert_true(geo_thread_build(order, &answer));
    assert_int_equal(answer.result, ZE_RESULT_SUCCESS);
    size_t size = answer.binary_bytes;
    geo_answer_finish(&answer);
    order->code_bytes = size;
    assert_true(geo_thread_build(order, &answer));
    assert_int_equal(answer.result, ZE_RESULT_SUCCESS);
    geo_answer_finish(&answer);
    order->code_bytes = size - 1;
    assert_true(geo_thread_build(order, &answer));
    assert_int_equal(answer.result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_null(answer.binary);
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

/* The caller does not wait for a build that spends its time without looking at the limit. */
static void a_build_that_does_not_end_is_left(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    struct geo_answer answer;
    order->seconds = 1;
    stuck = true;
    assert_false(geo_thread_build(order, &answer));
    let_go = true;
    stuck = false;
    assert_int_equal(answer.result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(answer.log, "GEOID_BUILD_TIME"));
    geo_answer_finish(&answer);
    geo_order_unref(order);
}

/* Too much work, too much processor time and too much time by the clock are three things. */
static void the_limit_that_ended_a_build_is_named(void **state)
{
    static const struct {
        enum geo_budget_reason end;
        bool by_clock;
        const char *text;
    } cases[] = {
        {GEO_BUDGET_WORK, false,
         "too much work: more than 234881024 steps, the limit that goes with GEOID_BUILD_TIME=7 "},
        {GEO_BUDGET_TIME, false,
         "took too long: more than 7 s of processor time, the limit of GEOID_BUILD_TIME "},
        {GEO_BUDGET_LEFT, false,
         "took too long: more than 7 s of processor time, the limit of GEOID_BUILD_TIME "},
        {GEO_BUDGET_LEFT, true,
         "took too long: more than 140 s by the clock, 20 times GEOID_BUILD_TIME "},
    };
    (void)state;
    struct geo_order *order = order_make();
    order->seconds = 7;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct geo_job job;
        struct geo_strbuf log;
        geo_strbuf_init(&log, 0);
        geo_job_init(&job, order, NULL);
        job.budget.end = cases[i].end;
        geo_job_explain_end(&job, cases[i].by_clock, &log);
        const char *found = strstr(geo_strbuf_text(&log), cases[i].text);
        assert_non_null(found);
        assert_string_equal(found + strlen(cases[i].text), "(0: no limit)\n");
        geo_job_finish(&job);
        geo_strbuf_finish(&log);
    }
    geo_order_unref(order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_bounded),
        cmocka_unit_test(an_effort_that_is_none_is_refused),
        cmocka_unit_test(a_build_that_does_not_end_is_left),
        cmocka_unit_test(the_limit_that_ended_a_build_is_named),
    };
    return cmocka_run_group_tests_name("facade_thread", tests, NULL, NULL);
}
