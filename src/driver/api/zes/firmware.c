/* API functions of firmware. */
#include "ddi/geo_api.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

#include <string.h>

#define LOG_BYTES (1u << 24)

ze_result_t geo_zesFirmwareGetProperties(zes_firmware_handle_t hFirmware,
                                         zes_firmware_properties_t *pProperties)
{
    const struct geo_sysman_firmware *firmware;
    char version[ZES_STRING_PROPERTY_SIZE] = "";
    ze_result_t result = ZE_RESULT_SUCCESS;
    GEO_CHECK(geo_firmware_from(hFirmware, &firmware));
    if (GEO_CAN(firmware, version)) {
        GEO_ASK_FOR(result, firmware, version, firmware, version);
    }
    if (result == ZE_RESULT_ERROR_DEVICE_LOST) {
        return result;
    }
    const bool known = result == ZE_RESULT_SUCCESS && version[0];
    GEO_PROPERTIES_WRITE(pProperties, firmware);
    geo_sysman_text(pProperties->name, sizeof(pProperties->name), firmware->properties.name, false);
    geo_sysman_text(pProperties->version, sizeof(pProperties->version), known ? version : "unknown",
                    false);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFirmwareFlash(zes_firmware_handle_t hFirmware, void *pImage, uint32_t size)
{
    const struct geo_sysman_firmware *firmware;
    GEO_CHECK(geo_firmware_from(hFirmware, &firmware));
    GEO_CHECK(geo_ask_check_control(&firmware->base, firmware->properties.canControl));
    if (size == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "the firmware image for %s is empty",
                        firmware->base.name);
    }
    GEO_ASK(firmware, flash, firmware, pImage, size);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFirmwareGetFlashProgress(zes_firmware_handle_t hFirmware,
                                            uint32_t *pCompletionPercent)
{
    const struct geo_sysman_firmware *firmware;
    uint32_t percent = 0;
    GEO_CHECK(geo_firmware_from(hFirmware, &firmware));
    GEO_ASK(firmware, flash_progress, firmware, &percent);
    *pCompletionPercent = percent;
    return ZE_RESULT_SUCCESS;
}

/* Writes the log. The size includes the terminating zero; with less room the log is cut. */
static void log_write(const struct geo_strbuf *log, size_t *size, char *out)
{
    const size_t bytes = log->length + 1;
    if (*size == 0 || !out) {
        *size = bytes;
        return;
    }
    *size = *size < bytes ? *size : bytes;
    memcpy(out, geo_strbuf_text(log), *size - 1);
    out[*size - 1] = '\0';
}

ze_result_t geo_zesFirmwareGetConsoleLogs(zes_firmware_handle_t hFirmware, size_t *pSize,
                                          char *pFirmwareLog)
{
    const struct geo_sysman_firmware *firmware;
    struct geo_strbuf log;
    ze_result_t result;
    GEO_CHECK(geo_firmware_from(hFirmware, &firmware));
    geo_strbuf_init(&log, LOG_BYTES);
    GEO_ASK_FOR(result, firmware, console_log, firmware, &log);
    if (result == ZE_RESULT_SUCCESS) {
        log_write(&log, pSize, pFirmwareLog);
    }
    geo_strbuf_finish(&log);
    return result;
}

ze_result_t geo_zesFirmwareGetSecurityVersionExp(zes_firmware_handle_t hFirmware, char *pVersion)
{
    const struct geo_sysman_firmware *firmware;
    char version[ZES_STRING_PROPERTY_SIZE] = "";
    GEO_CHECK(geo_firmware_from(hFirmware, &firmware));
    GEO_ASK(firmware, security_version, firmware, version);
    geo_sysman_text(pVersion, sizeof(version), version[0] ? version : "unknown", false);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFirmwareSetSecurityVersionExp(zes_firmware_handle_t hFirmware)
{
    const struct geo_sysman_firmware *firmware;
    GEO_CHECK(geo_firmware_from(hFirmware, &firmware));
    GEO_CHECK(geo_ask_check_control(&firmware->base, firmware->properties.canControl));
    GEO_ASK(firmware, fix_security_version, firmware);
    return ZE_RESULT_SUCCESS;
}
