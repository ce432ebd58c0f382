/* Processes that use the GPU. NVML lists compute and graphics processes separately, and a process
 * may be in both lists. A GPU with MIG devices lists the processes of these. The amount of shared
 * memory is unknown. */
#include "backend/cuda/sysman/sysman.h"

#include <limits.h>
#include <stdlib.h>

enum { MOST_PROCESSES = 4096, ROOM_FIRST = 64 };

struct found {
    geo_nvml_process *items;
    unsigned count;
};

typedef int (*list_fn)(geo_nvml_device, unsigned *, geo_nvml_process *);

static int list_call(const struct geo_sysman *sysman, list_fn function, struct found *out)
{
    geo_nvml_enter(sysman->nvml);
    return geo_nvml_leave(function ? function(sysman->device->handle, &out->count, out->items)
                                   : GEO_NVML_FUNCTION_NOT_FOUND);
}

/* Reads a list of processes. The caller frees the items. */
static int list_read(const struct geo_sysman *sysman, list_fn function, struct found *out)
{
    int code = GEO_NVML_INSUFFICIENT_SIZE;
    *out = (struct found){0};
    for (unsigned room = ROOM_FIRST; code == GEO_NVML_INSUFFICIENT_SIZE && room <= MOST_PROCESSES;
         room *= 4) {
        free(out->items);
        out->items = calloc(room, sizeof(*out->items));
        out->count = room;
        code = out->items ? list_call(sysman, function, out) : GEO_NVML_MEMORY;
    }
    out->count = code == GEO_NVML_SUCCESS ? out->count : 0;
    return code;
}

/* Adds the process to its entry, or to a new entry if there is space. *found counts all
 * processes. */
static void process_add(const geo_nvml_process *process, zes_engine_type_flags_t engines,
                        uint32_t room, zes_process_state_t *out, uint32_t *found)
{
    const uint64_t bytes = process->bytes == ULLONG_MAX ? 0 : process->bytes;
    const uint32_t written = *found < room ? *found : room;
    for (uint32_t i = 0; i < written; i++) {
        if (out[i].processId == process->pid) {
            /* compute and graphics report the same memory; MIG devices report separate memory */
            out[i].memSize = out[i].engines & engines ? out[i].memSize + bytes
                             : out[i].memSize > bytes ? out[i].memSize
                                                      : bytes;
            out[i].engines |= engines;
            return;
        }
    }
    if (*found < room) {
        out[*found].processId = process->pid;
        out[*found].memSize = bytes;
        out[*found].sharedSize = 0;
        out[*found].engines = engines;
    }
    *found += 1;
}

ze_result_t geo_gpu_processes(struct geo_sysman *sysman, uint32_t *count,
                              zes_process_state_t *processes, struct geo_strbuf *why)
{
    const struct {
        list_fn function;
        const char *name;
        zes_engine_type_flags_t engines;
    } lists[] = {
        {sysman->nvml->DeviceGetComputeRunningProcesses, "DeviceGetComputeRunningProcesses",
         ZES_ENGINE_TYPE_FLAG_COMPUTE},
        {sysman->nvml->DeviceGetGraphicsRunningProcesses, "DeviceGetGraphicsRunningProcesses",
         ZES_ENGINE_TYPE_FLAG_3D},
    };
    uint32_t total = 0;
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct found found;
        int code = list_read(sysman, lists[i].function, &found);
        for (unsigned k = 0; k < found.count; k++) {
            process_add(&found.items[k], lists[i].engines, *count, processes, &total);
        }
        free(found.items);
        if (i == 0 || geo_gpu_has(code)) { /* some GPUs have no graphics */
            result = geo_nvml_answer(sysman->nvml, code, lists[i].name, why);
        }
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    *count = total;
    return ZE_RESULT_SUCCESS;
}
