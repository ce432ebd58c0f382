/* The library: its parts, what is told at the end. See validation.h. */
#include "layers/validation/validation.h"

#include <level_zero/loader/ze_loader.h>

#include <stdlib.h>

/* In this order a call passes them, and in the opposite one on its way back: what is logged of a
 * call is its first word and its last; records of objects are begun before `commands` looks for
 * them. */
const struct geo_layer_part *const geo_layer_parts[] = {
    &geo_val_part_calls,     &geo_val_part_parameters,  &geo_val_part_certification,
    &geo_val_part_commands,  &geo_val_part_objects,     &geo_val_part_uses,
    &geo_val_part_threads,   &geo_val_part_performance, &geo_val_part_opened,
    &geo_val_part_resources, &geo_val_part_memory,      NULL};

/* Everything of the process is over: other libraries' destructors, which may still destroy objects,
 * have run. */
static void end_tell(int status, void *user)
{
    (void)status;
    (void)user;
    if (geo_val_on(GEO_VAL_EVENTS))
        geo_val_events_tell();
    if (geo_val_on(GEO_VAL_LEAKS)) {
        geo_val_leaks_tell();
        geo_val_memory_leaks_tell();
    }
    if (geo_val_on(GEO_VAL_RESOURCES))
        geo_val_resources_tell();
    geo_val_tell_counts();
}

/* Handlers that are added while handlers run are called at last, also after the destructors. */
__attribute__((destructor)) static void layer_end(void)
{
    on_exit(end_tell, NULL);
}

ze_result_t ZE_APICALL zelLoaderGetVersion(zel_component_version_t *version);

/* How the loader learns what it has loaded. */
ze_result_t ZE_APICALL zelLoaderGetVersion(zel_component_version_t *version)
{
    if (!version)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *version = (zel_component_version_t){
        .component_name = "validation layer",
        .spec_version = ZE_API_VERSION_CURRENT,
        .component_lib_version = {GEO_LOADER_MAJOR, GEO_LOADER_MINOR, GEO_LOADER_PATCH}};
    return ZE_RESULT_SUCCESS;
}
