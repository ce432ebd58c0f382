/* Orders drivers by kind, ZE_ENABLE_PCI_ID_DEVICE_ORDER and ZEL_DRIVERS_ORDER. See
 * driver_order.h. */
#include "loader/driver_order.h"

#include "base/assert.h"
#include "base/log.h"
#include "loader/discovery/discovery.h"

#include <stdlib.h>
#include <string.h>

/* The types that an item may name. A driver is of the type when it has a bit of `has` and no bit of
 * `lacks`. Devices other than GPUs are ignored, as they are for the flags of initialisation. */
struct type_name {
    const char *text;
    uint32_t has, lacks;
};

static const struct type_name type_names[] = {
    {"DISCRETE_GPU_ONLY", GEO_DRIVER_DISCRETE_GPU, GEO_DRIVER_INTEGRATED_GPU},
    {"GPU", GEO_DRIVER_GPU, 0},
    {"INTEGRATED_GPU_ONLY", GEO_DRIVER_INTEGRATED_GPU, GEO_DRIVER_DISCRETE_GPU},
    {"NPU", GEO_DRIVER_NPU, 0},
};

struct item {
    const struct type_name *type; /* NULL: any */
    bool indexed;
    uint32_t index; /* within the type */
};

/* The drivers in the default order, and the reordered list that is being built from them. */
struct ordering {
    struct geo_driver_entry *from; /* entries already moved have a NULL library */
    struct geo_driver_entry *to;
    uint32_t count, taken;
};

static bool index_read(struct geo_discovery_part text, uint32_t *index)
{
    *index = 0;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        if (c < '0' || c > '9') {
            return false;
        }
        bool large = *index > (UINT32_MAX - 9) / 10; /* longer than any list */
        *index = large ? UINT32_MAX : *index * 10 + (uint32_t)(c - '0');
    }
    return text.length > 0;
}

static const struct type_name *type_find(struct geo_discovery_part text)
{
    for (size_t i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++) {
        const char *name = type_names[i].text;
        if (strlen(name) == text.length && memcmp(name, text.text, text.length) == 0) {
            return &type_names[i];
        }
    }
    return NULL;
}

static bool item_read(struct geo_discovery_part text, struct item *item)
{
    bool pair = memchr(text.text, ':', text.length) != NULL;
    struct geo_discovery_part name = geo_candidate_cut(&text, ':');
    struct geo_discovery_part number = pair ? geo_candidate_cut(&text, ',') : name;
    *item = (struct item){.type = type_find(name)};
    if (item->type && !pair) {
        return true;
    }
    item->indexed = true;
    return (item->type || !pair) && index_read(number, &item->index);
}

static bool is_of_type(const struct geo_driver_entry *entry, const struct type_name *type)
{
    return !type || ((entry->types & type->has) && !(entry->types & type->lacks));
}

static void entry_take(struct ordering *ordering, uint32_t index)
{
    struct geo_driver_entry *entry = &ordering->from[index];
    if (entry->library) {
        GEO_ASSERT(index < ordering->count && ordering->taken < ordering->count);
        memcpy(&ordering->to[ordering->taken++], entry, sizeof(*entry));
        entry->library = NULL;
    }
}

/* Moves the drivers that an item names. Returns false when it names none of them. */
static bool item_take(struct ordering *ordering, const struct item *item)
{
    uint32_t seen = 0;
    bool found = false;
    for (uint32_t i = 0; i < ordering->count; i++) {
        if (!is_of_type(&ordering->from[i], item->type)) {
            continue;
        }
        if (!item->indexed || seen == item->index) {
            entry_take(ordering, i);
            found = true;
        }
        seen++;
    }
    return found;
}

static void items_take(struct ordering *ordering, struct geo_discovery_part text)
{
    while (text.length) {
        struct item item;
        struct geo_discovery_part part = geo_candidate_cut(&text, ',');
        const char *fault = NULL;
        if (part.length == 0) {
            continue;
        }
        if (!item_read(part, &item)) {
            fault = "is not a type, an index or type:index";
        } else if (!item_take(ordering, &item)) {
            fault = "names no driver";
        }
        if (fault) {
            geo_log("loader", GEO_LOG_WARN, "ZEL_DRIVERS_ORDER: \"%.*s\" %s", (int)part.length,
                    part.text, fault);
        }
    }
}

bool geo_driver_order_apply(const char *text, struct geo_driver_entry *entries, uint32_t count)
{
    struct ordering ordering = {.to = entries, .count = count};
    if (!text || !*text || count == 0) {
        return true;
    }
    ordering.from = malloc(count * sizeof(*ordering.from));
    if (!ordering.from) {
        return false;
    }
    memcpy(ordering.from, entries, count * sizeof(*ordering.from));
    items_take(&ordering, (struct geo_discovery_part){text, strlen(text)});
    for (uint32_t i = 0; i < count; i++) {
        entry_take(&ordering, i);
    }
    GEO_ASSERT(ordering.taken == count);
    free(ordering.from);
    return true;
}

static int rank_of(const struct geo_driver_entry *entry, bool by_address)
{
    bool integrated = entry->types & GEO_DRIVER_INTEGRATED_GPU;
    bool discrete = entry->types & GEO_DRIVER_DISCRETE_GPU;
    if (!(entry->types & GEO_DRIVER_GPU)) {
        return 4;
    }
    if (entry->types & (GEO_DRIVER_NPU | GEO_DRIVER_OTHER)) {
        return 3;
    }
    if (integrated && discrete) {
        return 1;
    }
    return integrated == by_address ? 0 : 2;
}

static bool entries_are_ranked(const struct geo_driver_entry *entries, uint32_t count,
                               bool by_address)
{
    bool ranked = true;
    for (uint32_t i = 1; i < count; i++) {
        ranked &= rank_of(&entries[i - 1], by_address) <= rank_of(&entries[i], by_address);
    }
    return ranked;
}

void geo_driver_order_by_kind(struct geo_driver_entry *entries, uint32_t count, bool by_address)
{
    for (uint32_t i = 1; i < count; i++) {
        struct geo_driver_entry entry = entries[i];
        uint32_t place = i;
        const int rank = rank_of(&entry, by_address);
        for (; place && rank_of(&entries[place - 1], by_address) > rank; place--) {
            entries[place] = entries[place - 1];
        }
        entries[place] = entry;
    }
    GEO_ASSERT(entries_are_ranked(entries, count, by_address));
}
