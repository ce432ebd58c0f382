/* The library: its list of parts, and the reports at the end of the process. See validation.h. */
#include "layers/validation/validation.h"

#include <level_zero/loader/ze_loader.h>

#include <stdlib.h>

/* Calls pass the parts in this order, and return in reverse order. `calls` comes first, so its log
 * lines enclose all other messages of a call. `objects` comes after `commands`: on the return of a
 * call it creates the records before `commands` looks for them. */
const struct geo_layer_part *const geo_layer_parts[] = {
    &geo_val_part_calls,     &geo_val_part_parameters,  &geo_val_part_certification,
    &geo_val_part_commands,  &geo_val_part_objects,     &geo_val_part_uses,
    &geo_val_part_threads,   &geo_val_part_performance, &geo_val_part_opened,
    &geo_val_part_resources, &geo_val_part_memory,      NULL};

/* Writes the reports at the end of the process, after the destructors of other libraries, which may
 * still destroy objects. */
static void end_tell(int status, void *user)
{
    (void)status;
    (void)user;
    if (geo_val_on(GEO_VAL_EVENTS)) {
        geo_val_events_tell();
    }
    if (geo_val_on(GEO_VAL_LEAKS)) {
        geo_val_lifetime_tell();
        geo_val_memory_leaks_tell();
    }
    if (geo_val_on(GEO_VAL_RESOURCES)) {
        geo_val_resources_tell();
    }
    geo_val_tell_counts();
}

/* Registers the report during exit: handlers that are added then run last, even after
 * destructors. */
__attribute__((destructor)) static void layer_end(void)
{
    on_exit(end_tell, NULL);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderGetVersion(zel_component_version_t *version);

/* Returns the layer's name and version. The loader lists them in zelLoaderGetVersions. */
ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderGetVersion(zel_component_version_t *version)
{
    if (!version) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    *version = (zel_component_version_t){
        .component_name = "validation layer",
        .spec_version = ZE_API_VERSION_CURRENT,
        .component_lib_version = {GEO_LOADER_MAJOR, GEO_LOADER_MINOR, GEO_LOADER_PATCH}};
    return ZE_RESULT_SUCCESS;
}
