/* Memory that was not allocated with Level Zero. See system_memory.h. */
#include "layers/validation/address/system_memory.h"

#include "base/option.h"

static atomic_bool incomplete, variables;
static bool off;

__attribute__((constructor)) static void options_read(void)
{
    off = !geo_option_flag("GEOID_VALIDATION_SYSTEM_MEMORY");
}

bool geo_val_system_memory_is_off(void)
{
    return off;
}

void geo_val_allocations_unseen(void)
{
    atomic_store(&incomplete, true);
}

bool geo_val_allocations_are_unseen(void)
{
    return atomic_load(&incomplete);
}

void geo_val_variables_given(void)
{
    atomic_store(&variables, true);
}

/* Returns whether kernels and copies of the list's device may access system memory. */
static bool device_sees_system_memory(ze_command_list_handle_t list)
{
    ze_device_handle_t device = NULL;
    ze_device_memory_access_properties_t can = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    if (!geo_layer_next.ze.CommandList.pfnGetDeviceHandle ||
        geo_layer_next.ze.CommandList.pfnGetDeviceHandle(list, &device) != ZE_RESULT_SUCCESS ||
        geo_layer_next.ze.Device.pfnGetMemoryAccessProperties(device, &can) != ZE_RESULT_SUCCESS) {
        return true; /* the driver does not tell */
    }
    return can.sharedSystemAllocCapabilities != 0;
}

bool geo_val_memory_is_unseen(ze_command_list_handle_t list)
{
    return !atomic_load(&incomplete) && !atomic_load(&variables) &&
           (off || !device_sees_system_memory(list));
}
