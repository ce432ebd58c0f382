/* Calls the operations of all kinds of thresholds of a device. See threshold.h. */
#include "driver/sysman/threshold.h"

#include <string.h>

static const struct geo_threshold_kind *const kinds[] = {
    &geo_threshold_energy, &geo_threshold_temperature, &geo_threshold_ras};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

zes_event_type_flags_t geo_thresholds_events(void)
{
    zes_event_type_flags_t events = 0;
    for (size_t k = 0; k < KINDS; k++) {
        events |= kinds[k]->events;
    }
    return events;
}

zes_event_type_flags_t geo_thresholds_compare(struct geo_sysman_root *root,
                                              zes_event_type_flags_t events)
{
    zes_event_type_flags_t happened = 0;
    GEO_ASSERT(geo_sysman_lock_held());
    for (size_t k = 0; k < KINDS; k++) {
        const struct geo_components *list = &root->components[kinds[k]->kind];
        for (size_t i = 0; (kinds[k]->events & events) && i < list->count; i++) {
            if (kinds[k]->pending(list->items[i])) {
                happened |= kinds[k]->compare(list->items[i]);
            }
        }
    }
    return happened & events;
}

bool geo_thresholds_pending(const struct geo_sysman_root *root, zes_event_type_flags_t events)
{
    GEO_ASSERT(geo_sysman_lock_held());
    for (size_t k = 0; k < KINDS; k++) {
        const struct geo_components *list = &root->components[kinds[k]->kind];
        for (size_t i = 0; (kinds[k]->events & events) && i < list->count; i++) {
            if (kinds[k]->pending(list->items[i])) {
                return true;
            }
        }
    }
    return false;
}

void geo_thresholds_happened(struct geo_sysman_root *root, zes_event_type_flags_t events)
{
    GEO_ASSERT(geo_sysman_lock_held());
    for (size_t k = 0; k < KINDS; k++) {
        const struct geo_components *list = &root->components[kinds[k]->kind];
        for (size_t i = 0; kinds[k]->happened && (kinds[k]->events & events) && i < list->count;
             i++) {
            kinds[k]->happened(list->items[i], events);
        }
    }
}

void geo_thresholds_forget(struct geo_sysman_root *root)
{
    GEO_ASSERT(geo_sysman_lock_held());
    for (int kind = 0; kind < (int)GEO_SYSMAN_CLASS_COUNT; kind++) {
        for (size_t i = 0; i < root->components[kind].count; i++) {
            struct geo_component *component = root->components[kind].items[i];
            memset(&component->kept, 0, sizeof(component->kept));
        }
    }
}
