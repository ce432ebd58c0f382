/* What scenarios with strict drivers begin with. */
#ifndef TESTS_LOADER_STRICT_RIG_H
#define TESTS_LOADER_STRICT_RIG_H

#include "scenario.h"
#include "strict_driver.h"

#include <level_zero/ze_ddi_common.h>

enum { STRICT_DRIVERS = 4 };

/* The state of a strict driver that is loaded; ends the scenario when it is not. */
struct strict_state *strict_state_of(const char *name);

/* Initialises; all drivers, at most STRICT_DRIVERS. */
uint32_t strict_drivers(ze_driver_handle_t *drivers);

/* Objects of a driver. */
struct strict_rig {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pool;
    ze_module_handle_t module;
};

void strict_rig_make(struct strict_rig *rig, ze_driver_handle_t driver);
ze_event_handle_t strict_event(const struct strict_rig *rig);

/* The driver's own handle. */
void *strict_own(void *handle);

#endif
