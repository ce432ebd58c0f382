/* Sysman of a GPU through NVML. Each class has one file with one function that finds the components
 * of the class at the first query. gpu.c lists these functions.
 *
 * If NVML answers "not supported" during this search, the GPU has no such component. If it fails
 * for another reason (a lost GPU), the component exists, and its operations return the error. */
#ifndef GEO_BACKEND_CUDA_SYSMAN_SYSMAN_H
#define GEO_BACKEND_CUDA_SYSMAN_SYSMAN_H

#include "backend/component_list.h"
#include "backend/cuda/nvml/device.h"

#include <stdatomic.h>

#define GEO_GPU_TEXT 96u

/* State of watched events; protected by the driver's lock. */
struct geo_gpu_watch {
    zes_event_type_flags_t events;
    geo_nvml_event_set set; /* NULL: NVML reports no events */
    uint32_t process;       /* fork generation of the process that created it */
    bool throttled;
    uint32_t health; /* zes_mem_health_t */
};

/* Strings of the description. */
struct geo_gpu_texts {
    char serial[GEO_GPU_TEXT], board[GEO_GPU_TEXT], driver[GEO_GPU_TEXT];
};

enum { GEO_GPU_BARS = 7 };

struct geo_sysman {
    const struct geo_nvml *nvml;
    const struct geo_backend_device *device; /* its sub-devices follow it in the array */
    struct geo_sysman_device description;
    struct geo_gpu_texts texts;
    zes_pci_properties_t pci;
    zes_pci_bar_properties_1_2_t bars[GEO_GPU_BARS];
    struct geo_gpu_watch watch;
    _Atomic(struct geo_component_list *) lists[GEO_SYSMAN_CLASS_COUNT];
};

/* Operations of geo_sysman_ops. */
ze_result_t geo_cuda_sysman_open(struct geo_backend_device *device, const char *root,
                                 struct geo_sysman **out);
void geo_cuda_sysman_close(struct geo_sysman *sysman);
const struct geo_sysman_device *geo_cuda_sysman_device(struct geo_sysman *sysman);
const struct geo_sysman_component *const *
geo_cuda_sysman_components(struct geo_sysman *sysman, enum geo_sysman_class kind, uint32_t *count);

/* ---- building a list (list.c) ---- */

/* Adds a component as geo_component_list_add does, with itself as `opaque`. */
void *geo_gpu_list_add(struct geo_component_list *list, size_t bytes, int32_t subdevice,
                       const char *name);
/* Adds a component of the whole device whose name ends with a number: "fan-1". */
void *geo_gpu_list_add_numbered(struct geo_component_list *list, size_t bytes, const char *name,
                                unsigned number);

void geo_gpu_find_power(struct geo_component_list *list);
void geo_gpu_find_frequency(struct geo_component_list *list);
void geo_gpu_find_engine(struct geo_component_list *list);
void geo_gpu_find_firmware(struct geo_component_list *list);
void geo_gpu_find_memory(struct geo_component_list *list);
void geo_gpu_find_fabric(struct geo_component_list *list);
void geo_gpu_find_temperature(struct geo_component_list *list);
void geo_gpu_find_fan(struct geo_component_list *list);
void geo_gpu_find_ras(struct geo_component_list *list);

/* ---- device operations ---- */

extern const struct geo_sysman_device_ops geo_gpu_device_ops;

/* In whole.c. */
void geo_gpu_whole_describe(struct geo_sysman *sysman);

/* In pci.c. `root` is the folder that stands for "/", as in geo_sysman_ops.open. */
void geo_gpu_pci_describe(struct geo_sysman *sysman, const char *root);
ze_result_t geo_gpu_pci_state(struct geo_sysman *sysman, struct geo_sysman_pci_state *state,
                              struct geo_strbuf *why);
ze_result_t geo_gpu_pci_stats(struct geo_sysman *sysman, zes_pci_stats_t *stats,
                              struct geo_strbuf *why);

/* In process.c. */
ze_result_t geo_gpu_processes(struct geo_sysman *sysman, uint32_t *count,
                              zes_process_state_t *processes, struct geo_strbuf *why);

/* In event.c. */
ze_result_t geo_gpu_event_watch(struct geo_sysman *sysman, zes_event_type_flags_t events,
                                struct geo_sysman_watch *watch, struct geo_strbuf *why);
zes_event_type_flags_t geo_gpu_take_events(struct geo_sysman *sysman);
void geo_gpu_event_unwatch(struct geo_sysman *sysman);

/* ---- shared ---- */

/* memory.c: the state of faulty memory. `repaired`: rows or pages were replaced. */
struct geo_gpu_repair {
    zes_mem_health_t health; /* UNKNOWN: NVML reports nothing */
    bool pending;            /* a reset must complete the repair */
    bool repaired;
};
ze_result_t geo_gpu_memory_repair_read(struct geo_sysman *sysman, struct geo_gpu_repair *repair,
                                       struct geo_strbuf *why);

/* In frequency.c. Reads the reasons that limit the clocks at present. */
ze_result_t geo_gpu_frequency_throttle_read(struct geo_sysman *sysman,
                                            zes_freq_throttle_reason_flags_t *reasons,
                                            struct geo_strbuf *why);

/* Returns whether NVML's result during the search means that a feature exists. A feature that
 * exists but cannot be read at present counts as existing. */
static inline bool geo_gpu_has(int code)
{
    return code != GEO_NVML_NOT_SUPPORTED && code != GEO_NVML_FUNCTION_NOT_FOUND &&
           code != GEO_NVML_INVALID_ARGUMENT && code != GEO_NVML_VGPU_ECC_NOT_SUPPORTED &&
           code != GEO_NVML_DEPRECATED && code != GEO_NVML_ARGUMENT_VERSION_MISMATCH;
}

#endif
