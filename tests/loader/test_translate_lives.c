/* Lives of translated handles: destruction, addresses that a driver uses again, also while another
 * thread is about to forget what was there; memory, and the lack of it; threads and forks. */
#include "allocations.h"
#include "strict_rig.h"

#include <level_zero/zet_api.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define TWO_DRIVERS "ZE_ENABLE_ALT_DRIVERS={strict},{b}"

static struct strict_rig rig;
static struct strict_state *state;

static void rig_open(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    CHECK(strict_drivers(drivers) == 2);
    strict_rig_make(&rig, drivers[0]);
    state = strict_state_of("strict");
}

/* ---- the end of a life ---- */

static void destroyed(void)
{
    rig_open();
    ze_event_handle_t event = strict_event(&rig), other = strict_event(&rig);
    state->result = ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    CHECK_RESULT(zeEventDestroy(event), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    state->result = ZE_RESULT_SUCCESS;
    CHECK_RESULT(zeEventHostSignal(event), ZE_RESULT_SUCCESS); /* so it is there still */
    CHECK_RESULT(zeEventDestroy(event), ZE_RESULT_SUCCESS);
    const int calls = state->calls;
    CHECK_RESULT(zeEventDestroy(event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_RESULT(zeEventHostSignal(event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_RESULT(zeCommandListAppendBarrier(rig.list, event, 0, NULL),
                 ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_RESULT(zeCommandListAppendBarrier(rig.list, NULL, 1, &event),
                 ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(state->calls == calls);
    /* the object at that address has another handle */
    ze_event_handle_t next = strict_event(&rig);
    CHECK(next != event && strict_own(next) != strict_own(other));
    CHECK_RESULT(zeEventHostSignal(event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_RESULT(zeEventHostSignal(next), ZE_RESULT_SUCCESS);
}

/* GEN-15 */
static void test_what_was_destroyed_is_refused(void **unused)
{
    (void)unused;
    scenario_passes("destroyed", TWO_DRIVERS, NULL);
}

static ze_event_handle_t at_the_gate, dying;

static void gate_create(void)
{
    void *const *words = (void *const *)(void *)dying;
    void *own = words[5];
    state->gate = NULL;
    at_the_gate = strict_event(&rig);
    CHECK(strict_own(at_the_gate) == own); /* the driver has used the address again */
}

/* Just when the driver's destruction comes back an object is at the address, made by somebody who
 * was faster. */
static void reused(void)
{
    rig_open();
    for (int i = 0; i < 300; i++) {
        dying = strict_event(&rig);
        state->gate = gate_create;
        CHECK_RESULT(zeEventDestroy(dying), ZE_RESULT_SUCCESS);
        CHECK(at_the_gate != dying);
        CHECK_RESULT(zeEventHostSignal(dying), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        CHECK_RESULT(zeEventHostSignal(at_the_gate), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeEventDestroy(at_the_gate), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeEventHostSignal(at_the_gate), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
}

static ze_context_handle_t found_at_the_gate;

static void gate_look(void)
{
    state->gate = NULL;
    CHECK_RESULT(zeCommandListGetContextHandle(rig.list, &found_at_the_gate), ZE_RESULT_SUCCESS);
}

/* The same where the object is not made by a call but looked up. */
static void looked_up_again(void)
{
    ze_context_handle_t before, after;
    rig_open();
    CHECK_RESULT(zeCommandListGetContextHandle(rig.list, &before), ZE_RESULT_SUCCESS);
    state->gate = gate_look;
    CHECK_RESULT(zeContextDestroy(before), ZE_RESULT_SUCCESS);
    CHECK(found_at_the_gate != before);
    CHECK_RESULT(zeContextGetStatus(before), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_RESULT(zeContextGetStatus(found_at_the_gate), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeCommandListGetContextHandle(rig.list, &after), ZE_RESULT_SUCCESS);
    CHECK(after == found_at_the_gate);
}

/* GEN-15 */
static void test_an_address_may_be_used_again_at_once(void **unused)
{
    (void)unused;
    scenario_passes("reused", TWO_DRIVERS, NULL);
    scenario_passes("looked_up_again", TWO_DRIVERS, NULL);
}

static void forgotten(void)
{
    rig_open();
    ze_event_handle_t event = strict_event(&rig), next;
    for (int i = 0; i < 1000; i++) { /* as when the pool goes with all events in it */
        state->forget(strict_own(event));
        next = strict_event(&rig);
        CHECK(next == event);
        CHECK_RESULT(zeEventHostSignal(next), ZE_RESULT_SUCCESS);
    }
    CHECK_RESULT(zeEventDestroy(next), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeEventHostSignal(next), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* GEN-15 */
static void test_what_the_driver_destroys_by_itself_leaves_no_trace(void **unused)
{
    (void)unused;
    scenario_passes("forgotten", TWO_DRIVERS, NULL);
}

/* ---- memory ---- */

static void events_turn_over(int rounds)
{
    ze_event_handle_t events[20];
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < 20; k++) {
            events[k] = strict_event(&rig);
        }
        for (int k = 0; k < 20; k++) {
            CHECK_RESULT(zeEventDestroy(events[k]), ZE_RESULT_SUCCESS);
        }
    }
}

static void bounded(void)
{
    ze_device_handle_t devices[2];
    ze_event_handle_t few[16];
    uint32_t count = 2;
    rig_open();
    events_turn_over(20);
    for (int k = 0; k < 16; k++) {
        few[k] = strict_event(&rig);
    }
    allocations_fail(ALLOCATIONS_NEVER, false);
    events_turn_over(5000);
    for (int i = 0; i < 1000; i++) {
        CHECK_RESULT(zeDeviceGet(rig.driver, &count, devices), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeCommandListAppendBarrier(rig.list, few[0], 16, few), ZE_RESULT_SUCCESS);
    }
    CHECK(allocations_count() == 0);
}

/* Once there were as many objects as there are, no more memory is taken. */
static void test_handles_take_no_more_memory_than_objects_at_a_time(void **unused)
{
    (void)unused;
    scenario_passes("bounded", TWO_DRIVERS, NULL);
}

static void many(void)
{
    enum { MANY = 6000 };
    static ze_event_handle_t events[MANY];
    rig_open();
    for (int i = 0; i < MANY; i++) {
        events[i] = strict_event(&rig);
    }
    for (int i = 0; i < MANY; i += 2) {
        CHECK_RESULT(zeEventDestroy(events[i]), ZE_RESULT_SUCCESS);
    }
    for (int i = 0; i < MANY; i++) {
        CHECK_RESULT(zeEventHostSignal(events[i]),
                     i % 2 ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    CHECK_RESULT(zeCommandListAppendBarrier(rig.list, NULL, 0, NULL), ZE_RESULT_SUCCESS);
    for (int i = 1; i < MANY; i += 2) {
        CHECK_RESULT(zeEventDestroy(events[i]), ZE_RESULT_SUCCESS);
    }
    CHECK(state->most >= MANY);
}

static void test_thousands_of_objects_have_handles(void **unused)
{
    (void)unused;
    scenario_passes("many", TWO_DRIVERS, NULL);
}

static void greedy(void)
{
    zet_metric_programmable_exp_handle_t programmable;
    zet_metric_handle_t metrics[STRICT_LOOKED_UP] = {NULL};
    uint32_t count = 1;
    rig_open();
#ifndef GEOID_SANITIZED
    const struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
#endif
    CHECK_RESULT(zetMetricProgrammableGetExp(rig.device, &count, &programmable), ZE_RESULT_SUCCESS);
    count = UINT32_MAX;
    CHECK_RESULT(
        zetMetricCreateFromProgrammableExp2(programmable, 0, NULL, "name", "text", &count, metrics),
        ZE_RESULT_SUCCESS);
    CHECK(count == STRICT_LOOKED_UP);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_RESULT(zetMetricDestroyExp(metrics[i]), ZE_RESULT_SUCCESS);
    }
}

/* GEN-21: a caller may have room for more than there can be. */
static void test_room_for_any_number_of_objects_costs_little(void **unused)
{
    (void)unused;
    scenario_passes("greedy", TWO_DRIVERS, NULL);
}

static ze_result_t lacking_create(void)
{
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_queue_handle_t queue;
    ze_fence_handle_t fence;
    ze_result_t result = zeCommandQueueCreate(rig.context, rig.device, &queue_desc, &queue);
    return result == ZE_RESULT_SUCCESS ? zeFenceCreate(queue, &desc, &fence) : result;
}

static ze_result_t lacking_list(void)
{
    zes_mem_handle_t pools[STRICT_LOOKED_UP] = {NULL};
    uint32_t count = STRICT_LOOKED_UP;
    ze_result_t result = zesDeviceEnumMemoryModules((zes_device_handle_t)rig.device, &count, pools);
    CHECK((result == ZE_RESULT_SUCCESS) == (pools[0] != NULL));
    return result;
}

static ze_result_t lacking_array(void)
{
    ze_event_handle_t waits[64];
    for (int i = 0; i < 64; i++) {
        waits[i] = (ze_event_handle_t)(void *)dying;
    }
    return zeCommandListAppendBarrier(rig.list, NULL, 64, waits);
}

static ze_result_t lacking_chain(void)
{
    enum { LINKS = 20 };
    static ze_image_handle_t image;
    const ze_image_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC};
    static ze_mutable_kernel_argument_exp_desc_t links[LINKS];
    ze_mutable_commands_exp_desc_t changes = {ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, links,
                                              0};
    ze_result_t result =
        image ? ZE_RESULT_SUCCESS : zeImageCreate(rig.context, rig.device, &desc, &image);
    for (int i = 0; i < LINKS; i++) {
        links[i] = (ze_mutable_kernel_argument_exp_desc_t){
            .stype = ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC,
            .pNext = i + 1 < LINKS ? &links[i + 1] : NULL,
            .argSize = sizeof(image),
            .pArgValue = &image};
    }
    return result == ZE_RESULT_SUCCESS ? zeCommandListUpdateMutableCommandsExp(rig.list, &changes)
                                       : result;
}

/* Fails the first, the second ... allocation of an operation until it does without. */
static void lack(ze_result_t (*operation)(void))
{
    ze_result_t result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (long at = 1; result != ZE_RESULT_SUCCESS; at++) {
        const int alive = state->alive;
        CHECK(at < 20);
        allocations_fail(at, false);
        result = operation();
        const bool failed = allocations_end();
        CHECK_RESULT(result, failed ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS);
        /* nothing was made that nobody can name; the queue and the image are */
        CHECK(result == ZE_RESULT_SUCCESS || state->alive - alive <= 1);
        CHECK(at > 1 || failed);
    }
}

static void lacking(void)
{
    rig_open();
    dying = strict_event(&rig);
    lack(lacking_create);
    lack(lacking_list);
    lack(lacking_array);
    lack(lacking_chain);
}

static void test_lack_of_memory_is_told_and_loses_no_object(void **unused)
{
    (void)unused;
#ifndef GEOID_SANITIZED /* sanitizers bring a malloc of their own */
    scenario_passes("lacking", TWO_DRIVERS, NULL);
#endif
}

/* ---- threads ---- */

enum { THREADS = 16, ROUNDS = 300, HELD = 8 };

static void *user_thread(void *argument)
{
    ze_event_handle_t events[HELD];
    ze_device_handle_t device;
    ze_context_handle_t context, same;
    uint32_t count = 1;
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < HELD; k++) {
            events[k] = strict_event(&rig);
        }
        CHECK_RESULT(zeCommandListAppendBarrier(rig.list, events[0], HELD, events),
                     ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeDeviceGet(rig.driver, &count, &device), ZE_RESULT_SUCCESS);
        CHECK(device == rig.device);
        CHECK_RESULT(zeEventPoolGetContextHandle(rig.pool, &context), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeCommandListGetContextHandle(rig.list, &same), ZE_RESULT_SUCCESS);
        CHECK(same == context);
        for (int k = 0; k < HELD; k++) {
            CHECK_RESULT(zeEventHostSignal(events[k]), ZE_RESULT_SUCCESS);
            CHECK_RESULT(zeEventDestroy(events[k]), ZE_RESULT_SUCCESS);
        }
    }
    return argument;
}

static void threads(void)
{
    pthread_t threads[THREADS];
    rig_open();
    const int alive = state->alive;
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, user_thread, NULL) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(state->alive == alive);
    CHECK(state->most <= alive + THREADS * HELD);
}

/* The driver gives the address that one thread has just freed to the next. */
static void test_threads_make_use_and_destroy_objects(void **unused)
{
    (void)unused;
    scenario_passes("threads", TWO_DRIVERS, NULL);
}

static atomic_bool stop;

static void *busy_thread(void *unused)
{
    while (!stop) {
        ze_event_handle_t event = strict_event(&rig);
        CHECK_RESULT(zeEventDestroy(event), ZE_RESULT_SUCCESS);
    }
    return unused;
}

static void forks(void)
{
    pthread_t busy[2];
    rig_open();
    ze_event_handle_t mine = strict_event(&rig);
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&busy[i], NULL, busy_thread, NULL) == 0);
    }
    for (int i = 0; i < 50; i++) {
        int status = -1;
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(60); /* a lock of a thread that is not here would be for ever */
            _exit(zeEventHostSignal(mine) != ZE_RESULT_SUCCESS ||
                  zeEventDestroy(mine) != ZE_RESULT_SUCCESS);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    stop = true;
    for (int i = 0; i < 2; i++) {
        pthread_join(busy[i], NULL);
    }
    CHECK_RESULT(zeEventDestroy(mine), ZE_RESULT_SUCCESS);
}

static void test_a_child_of_fork_uses_what_it_inherited(void **unused)
{
    (void)unused;
    scenario_passes("forks", TWO_DRIVERS, NULL);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(destroyed), S(reused), S(looked_up_again), S(forgotten), S(bounded),
    S(greedy),    S(many),   S(lacking),         S(threads),   S(forks),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_destroyed_is_refused),
        cmocka_unit_test(test_an_address_may_be_used_again_at_once),
        cmocka_unit_test(test_what_the_driver_destroys_by_itself_leaves_no_trace),
        cmocka_unit_test(test_handles_take_no_more_memory_than_objects_at_a_time),
        cmocka_unit_test(test_thousands_of_objects_have_handles),
        cmocka_unit_test(test_room_for_any_number_of_objects_costs_little),
        cmocka_unit_test(test_lack_of_memory_is_told_and_loses_no_object),
        cmocka_unit_test(test_threads_make_use_and_destroy_objects),
        cmocka_unit_test(test_a_child_of_fork_uses_what_it_inherited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
