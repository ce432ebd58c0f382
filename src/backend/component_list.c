/* Lists of components. See component_list.h. */
#include "backend/component_list.h"

#include <stdlib.h>
#include <string.h>

#define LIST_BYTES (16u << 20) /* more than any device needs */

void *geo_component_list_memory(struct geo_component_list *list, size_t bytes)
{
    void *memory = list->failed ? NULL : geo_arena_alloc(&list->arena, bytes);
    list->failed = memory == NULL;
    return memory;
}

static bool list_grow(struct geo_component_list *list)
{
    if (list->count < list->capacity) {
        return true;
    }
    uint32_t larger = list->capacity ? 2 * list->capacity : 8;
    const struct geo_sysman_component **items =
        geo_component_list_memory(list, larger * sizeof(struct geo_sysman_component *));
    if (!items) {
        return false;
    }
    if (list->count != 0) {
        memcpy(items, list->items, list->count * sizeof(struct geo_sysman_component *));
    }
    list->items = items;
    list->capacity = larger;
    return true;
}

void *geo_component_list_add(struct geo_component_list *list, size_t bytes, int32_t subdevice,
                             void *opaque, const char *name)
{
    struct geo_sysman_component *component =
        list_grow(list) ? geo_component_list_memory(list, bytes) : NULL;
    char *text = component ? geo_component_list_memory(list, strlen(name) + 1) : NULL;
    if (!text) {
        return NULL;
    }
    strcpy(text, name);
    *component = (struct geo_sysman_component){
        .kind = list->kind,
        .subdevice = subdevice,
        .name = text,
        .sysman = list->sysman,
        .opaque = opaque,
    };
    list->items[list->count++] = component;
    return component;
}

void geo_component_list_destroy(struct geo_component_list *list)
{
    for (uint32_t i = 0; list && list->finish && i < list->count; i++) {
        list->finish(list->items[i]);
    }
    if (list) {
        geo_arena_finish(&list->arena);
        free(list);
    }
}

static struct geo_component_list *list_make(struct geo_sysman *sysman, enum geo_sysman_class kind,
                                            geo_component_find_fn find)
{
    struct geo_component_list *list = calloc(1, sizeof(*list));
    if (!list) {
        return NULL;
    }
    list->sysman = sysman;
    list->kind = kind;
    geo_arena_init(&list->arena, LIST_BYTES);
    if (!find(list) || list->failed) {
        geo_component_list_destroy(list);
        return NULL;
    }
    return list;
}

const struct geo_sysman_component *const *
geo_component_list_once(_Atomic(struct geo_component_list *) *slot, struct geo_sysman *sysman,
                        enum geo_sysman_class kind, geo_component_find_fn find, uint32_t *count)
{
    struct geo_component_list *list = atomic_load_explicit(slot, memory_order_acquire);
    if (!list) {
        struct geo_component_list *made = list_make(sysman, kind, find);
        if (made && atomic_compare_exchange_strong(slot, &list, made)) {
            list = made;
        } else {
            geo_component_list_destroy(made);
        }
    }
    *count = list ? list->count : 0;
    return list ? list->items : NULL;
}
