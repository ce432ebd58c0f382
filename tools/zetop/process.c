/* The processes that use a device, and their names. See process.h. */
#include "process.h"
#include "text.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for processes that start between the query of their number and the query of the list. */
enum { SPARE = 16, TRIES = 8 };

/* Reads the name of a process. Simulated processes get none: on this machine their numbers belong
 * to other processes. */
static void name_read(struct process *process, bool simulated)
{
    char path[40], name[PROCESS_NAME] = "";
    snprintf(path, sizeof(path), "/proc/%u/comm", process->pid);
    FILE *file = simulated ? NULL : fopen(path, "re");
    if (file) {
        const size_t length = fread(name, 1, sizeof(name) - 1, file);
        name[length] = '\0';
        if (length && name[length - 1] == '\n') {
            name[length - 1] = '\0';
        }
        fclose(file);
    }
    text_copy(process->name, sizeof(process->name), *name ? name : "-");
}

static ze_result_t list_get(zes_device_handle_t device, zes_process_state_t **list, uint32_t *count)
{
    ze_result_t result = ZE_RESULT_ERROR_INVALID_SIZE;
    *list = NULL;
    for (int try = 0; try < TRIES && result == ZE_RESULT_ERROR_INVALID_SIZE; try++) {
        uint32_t room = 0;
        free(*list);
        *list = NULL;
        *count = 0;
        result = zesDeviceProcessesGetState(device, &room, NULL);
        if (result != ZE_RESULT_SUCCESS || room == 0) {
            return result;
        }
        room += SPARE;
        *list = calloc(room, sizeof(**list));
        if (!*list) {
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
        for (uint32_t i = 0; i < room; i++) {
            (*list)[i].stype = ZES_STRUCTURE_TYPE_PROCESS_STATE;
        }
        *count = room;
        result = zesDeviceProcessesGetState(device, count, *list);
        *count = *count < room ? *count : room;
    }
    return result;
}

ze_result_t processes_read(struct device *device)
{
    zes_process_state_t *list;
    uint32_t count = 0;
    ze_result_t result = list_get(device->handle, &list, &count);
    free(device->processes);
    device->processes = NULL;
    device->process_count = 0;
    device->processes_known = result == ZE_RESULT_SUCCESS;
    if (result == ZE_RESULT_SUCCESS && count) {
        device->processes = calloc(count, sizeof(*device->processes));
        result = device->processes ? result : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; device->processes && i < count; i++) {
        struct process *process = &device->processes[device->process_count++];
        process->pid = list[i].processId;
        process->memory = list[i].memSize;
        process->shared = list[i].sharedSize;
        process->engines = list[i].engines;
        name_read(process, device->simulated);
    }
    free(list);
    return result;
}

void process_engines(const struct process *process, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "-");
    for (size_t i = 0; i < words_zes_engine_type_flags_t.count; i++) {
        const struct word *word = &words_zes_engine_type_flags_t.list[i];
        if ((process->engines & word->value) && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", word->text);
        }
    }
}
