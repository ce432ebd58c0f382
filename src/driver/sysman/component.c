/* Lists the components of the backend and gives them objects. See component.h. */
#include "driver/sysman/component.h"

#include "base/array.h"
#include "driver/core/check.h"

#define SAME_PLACE(name, NAME, handle_type)                                                        \
    _Static_assert(GEO_OBJECT_##NAME - GEO_OBJECT_POWER ==                                         \
                       (int)GEO_SYSMAN_##NAME - (int)GEO_SYSMAN_POWER,                             \
                   "objects of components are in the order of their classes");                     \
    _Static_assert(offsetof(struct geo_sysman_##name, base) == 0,                                  \
                   "a component begins with what all have");
GEO_SYSMAN_CLASSES(SAME_PLACE)

/* Does nothing: components are never freed, because their handles may still be used. */
static void component_destroy(struct geo_object *object)
{
    (void)object;
}

static bool component_add(struct geo_sysman_root *root, struct geo_components *list,
                          const struct geo_sysman_component *description)
{
    GEO_ASSERT(description->kind < GEO_SYSMAN_CLASS_COUNT && description->name);
    GEO_ASSERT(list == &root->components[description->kind]);
    struct geo_component *component = calloc(1, sizeof(*component));
    if (!component || !geo_array_reserve(list, 1)) {
        free(component);
        return false;
    }
    geo_object_init(&component->base,
                    (enum geo_object_type)(GEO_OBJECT_POWER + (int)description->kind),
                    root->device->base.driver, component_destroy);
    component->root = root;
    component->description = description;
    list->items[list->count++] = component;
    return true;
}

/* Returns whether the backend lists the components that have objects in the same order as before. */
static bool components_stayed(const struct geo_components *list,
                              const struct geo_sysman_component *const *found, uint32_t count)
{
    for (size_t i = 0; i < list->count && i < count; i++) {
        if (list->items[i]->description != found[i]) {
            return false;
        }
    }
    return true;
}

ze_result_t geo_components_find_locked(struct geo_sysman_root *root, enum geo_sysman_class kind,
                                       const struct geo_components **out)
{
    GEO_ASSERT(geo_sysman_lock_held() && kind < GEO_SYSMAN_CLASS_COUNT);
    struct geo_components *list = &root->components[kind];
    uint32_t count = 0;
    const struct geo_sysman_component *const *found =
        root->ops->components(root->sysman, kind, &count);
    GEO_ASSERT(components_stayed(list, found, count));
    for (size_t i = list->count; i < count; i++) {
        if (!component_add(root, list, found[i])) {
            return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for components");
        }
    }
    *out = list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_components_list(zes_device_handle_t device, enum geo_sysman_class kind,
                                uint32_t *count, void **handles)
{
    struct geo_sysman_root *root;
    const struct geo_components *list;
    GEO_CHECK(geo_sysman_root_from(device, &root));
    geo_sysman_lock();
    ze_result_t result = geo_components_find_locked(root, kind, &list);
    if (result == ZE_RESULT_SUCCESS) {
        uint32_t wanted = geo_count_protocol(count, (uint32_t)list->count, handles);
        for (uint32_t i = 0; i < wanted; i++) {
            handles[i] = list->items[i];
        }
    }
    geo_sysman_unlock();
    return result;
}
