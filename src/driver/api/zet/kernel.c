/* API functions of tools about kernels. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/program/kernel_profile.h"

ze_result_t geo_zetKernelGetProfileInfo(zet_kernel_handle_t hKernel,
                                        zet_profile_properties_t *pProfileProperties)
{
    struct geo_kernel *kernel;
    GEO_CHECK(geo_kernel_from((ze_kernel_handle_t)hKernel, &kernel));
    geo_kernel_profile_write(kernel, pProfileProperties);
    return ZE_RESULT_SUCCESS;
}
