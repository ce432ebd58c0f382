/* Adding components to their list. See gpu.h. */
#include "backend/cuda/sysman/sysman.h"

#include <stdio.h>

void *geo_gpu_list_add(struct geo_component_list *list, size_t bytes, int32_t subdevice,
                       const char *name)
{
    struct geo_sysman_component *component =
        geo_component_list_add(list, bytes, subdevice, NULL, name);
    if (component) {
        component->opaque = component;
    }
    return component;
}

void *geo_gpu_list_add_numbered(struct geo_component_list *list, size_t bytes, const char *name,
                                unsigned number)
{
    char text[GEO_GPU_TEXT];
    snprintf(text, sizeof(text), "%s-%u", name, number);
    return geo_gpu_list_add(list, bytes, -1, text);
}
