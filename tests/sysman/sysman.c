/* The harness of the tests of sysman. See sysman.h. */
#include "sysman.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct described *state;
zes_driver_handle_t driver, null_driver;
zes_device_handle_t device, other_device, null_device;
void (*set_operation)(enum described_operation operation, int result);
void (*happen)(uint32_t device, zes_event_type_flags_t events);

static void (*reset)(void);

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fail_msg("libze_described.so.1 has no %s", name);
    }
    return found;
}

static void library_find(void)
{
    struct described *(*state_get)(void);
    char path[4096];
    const char *drivers = getenv("ZE_ENABLE_ALT_DRIVERS");
    snprintf(path, sizeof(path), "%s", drivers ? drivers : "");
    path[strcspn(path, ",")] = '\0';
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    void *found = symbol(library, "described_state");
    memcpy(&state_get, &found, sizeof(found));
    found = symbol(library, "described_set");
    memcpy(&set_operation, &found, sizeof(found));
    found = symbol(library, "described_happen");
    memcpy(&happen, &found, sizeof(found));
    found = symbol(library, "described_reset");
    memcpy(&reset, &found, sizeof(found));
    state = state_get();
}

int sysman_setup(void **unused)
{
    zes_driver_handle_t drivers[2];
    zes_device_handle_t devices[2];
    uint32_t count = 2;
    ze_bool_t available;
    (void)unused;
    library_find();
    assert_success(zesInit(0));
    assert_success(zesDriverGet(&count, drivers));
    assert_int_equal(count, 2);
    driver = drivers[0];
    null_driver = drivers[1];
    assert_success(zesDeviceGet(driver, &count, devices));
    assert_int_equal(count, 2);
    device = devices[0]; /* number 0 and 1 to described.h: in the order of the first question */
    other_device = devices[1];
    assert_success(zesDeviceEccAvailable(device, &available));
    assert_success(zesDeviceEccAvailable(other_device, &available));
    count = 1;
    assert_success(zesDeviceGet(null_driver, &count, &null_device));
    return 0;
}

int sysman_reset(void **unused)
{
    (void)unused;
    reset();
    return 0;
}

void sysman_assert_result(ze_result_t actual, ze_result_t expected, const char *call,
                          const char *file, int line)
{
    if (actual != expected) {
        print_error("%s:%d: %s: 0x%x instead of 0x%x (%s)\n", file, line, call, (unsigned)actual,
                    (unsigned)expected, sysman_error());
        fail();
    }
}

const char *sysman_error(void)
{
    const char *text = NULL;
    ze_result_t result = zeDriverGetLastErrorDescription((ze_driver_handle_t)driver, &text);
    return result == ZE_RESULT_SUCCESS && text ? text : "";
}
