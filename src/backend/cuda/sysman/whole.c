/* Everything that a GPU has only once: identity, state, error correction. */
#include "backend/cuda/sysman/sysman.h"

#include <string.h>

#define UNKNOWN "unknown"

/* ---- description ---- */

static const char *text_end(char *text, int code)
{
    text[GEO_GPU_TEXT - 1] = '\0';
    return code == GEO_NVML_SUCCESS && text[0] != '\0' ? text : UNKNOWN;
}

static const char *brand_text(int brand)
{
    static const char *const names[] = {
        [1] = "Quadro",
        [2] = "Tesla",
        [3] = "NVS",
        [4] = "GRID",
        [5] = "GeForce",
        [6] = "Titan",
        [7] = "NVIDIA vApps",
        [8] = "NVIDIA vPC",
        [9] = "NVIDIA vCS",
        [10] = "NVIDIA RTX vWS",
        [11] = "NVIDIA Cloud Gaming",
        [12] = "Quadro RTX",
        [13] = "NVIDIA RTX",
        [14] = "NVIDIA",
        [15] = "GeForce RTX",
        [16] = "Titan RTX",
    };
    const size_t count = sizeof(names) / sizeof(names[0]);
    return brand > 0 && (size_t)brand < count ? names[brand] : UNKNOWN;
}

static zes_device_ecc_state_t ecc_state_of(int mode)
{
    return mode ? ZES_DEVICE_ECC_STATE_ENABLED : ZES_DEVICE_ECC_STATE_DISABLED;
}

static void ecc_describe(struct geo_sysman *sysman)
{
    struct geo_sysman_device *about = &sysman->description;
    int now = 0, then = 0, shipped = 0;
    about->ecc_default = ZES_DEVICE_ECC_STATE_UNAVAILABLE;
    about->ecc_available =
        geo_gpu_has(GEO_NVML(sysman->nvml, DeviceGetEccMode, sysman->device->handle, &now, &then));
    about->ecc_configurable = about->ecc_available && sysman->nvml->DeviceSetEccMode;
    if (GEO_NVML(sysman->nvml, DeviceGetDefaultEccMode, sysman->device->handle, &shipped) ==
        GEO_NVML_SUCCESS) {
        about->ecc_default = ecc_state_of(shipped);
    }
}

/* Returns the supported events: those of NVML, and those found by comparing at each poll. */
static zes_event_type_flags_t events_find(struct geo_sysman *sysman)
{
    zes_freq_throttle_reason_flags_t reasons;
    struct geo_gpu_repair repair;
    unsigned long long types = 0;
    zes_event_type_flags_t events = 0;
    if (GEO_NVML(sysman->nvml, DeviceGetSupportedEventTypes, sysman->device->handle, &types) ==
            GEO_NVML_SUCCESS &&
        types != 0) {
        events |= ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS |
                  ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS | ZES_EVENT_TYPE_FLAG_DEVICE_DETACH |
                  ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED;
    }
    if (geo_gpu_frequency_throttle_read(sysman, &reasons, NULL) == ZE_RESULT_SUCCESS) {
        events |= ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED;
    }
    if (geo_gpu_memory_repair_read(sysman, &repair, NULL) == ZE_RESULT_SUCCESS &&
        repair.health != ZES_MEM_HEALTH_UNKNOWN) {
        events |= ZES_EVENT_TYPE_FLAG_MEM_HEALTH;
    }
    return events;
}

void geo_gpu_whole_describe(struct geo_sysman *sysman)
{
    struct geo_sysman_device *about = &sysman->description;
    struct geo_gpu_texts *texts = &sysman->texts;
    int brand = 0;
    about->serial =
        text_end(texts->serial, GEO_NVML(sysman->nvml, DeviceGetSerial, sysman->device->handle,
                                         texts->serial, GEO_GPU_TEXT));
    about->board =
        text_end(texts->board, GEO_NVML(sysman->nvml, DeviceGetBoardPartNumber,
                                        sysman->device->handle, texts->board, GEO_GPU_TEXT));
    about->driver_version = text_end(
        texts->driver, GEO_NVML(sysman->nvml, SystemGetDriverVersion, texts->driver, GEO_GPU_TEXT));
    about->brand =
        GEO_NVML(sysman->nvml, DeviceGetBrand, sysman->device->handle, &brand) == GEO_NVML_SUCCESS
            ? brand_text(brand)
            : UNKNOWN;
    about->model = sysman->device->name;
    about->vendor = "NVIDIA Corporation";
    about->ops = &geo_gpu_device_ops;
    ecc_describe(sysman);
    about->events = events_find(sysman);
}

/* ---- state ---- */

/* Returns whether the GPU needs a reset: it does not answer, or the driver says so. */
static bool is_wedged(const struct geo_sysman *sysman)
{
    uint64_t total, unused, action = 0;
    return geo_nvml_device_memory(sysman->device, &total, &unused, NULL) ==
               ZE_RESULT_ERROR_DEVICE_LOST ||
           (geo_nvml_field_read(sysman->nvml, sysman->device->handle,
                                GEO_NVML_FIELD_RECOVERY_ACTION, 0, &action,
                                NULL) == ZE_RESULT_SUCCESS &&
            action != 0);
}

static ze_result_t device_state(struct geo_sysman *sysman, struct geo_sysman_device_state *state,
                                struct geo_strbuf *why)
{
    const bool wedged = is_wedged(sysman);
    struct geo_gpu_repair repair = {.health = ZES_MEM_HEALTH_UNKNOWN};
    (void)why;
    (void)geo_gpu_memory_repair_read(sysman, &repair, NULL);
    state->reset = (wedged ? (uint32_t)ZES_RESET_REASON_FLAG_WEDGED : 0) |
                   (repair.pending ? (uint32_t)ZES_RESET_REASON_FLAG_REPAIR : 0);
    state->repaired = repair.health == ZES_MEM_HEALTH_UNKNOWN ? ZES_REPAIR_STATUS_UNSUPPORTED
                      : repair.repaired && !repair.pending    ? ZES_REPAIR_STATUS_PERFORMED
                                                              : ZES_REPAIR_STATUS_NOT_PERFORMED;
    state->flags = wedged ? ZES_DEVICE_STATE_EXT_FLAG_WEDGED : ZES_DEVICE_STATE_EXT_FLAG_NORMAL;
    return ZE_RESULT_SUCCESS;
}

/* ---- error correction ---- */

static ze_result_t device_ecc_state(struct geo_sysman *sysman, zes_device_ecc_properties_t *state,
                                    struct geo_strbuf *why)
{
    int now = 0, then = 0;
    ze_result_t result =
        GEO_NVML_ASK(sysman->nvml, why, DeviceGetEccMode, sysman->device->handle, &now, &then);
    if (result == ZE_RESULT_SUCCESS) {
        state->currentState = ecc_state_of(now);
        state->pendingState = ecc_state_of(then);
        state->pendingAction =
            !now == !then ? ZES_DEVICE_ACTION_NONE : ZES_DEVICE_ACTION_WARM_CARD_RESET;
    }
    return result;
}

static ze_result_t device_ecc_set(struct geo_sysman *sysman, zes_device_ecc_state_t wanted,
                                  zes_device_ecc_properties_t *state, struct geo_strbuf *why)
{
    ze_result_t result = GEO_NVML_ASK(sysman->nvml, why, DeviceSetEccMode, sysman->device->handle,
                                      wanted == ZES_DEVICE_ECC_STATE_ENABLED);
    return result == ZE_RESULT_SUCCESS ? device_ecc_state(sysman, state, why) : result;
}

/* NVML cannot reset a GPU or set the speed of the PCI link. */
const struct geo_sysman_device_ops geo_gpu_device_ops = {
    .state = device_state,
    .processes = geo_gpu_processes,
    .pci_state = geo_gpu_pci_state,
    .pci_stats = geo_gpu_pci_stats,
    .ecc_state = device_ecc_state,
    .ecc_set = device_ecc_set,
    .watch = geo_gpu_event_watch,
    .take_events = geo_gpu_take_events,
    .unwatch = geo_gpu_event_unwatch,
};
