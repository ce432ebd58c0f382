/* Sysman of a GPU through NVML: one file has one class, and one function that looks for the
 * components of the class, once, when they are first asked for. gpu.c names them all.
 *
 * What a GPU does not have NVML answers with "not supported" when it is looked for, and then there
 * is no component. What fails for another reason then (a lost GPU) is a component whose operations
 * say so. */
#ifndef GEO_BACKEND_CUDA_SYSMAN_GPU_H
#define GEO_BACKEND_CUDA_SYSMAN_GPU_H

#include "backend/component_list.h"
#include "backend/cuda/nvml/device.h"

#include <stdatomic.h>

#define GEO_GPU_TEXT 96u

/* What is watched; changed and asked under the driver's lock. */
struct geo_gpu_watch {
    zes_event_type_flags_t events;
    geo_nvml_event_set set; /* NULL: NVML notices nothing */
    uint32_t process;       /* geo_fork_generation of the process that made it */
    bool throttled;
    uint32_t health; /* zes_mem_health_t */
};

/* Texts of the description. */
struct geo_gpu_texts {
    char serial[GEO_GPU_TEXT], board[GEO_GPU_TEXT], driver[GEO_GPU_TEXT];
};

enum { GEO_GPU_BARS = 7 };

struct geo_sysman {
    const struct geo_nvml *nvml;
    const struct geo_backend_device *device; /* its parts are behind it */
    struct geo_sysman_device description;
    struct geo_gpu_texts texts;
    zes_pci_properties_t pci;
    zes_pci_bar_properties_1_2_t bars[GEO_GPU_BARS];
    struct geo_gpu_watch watch;
    _Atomic(struct geo_component_list *) lists[GEO_SYSMAN_CLASS_COUNT];
};

/* The seam's operations. */
ze_result_t geo_cuda_sysman_open(struct geo_backend_device *device, const char *root,
                                 struct geo_sysman **out);
void geo_cuda_sysman_close(struct geo_sysman *sysman);
const struct geo_sysman_device *geo_cuda_sysman_device(struct geo_sysman *sysman);
const struct geo_sysman_component *const *
geo_cuda_sysman_components(struct geo_sysman *sysman, enum geo_sysman_class kind, uint32_t *count);

/* ---- making a list (list.c) ---- */

/* As geo_component_add; whose opaque it is itself. */
void *geo_gpu_add(struct geo_component_list *list, size_t bytes, int32_t subdevice,
                  const char *name);
/* Of the whole device, and the name has a number behind it: "fan-1". */
void *geo_gpu_add_numbered(struct geo_component_list *list, size_t bytes, const char *name,
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

/* ---- of the device ---- */

extern const struct geo_sysman_device_ops geo_gpu_device_ops;

/* whole.c */
void geo_gpu_describe(struct geo_sysman *sysman);

/* pci.c; root: as for the seam's open. */
void geo_gpu_pci_describe(struct geo_sysman *sysman, const char *root);
ze_result_t geo_gpu_pci_state(struct geo_sysman *sysman, struct geo_sysman_pci_state *state,
                              struct geo_strbuf *why);
ze_result_t geo_gpu_pci_stats(struct geo_sysman *sysman, zes_pci_stats_t *stats,
                              struct geo_strbuf *why);

/* process.c */
ze_result_t geo_gpu_processes(struct geo_sysman *sysman, uint32_t *count,
                              zes_process_state_t *processes, struct geo_strbuf *why);

/* event.c */
ze_result_t geo_gpu_watch(struct geo_sysman *sysman, zes_event_type_flags_t events,
                          struct geo_sysman_watch *watch, struct geo_strbuf *why);
zes_event_type_flags_t geo_gpu_take_events(struct geo_sysman *sysman);
void geo_gpu_unwatch(struct geo_sysman *sysman);

/* ---- shared ---- */

/* memory.c: what became of its faulty parts. `repaired`: rows or pages that were replaced. */
struct geo_gpu_repair {
    zes_mem_health_t health; /* UNKNOWN: NVML tells nothing */
    bool pending;            /* a reset has to complete it */
    bool repaired;
};
ze_result_t geo_gpu_repair_read(struct geo_sysman *sysman, struct geo_gpu_repair *repair,
                                struct geo_strbuf *why);

/* frequency.c: why clocks are not higher. */
ze_result_t geo_gpu_throttle_read(struct geo_sysman *sysman,
                                  zes_freq_throttle_reason_flags_t *reasons,
                                  struct geo_strbuf *why);

/* Whether NVML's result at discovery says that there is such a thing: a GPU that has it and does
 * not answer now has it all the same. */
static inline bool geo_gpu_has(int code)
{
    return code != GEO_NVML_NOT_SUPPORTED && code != GEO_NVML_FUNCTION_NOT_FOUND &&
           code != GEO_NVML_INVALID_ARGUMENT && code != GEO_NVML_VGPU_ECC_NOT_SUPPORTED &&
           code != GEO_NVML_DEPRECATED && code != GEO_NVML_ARGUMENT_VERSION_MISMATCH;
}

#endif
