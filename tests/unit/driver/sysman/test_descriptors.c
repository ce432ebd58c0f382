/* Listeners when the process has no descriptors left: they wake by themselves and miss nothing.
 * eventfd and fcntl are the test's. */
#include "unit.h"

#include "described.h"

#include "ddi/geo_api.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

static _Atomic bool no_eventfd, no_copy;
static _Atomic int refused;

int __real_eventfd(unsigned int value, int flags);
int __wrap_eventfd(unsigned int value, int flags);
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

static int refuse(void)
{
    refused++;
    errno = EMFILE;
    return -1;
}

int __wrap_eventfd(unsigned int value, int flags)
{
    return no_eventfd ? refuse() : __real_eventfd(value, flags);
}

int __wrap_fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    const int argument = va_arg(arguments, int);
    va_end(arguments);
    return no_copy && command == F_DUPFD_CLOEXEC ? refuse() : __real_fcntl(fd, command, argument);
}

static zes_driver_handle_t driver;
static zes_device_handle_t device;
static const zes_event_type_flags_t health = ZES_EVENT_TYPE_FLAG_MEM_HEALTH;

static int setup(void **unused)
{
    uint32_t one = 1;
    (void)unused;
    return geo_zesInit(0) || geo_zesDriverGet(&one, &driver) ||
           geo_zesDeviceGet(driver, &one, &device) || geo_zesDeviceEventRegister(device, health);
}

struct answer {
    zes_event_type_flags_t events;
    uint32_t fired;
    ze_result_t result;
};

static void *listen_main(void *argument)
{
    struct answer *answer = argument;
    answer->result = geo_zesDriverEventListen((ze_driver_handle_t)driver, UINT32_MAX, 1, &device,
                                              &answer->fired, &answer->events);
    return NULL;
}

static uint32_t takes(void)
{
    pthread_mutex_lock(&described_state()->lock);
    const uint32_t count = described_state()->events[0].takes;
    pthread_mutex_unlock(&described_state()->lock);
    return count;
}

static pthread_t listen_begin(struct answer *answer, _Atomic bool *lack)
{
    pthread_t thread;
    const int before = refused;
    const uint32_t taken = takes();
    *lack = true;
    assert_int_equal(pthread_create(&thread, NULL, listen_main, answer), 0);
    /* It has not got it and has looked for events, so it waits or is about to. */
    while (refused == before || takes() == taken) {
        sched_yield();
    }
    return thread;
}

static void listen_end(pthread_t thread, const struct answer *answer)
{
    pthread_join(thread, NULL);
    no_eventfd = no_copy = false;
    assert_int_equal(answer->result, ZE_RESULT_SUCCESS);
}

/* SYC-26 */
static void listeners_without_descriptors_hear(void **unused)
{
    struct answer answer = {7, 7, ZE_RESULT_ERROR_UNKNOWN};
    (void)unused;
    pthread_t thread = listen_begin(&answer, &no_copy);
    described_happen(0, health);
    listen_end(thread, &answer);
    assert_int_equal(answer.fired, 1);
    assert_int_equal(answer.events, health);
}

/* SYC-26 */
static void listeners_without_descriptors_are_released(void **unused)
{
    struct answer answer = {7, 7, ZE_RESULT_ERROR_UNKNOWN};
    (void)unused;
    pthread_t thread = listen_begin(&answer, &no_eventfd);
    assert_int_equal(geo_zesDeviceEventRegister(device, 0), ZE_RESULT_SUCCESS);
    listen_end(thread, &answer);
    assert_int_equal(answer.fired, 0);
    assert_int_equal(answer.events, 0);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(listeners_without_descriptors_hear),
        cmocka_unit_test(listeners_without_descriptors_are_released),
    };
    return cmocka_run_group_tests_name("listeners without descriptors", cases, setup, NULL);
}
