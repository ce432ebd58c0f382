/* Lists of components while they are made, and the clock. See gpu.h. */
#include "backend/cuda/sysman/gpu.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void *geo_gpu_memory(struct geo_gpu_list *list, size_t bytes)
{
    void *memory = list->failed ? NULL : geo_arena_alloc(&list->arena, bytes);
    list->failed = memory == NULL;
    return memory;
}

static bool list_grow(struct geo_gpu_list *list)
{
    if (list->count < list->capacity) {
        return true;
    }
    uint32_t larger = list->capacity ? 2 * list->capacity : 8;
    const struct geo_sysman_component **items =
        geo_gpu_memory(list, larger * sizeof(struct geo_sysman_component *));
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

void *geo_gpu_add(struct geo_gpu_list *list, size_t bytes, int32_t subdevice, const char *name)
{
    struct geo_sysman_component *component =
        name && list_grow(list) ? geo_gpu_memory(list, bytes) : NULL;
    if (component) {
        *component = (struct geo_sysman_component){
            .kind = list->kind,
            .subdevice = subdevice,
            .name = name,
            .sysman = list->sysman,
            .opaque = component,
        };
        list->items[list->count++] = component;
    }
    return component;
}

const char *geo_gpu_numbered(struct geo_gpu_list *list, const char *name, unsigned number)
{
    const size_t bytes = strlen(name) + 16;
    char *text = geo_gpu_memory(list, bytes);
    if (text) {
        snprintf(text, bytes, "%s-%u", name, number);
    }
    return text;
}

uint64_t geo_gpu_clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}
