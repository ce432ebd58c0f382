/* Missing dependencies: commands of one list that use the same bytes, of which one writes, without
 * a barrier or event between them. Lists that are not in order promise no order of completion.
 *
 * What comes before a command: the commands that signal the events it waits for, what comes before
 * those, and everything before a barrier. An event that something outside the list signals may
 * bring any order with it: then nothing is told. */
#include "layers/validation/model.h"

#include <stdio.h>
#include <string.h>

/* --- order --- */

struct order {
    const struct geo_val_list *list;
    bool before[GEO_VAL_WINDOW]; /* by place in the list, from the window's begin */
};

static uint32_t window_begin(const struct geo_val_list *list)
{
    return list->count > GEO_VAL_WINDOW ? list->count - GEO_VAL_WINDOW : 0;
}

static void order_all(struct order *order, uint32_t place)
{
    for (uint32_t i = window_begin(order->list); i < place; i++)
        order->before[i - window_begin(order->list)] = true;
}

static void order_add(struct order *order, uint32_t place);

static void order_mark(struct order *order, uint32_t place) /* NOLINT(misc-no-recursion) */
{
    bool *before = &order->before[place - window_begin(order->list)];
    if (!*before) {
        *before = true;
        order_add(order, place); /* goes backwards, at most GEO_VAL_WINDOW deep */
    }
}

/* Marks what comes before the command at `place`. */
static void order_add(struct order *order, uint32_t place) /* NOLINT(misc-no-recursion) */
{
    const struct geo_val_list *list = order->list;
    const struct geo_val_command *command = &list->commands[place];
    if (list->in_order || command->opaque || (command->blocks && command->wait_count == 0)) {
        order_all(order, place);
        return;
    }
    for (uint32_t i = place; i-- > window_begin(list);) {
        if (list->commands[i].blocks || list->commands[i].opaque)
            order_mark(order, i);
    }
    for (uint32_t w = 0; w < command->wait_count; w++) {
        bool found = false;
        for (uint32_t i = place; i-- > window_begin(list);) {
            if (list->commands[i].signal == command->waits[w]) {
                found = true;
                order_mark(order, i);
            }
        }
        if (!found)
            order_all(order, place);
    }
}

/* --- conflicts --- */

static const struct geo_val_range_used *conflict(const struct geo_val_command *one,
                                                 const struct geo_val_command *other, bool *maybe)
{
    for (uint32_t i = 0; i < one->range_count; i++) {
        for (uint32_t k = 0; k < other->range_count; k++) {
            const struct geo_val_range_used *a = &one->ranges[i], *b = &other->ranges[k];
            if (a->base < b->base + b->size && b->base < a->base + a->size &&
                (a->write || b->write) && !(a->maybe && b->maybe)) {
                *maybe = a->maybe || b->maybe;
                return a->maybe ? b : a;
            }
        }
    }
    return NULL;
}

/* --- for commands.c --- */

void geo_val_hazard_tell(const struct geo_layer_call *call, struct geo_val_list *list)
{
    struct geo_val_hazard *hazard = &list->hazard;
    const struct geo_val_place place = {.call = call, .handle = list->handle};
    if (!hazard->found)
        return;
    hazard->found = false;
    geo_val_tell(
        hazard->maybe ? GEO_VAL_MAYBE_DEPENDENCY : GEO_VAL_MISSING_DEPENDENCY, &place,
        "list %p: %zu bytes at %p are used by command %u, %s, and command %u, %s, and nothing "
        "orders the two",
        (void *)list->handle, hazard->size, (void *)hazard->base, hazard->earlier,
        geo_ddi_functions[hazard->earlier_function].name, hazard->later,
        geo_ddi_functions[hazard->later_function].name);
}

void geo_val_hazards_find(struct geo_val_list *list)
{
    struct order order;
    const uint32_t last = list->count - 1, begin = window_begin(list);
    const struct geo_val_command *command = &list->commands[last];
    bool maybe = false;
    const bool known = list->hazard.found && !list->hazard.maybe;
    if (list->in_order || list->opaque || command->range_count == 0 || known)
        return;
    order.list = list;
    memset(order.before, 0, (last - begin) * sizeof(*order.before));
    order_add(&order, last);
    for (uint32_t i = last; i-- > begin;) {
        const struct geo_val_command *earlier = &list->commands[i];
        if (earlier->done || order.before[i - begin])
            continue;
        const struct geo_val_range_used *range = conflict(command, earlier, &maybe);
        if (range && maybe && list->hazard.found)
            continue;
        if (range) { /* the nearest one */
            list->hazard = (struct geo_val_hazard){.found = true,
                                                   .maybe = maybe,
                                                   .earlier = earlier->number,
                                                   .later = command->number,
                                                   .earlier_function = earlier->function,
                                                   .later_function = command->function,
                                                   .base = range->base,
                                                   .size = range->size};
            return;
        }
    }
}

static void event_settle(struct geo_val_list *list, void *user)
{
    struct order order = {.list = list};
    const uint32_t begin = window_begin(list);
    if (!list->immediate)
        return;
    for (uint32_t i = begin; i < list->count; i++) {
        if (list->commands[i].signal == user)
            order_mark(&order, i);
    }
    for (uint32_t i = begin; i < list->count; i++)
        list->commands[i].done |= order.before[i - begin];
}

void geo_val_hazards_settle_event(const void *event)
{
    geo_val_lists_each(event_settle, (void *)(uintptr_t)event);
}
