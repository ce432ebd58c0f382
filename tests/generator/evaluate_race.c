/* Who has read and written each byte of global and local memory: an access that no barrier orders
 * behind another item's is a race, and what the program means is then undefined. See
 * evaluate_internal.h. */
#include "evaluate_internal.h"

#include <stdlib.h>
#include <string.h>

/* `group` and `item` count from 1; 0: no one. `epoch`: barriers that the group has passed. */
struct who {
    uint32_t group, epoch, item;
};

enum { SEVERAL = UINT32_MAX };

/* The accesses of one byte so far, as far as a later one may race with them. */
struct touched {
    struct who by[GEN_ACCESS_COUNT];
};

struct region {
    const uint8_t *start;
    size_t bytes;
    struct touched *touched;
    bool local;
};

struct race_map {
    struct region regions[GEN_MAX_ARGS * 4];
    uint32_t count;
};

/* Atomic accesses do not race with each other, nor do reads. */
static const bool races_with[GEN_ACCESS_COUNT][GEN_ACCESS_COUNT] = {
    [GEN_ACCESS_READ] = {[GEN_ACCESS_WRITE] = true, [GEN_ACCESS_ATOMIC] = true},
    [GEN_ACCESS_WRITE] = {[GEN_ACCESS_READ] = true,
                          [GEN_ACCESS_WRITE] = true,
                          [GEN_ACCESS_ATOMIC] = true},
    [GEN_ACCESS_ATOMIC] = {[GEN_ACCESS_READ] = true, [GEN_ACCESS_WRITE] = true},
};

static bool unordered(struct who earlier, struct who now)
{
    if (earlier.group == 0) {
        return false;
    }
    return earlier.group != now.group || (earlier.epoch == now.epoch && earlier.item != now.item);
}

/* An earlier access of the same group is ordered behind whatever is ordered behind this one. */
static void touch(struct who *who, struct who now)
{
    if (who->group != 0 && who->group != now.group) {
        who->group = SEVERAL;
    } else if (who->group != 0 && who->epoch == now.epoch && who->item != now.item) {
        who->item = SEVERAL;
    } else {
        *who = now;
    }
}

bool gen_race_create(struct run *run)
{
    const struct gen_function *kernel = gen_kernel(run->program);
    run->races = calloc(1, sizeof(*run->races));
    for (uint32_t i = 0; run->races && i < kernel->parameters.count; i++) {
        const struct gen_variable *variable = kernel->parameters.items[i];
        if (variable->role == GEN_BUFFER) {
            gen_race_watch(run, run->memory[i], gen_buffer_bytes(run->program, variable), false);
        }
    }
    return run->races != NULL || gen_run_fail(run, "out of memory");
}

void gen_race_watch(struct run *run, const uint8_t *start, size_t bytes, bool local)
{
    struct race_map *map = run->races;
    if (map->count == sizeof(map->regions) / sizeof(map->regions[0])) {
        gen_run_fail(run, "too many buffers");
        return;
    }
    struct region *region = &map->regions[map->count++];
    *region = (struct region){.start = start, .bytes = bytes, .local = local};
    region->touched = calloc(bytes + 1, sizeof(*region->touched));
    if (!region->touched) {
        gen_run_fail(run, "out of memory");
    }
}

void gen_race_destroy(struct run *run)
{
    for (uint32_t i = 0; run->races && i < run->races->count; i++) {
        free(run->races->regions[i].touched);
    }
    free(run->races);
    run->races = NULL;
}

/* Local memory is another one in each group. */
void gen_race_next_group(struct run *run)
{
    for (uint32_t i = 0; i < run->races->count; i++) {
        struct region *region = &run->races->regions[i];
        if (region->local) {
            memset(region->touched, 0, region->bytes * sizeof(*region->touched));
        }
    }
}

bool gen_access(struct item *item, const uint8_t *address, size_t bytes, enum gen_access access)
{
    struct run *run = item->run;
    const struct race_map *map = run->races;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct region *region = &map->regions[i];
        uintptr_t offset = (uintptr_t)address - (uintptr_t)region->start;
        if (offset >= region->bytes || !region->touched) {
            continue;
        }
        struct who now = {run->group_number + 1, run->epoch, (uint32_t)(item - run->items) + 1};
        for (size_t at = offset; at < offset + bytes && at < region->bytes; at++) {
            struct touched *touched = &region->touched[at];
            for (uint32_t a = 0; a < GEN_ACCESS_COUNT; a++) {
                if (races_with[access][a] && unordered(touched->by[a], now)) {
                    return gen_run_fail(run, "race");
                }
            }
            touch(&touched->by[access], now);
        }
        return true;
    }
    return true; /* private, or a table */
}
