/* Reads which checks are on from the environment when the library is loaded. See validation.h. */
#include "layers/validation/validation.h"

#include "base/option.h"

#include <string.h>

const struct geo_val_check_row geo_val_checks[GEO_VAL_CHECK_COUNT] = {
    [GEO_VAL_PARAMETERS] = {"parameters", "ZE_ENABLE_PARAMETER_VALIDATION"},
    [GEO_VAL_LIFETIME] = {"lifetime", "ZE_ENABLE_HANDLE_LIFETIME"},
    [GEO_VAL_LEAKS] = {"leaks", "ZEL_ENABLE_BASIC_LEAK_CHECKER"},
    [GEO_VAL_THREADS] = {"threads", "ZE_ENABLE_THREADING_VALIDATION"},
    [GEO_VAL_MEMORY] = {"memory", "ZE_ENABLE_MEMORY_TRACKER"},
    [GEO_VAL_COMMANDS] = {"commands", "GEOID_ENABLE_COMMANDS_CHECKER"},
    [GEO_VAL_EVENTS] = {"events", "ZEL_ENABLE_EVENTS_CHECKER"},
    [GEO_VAL_PERFORMANCE] = {"performance", "ZEL_ENABLE_PERFORMANCE_CHECKER"},
    [GEO_VAL_CERTIFICATION] = {"certification", "ZEL_ENABLE_CERTIFICATION_CHECKER"},
    [GEO_VAL_RESOURCES] = {"resources", "ZEL_ENABLE_SYSTEM_RESOURCE_TRACKER_CHECKER"},
};

static bool on[GEO_VAL_CHECK_COUNT];

bool geo_val_on(enum geo_val_check check)
{
    return on[check];
}

bool geo_val_checks_switch(const char *variable)
{
    static const char *const off[] = {"", "0", "false", "no", "off"};
    const char *value = geo_option_environment(variable);
    if (!value) {
        return false;
    }
    for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
        if (strcasecmp(value, off[i]) == 0) {
            return false;
        }
    }
    return true;
}

bool geo_val_checks_list_has(const char *list, const char *name)
{
    while (list && *list) {
        list += strspn(list, ", ");
        const size_t length = strcspn(list, ", ");
        if ((length == strlen(name) && strncmp(list, name, length) == 0) ||
            (length == 3 && strncmp(list, "all", 3) == 0)) {
            return true;
        }
        list += length;
    }
    return false;
}

__attribute__((constructor)) static void checks_read(void)
{
    const char *named = geo_option_string("GEOID_VALIDATION");
    for (int i = 0; i < GEO_VAL_CHECK_COUNT; i++) {
        on[i] = geo_val_checks_switch(geo_val_checks[i].variable) ||
                geo_val_checks_list_has(named, geo_val_checks[i].name);
    }
}
