/* Waits for slots of other processes that change all the time: each look of the kernel at the word
 * comes too late, so that it never sleeps, and never comes to its deadline either. */
#include "support.h"

#include "exec/thread/sync.h"
#include "exec/wait/slot.h"

#include <stdarg.h>

static const void *changing; /* the word; NULL: none */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        arguments[i] = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_futex && changing && arguments[0] == (long)(uintptr_t)changing &&
        (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET) {
        errno = EAGAIN;
        return -1;
    }
    return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                          arguments[4], arguments[5]);
}

static void a_word_that_changes_all_the_time_keeps_nobody(void **state)
{
    (void)state;
    struct geo_event_slot slot = {.flags = GEO_EVENT_SHARED};
    const struct geo_event_ref ref = {&slot, 1};
    _Atomic uint32_t lost = 1;
    changing = &slot.value;
    assert_int_equal(geo_slot_wait(&ref, 3000000, 0, NULL), ZE_RESULT_NOT_READY);
    /* nor from looking at what else there is */
    assert_int_equal(geo_slot_wait(&ref, UINT64_MAX, 0, &lost), ZE_RESULT_ERROR_DEVICE_LOST);
    changing = NULL;
    assert_int_equal(slot.sleepers, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_that_changes_all_the_time_keeps_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
