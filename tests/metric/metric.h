/* The set-up of the tests of metrics: a context, and the measured backend (measured/measured.c). It
 * has two devices of two sub-devices each, with the metrics of measured.json. Time only passes when
 * a test says so. */
#ifndef TESTS_METRIC_METRIC_H
#define TESTS_METRIC_METRIC_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>
#include <level_zero/zet_api.h>

#include <stdlib.h>
#include <string.h>

#define TIMED  ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED
#define QUERY  ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED
#define TRACED ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED

#define SECOND UINT64_C(1000000000)

extern ze_driver_handle_t driver;
extern ze_context_handle_t context;
extern ze_device_handle_t device, other_device, tile; /* tile: the first part of `device` */

int metric_setup(void **unused); /* of a group */
int metric_teardown(void **unused);
int metric_reset(void **unused); /* of a case: no group is active on any device */

#define METRIC_CASE(function) cmocka_unit_test_setup(function, metric_reset)

/* Lets time pass. */
void pass(uint64_t nanoseconds);
uint64_t now_ns(void);

/* Finds a group by name and sampling type. Fails the test if the device lacks it. */
zet_metric_group_handle_t group_find(ze_device_handle_t of, const char *name,
                                     zet_metric_group_sampling_type_flags_t sampling);
void activate(ze_device_handle_t of, zet_metric_group_handle_t group);
/* Opens a streamer of an active group, with reports of `period`. */
zet_metric_streamer_handle_t streamer_open(ze_device_handle_t of, zet_metric_group_handle_t group,
                                           uint32_t period);
/* Reads everything; the caller frees it. */
uint8_t *streamer_read(zet_metric_streamer_handle_t streamer, size_t *bytes);
/* Calculates all values of the first set; the caller frees them. */
zet_typed_value_t *calculate(zet_metric_group_handle_t group, const uint8_t *data, size_t bytes,
                             uint32_t *count);

void metric_assert_result(ze_result_t actual, ze_result_t expected, const char *call,
                          const char *file, int line);
#define assert_result(call, expected)                                                              \
    metric_assert_result((call), (expected), #call, __FILE__, __LINE__)
#define assert_success(call) assert_result(call, ZE_RESULT_SUCCESS)
#define assert_invalid(call) assert_result(call, ZE_RESULT_ERROR_INVALID_ARGUMENT)

/* The thread's last error text of the driver. */
const char *metric_error(void);

#endif
