/* Hints about legal calls that could be faster. */
#include "layers/validation/validation.h"

#include <pthread.h>
#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

static void hint(const struct geo_layer_call *call, enum geo_val_message message,
                 const char *argument, const char *text)
{
    const struct geo_val_place place = {.call = call, .argument = argument};
    geo_val_tell(message, &place, "%s", text);
}

static void immediate_look(const struct geo_layer_call *call)
{
    const ze_command_queue_desc_t *desc = ARGUMENT(call, 2, const ze_command_queue_desc_t *);
    if (!desc) {
        return;
    }
    if (desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS) {
        hint(call, GEO_VAL_SYNCHRONOUS_IMMEDIATE, "altdesc->mode",
             "every append waits until its command is done");
    }
    if (!(desc->flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER)) {
        hint(call, GEO_VAL_UNORDERED_IMMEDIATE, "altdesc->flags",
             "ZE_COMMAND_QUEUE_FLAG_IN_ORDER orders commands for less than events do");
    } else if (!(desc->flags & ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT)) {
        hint(call, GEO_VAL_NO_COPY_OFFLOAD, "altdesc->flags",
             "with ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT copies may run on copy engines");
    }
}

static void list_look(const struct geo_layer_call *call)
{
    const ze_command_list_desc_t *desc = ARGUMENT(call, 2, const ze_command_list_desc_t *);
    if (desc && (desc->flags & ZE_COMMAND_LIST_FLAG_IN_ORDER) &&
        !(desc->flags & ZE_COMMAND_LIST_FLAG_COPY_OFFLOAD_HINT)) {
        hint(call, GEO_VAL_NO_COPY_OFFLOAD, "desc->flags",
             "with ZE_COMMAND_LIST_FLAG_COPY_OFFLOAD_HINT copies may run on copy engines");
    }
}

/* --- modules --- */

enum { BUILDS = 4096 }; /* number of remembered builds */

static pthread_mutex_t builds_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t builds[BUILDS]; /* hashes of builds; 0: free */

static uint64_t hash_add(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void module_look(const struct geo_layer_call *call)
{
    const ze_module_desc_t *desc = ARGUMENT(call, 2, const ze_module_desc_t *);
    /* Specialisation constants make it another build. */
    if (!desc || !desc->pInputModule || desc->pNext) {
        return;
    }
    const ze_device_handle_t device = ARGUMENT(call, 1, ze_device_handle_t);
    const char *flags = desc->pBuildFlags ? desc->pBuildFlags : "";
    uint64_t hash = hash_add(UINT64_C(0xcbf29ce484222325), desc->pInputModule, desc->inputSize);
    hash = hash_add(hash, flags, strlen(flags));
    hash = hash_add(hash, &device, sizeof(device)) | 1;
    pthread_mutex_lock(&builds_lock);
    uint64_t *place = &builds[(hash >> 32) % BUILDS];
    const bool again = *place == hash;
    *place = hash;
    pthread_mutex_unlock(&builds_lock);
    if (again) {
        hint(call, GEO_VAL_BUILT_AGAIN, "desc->pInputModule", "has been built before");
    }
}

static ze_result_t performance_before(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    if (call->id == GEO_DDI_FN_zeCommandListCreateImmediate) {
        immediate_look(call);
    } else if (call->id == GEO_DDI_FN_zeCommandListCreate) {
        list_look(call);
    } else {
        module_look(call);
    }
    return ZE_RESULT_SUCCESS;
}

static bool performance_wants(const struct geo_ddi_function *function)
{
    const size_t id = (size_t)(function - geo_ddi_functions);
    return geo_val_on(GEO_VAL_PERFORMANCE) &&
           (id == GEO_DDI_FN_zeCommandListCreateImmediate || id == GEO_DDI_FN_zeCommandListCreate ||
            id == GEO_DDI_FN_zeModuleCreate);
}

const struct geo_layer_part geo_val_part_performance = {
    .name = "performance", .wants = performance_wants, .before = performance_before};
