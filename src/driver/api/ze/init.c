/* Initialisation of the core API: zeInit, zeInitDrivers, zeDriverGet. The inventory
 * (core/inventory.h) exists once per process; these functions only decide which drivers are
 * visible. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/core/inventory.h"

#define CORE_TYPES                                                                                 \
    ((1u << ZE_DEVICE_TYPE_GPU) | (1u << ZE_DEVICE_TYPE_CPU) | (1u << ZE_DEVICE_TYPE_FPGA) |       \
     (1u << ZE_DEVICE_TYPE_MCA))
#define NPU_TYPES (1u << ZE_DEVICE_TYPE_VPU)

static _Atomic bool core_initialised;

/* Returns whether any driver has a device of one of these types. */
static bool types_present(uint32_t types)
{
    for (uint32_t i = 0; i < geo_inventory_listed_count(); i++) {
        if (geo_inventory_has_type(geo_inventory_driver(i), types)) {
            return true;
        }
    }
    return false;
}

ze_result_t geo_zeInit(ze_init_flags_t flags)
{
    GEO_CHECK(geo_inventory_open());
    uint32_t types = flags ? 0 : ~0u;
    types |= flags & ZE_INIT_FLAG_GPU_ONLY ? 1u << ZE_DEVICE_TYPE_GPU : 0;
    types |= flags & ZE_INIT_FLAG_VPU_ONLY ? NPU_TYPES : 0;
    if (!types_present(types)) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED,
                        "the driver has no device of the requested types");
    }
    atomic_store(&core_initialised, true);
    return ZE_RESULT_SUCCESS;
}

/* Converts requested driver types to device types; all bits mean every driver. */
static uint32_t wanted_types(ze_init_driver_type_flags_t flags)
{
    uint32_t types = 0;
    types |= flags & ZE_INIT_DRIVER_TYPE_FLAG_GPU ? 1u << ZE_DEVICE_TYPE_GPU : 0;
    types |= flags & ZE_INIT_DRIVER_TYPE_FLAG_NPU ? NPU_TYPES : 0;
    return flags == UINT32_MAX ? CORE_TYPES | NPU_TYPES : types;
}

ze_result_t geo_zeInitDrivers(uint32_t *pCount, ze_driver_handle_t *phDrivers,
                              ze_init_driver_type_desc_t *desc)
{
    uint32_t types = wanted_types(desc->flags);
    GEO_CHECK(geo_inventory_open());
    if (!types_present(types)) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED,
                        "no driver has a device of the requested types");
    }
    atomic_store(&core_initialised, true);
    return geo_inventory_list(types, pCount, phDrivers);
}

ze_result_t geo_zeDriverGet(uint32_t *pCount, ze_driver_handle_t *phDrivers)
{
    if (!atomic_load(&core_initialised) || !geo_inventory_ready()) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "neither zeInit nor zeInitDrivers was "
                                                       "called");
    }
    return geo_inventory_list(~0u, pCount, phDrivers);
}
