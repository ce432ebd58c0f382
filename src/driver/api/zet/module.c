/* API functions of tools about modules. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/program/module_complete.h"
#include "native/native.h"

ze_result_t geo_zetModuleGetDebugInfo(zet_module_handle_t hModule,
                                      zet_module_debug_info_format_t format, size_t *pSize,
                                      uint8_t *pDebugInfo)
{
    struct geo_module *module;
    const struct geo_module_binary *binary;
    (void)format; /* there is one, and the registry's checks refuse other values */
    GEO_CHECK(geo_module_from((ze_module_handle_t)hModule, &module));
    GEO_CHECK(geo_module_complete_binary(module, &binary));
    if (!geo_native_parse_has_debug(binary->bytes, binary->size)) {
        return geo_blob_copy("", 0, pSize, pDebugInfo); /* the size 0 means no debug information */
    }
    return geo_blob_copy(binary->bytes, binary->size, pSize, pDebugInfo);
}
