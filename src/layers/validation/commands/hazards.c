/* Finds missing dependencies: two commands of one list that use the same bytes, one of which writes
 * them, without a barrier or event between them. Lists that are not in order do not promise an
 * order of completion.
 *
 * A command runs after the commands that signal the events it waits for, after the predecessors of
 * those, and after everything before a barrier. An event that is signalled outside the list may
 * imply any order, so nothing is reported then. */
#include "layers/validation/commands/order.h"
#include "layers/validation/uses/images.h"

#include <stdio.h>
#include <string.h>

/* --- order --- */

struct order {
    const struct geo_val_list *list;
    /* Indexed by position in the list, relative to the window's start. */
    bool before[GEO_VAL_WINDOW];
};

static uint32_t window_begin(const struct geo_val_list *list)
{
    return list->record.count > GEO_VAL_WINDOW ? list->record.count - GEO_VAL_WINDOW : 0;
}

static void order_all(struct order *order, uint32_t place)
{
    for (uint32_t i = window_begin(order->list); i < place; i++) {
        order->before[i - window_begin(order->list)] = true;
    }
}

static void order_add(struct order *order, uint32_t place);

static void order_mark(struct order *order, uint32_t place) /* NOLINT(misc-no-recursion) */
{
    bool *before = &order->before[place - window_begin(order->list)];
    if (!*before) {
        *before = true;
        order_add(order, place); /* recursion goes backwards, at most GEO_VAL_WINDOW deep */
    }
}

/* Marks the commands that run before the command at `place`. */
static void order_add(struct order *order, uint32_t place) /* NOLINT(misc-no-recursion) */
{
    const struct geo_val_list *list = order->list;
    const struct geo_val_command *command = &list->record.commands[place];
    /* An appended signal runs when everything before it is done. */
    if (list->in_order || command->opaque || (command->blocks && command->wait_count == 0) ||
        command->function == GEO_DDI_FN_zeCommandListAppendSignalEvent) {
        order_all(order, place);
        return;
    }
    for (uint32_t i = place; i-- > window_begin(list);) {
        if (list->record.commands[i].blocks || list->record.commands[i].opaque) {
            order_mark(order, i);
        }
    }
    for (uint32_t w = 0; w < command->wait_count; w++) {
        bool found = false;
        for (uint32_t i = place; i-- > window_begin(list);) {
            if (list->record.commands[i].signal == command->waits[w]) {
                found = true;
                order_mark(order, i);
            }
        }
        if (!found) {
            order_all(order, place);
        }
    }
}

/* --- conflicts --- */

/* Returns whether two items overlap and one of them writes. Two items of kernel arguments are
 * skipped, because a kernel may use only a part. Images and their views are compared only if they
 * count pixels in the same way. */
static bool items_conflict(const struct geo_val_used *a, const struct geo_val_used *b)
{
    if (a->kind != b->kind || !(a->writes || b->writes) || (a->maybe && b->maybe)) {
        return false;
    }
    if (a->kind == GEO_VAL_USED_MEMORY) {
        return geo_val_box_bytes_meet(&a->bytes, &b->bytes);
    }
    return a->kind == GEO_VAL_USED_IMAGE && geo_val_images_share(a, b) &&
           geo_val_box_pixels_meet(&a->pixels, &b->pixels);
}

static const struct geo_val_used *conflict(const struct geo_val_command *one,
                                           const struct geo_val_command *other, bool *maybe)
{
    for (uint32_t i = 0; i < one->use_count; i++) {
        for (uint32_t k = 0; k < other->use_count; k++) {
            const struct geo_val_used *a = &one->uses[i], *b = &other->uses[k];
            if (!items_conflict(a, b)) {
                continue;
            }
            *maybe = a->maybe || b->maybe;
            return a->maybe ? b : a;
        }
    }
    return NULL;
}

/* --- interface for lists.c --- */

void geo_val_hazard_tell(const struct geo_layer_call *call, struct geo_val_list *list)
{
    struct geo_val_hazard *hazard = &list->hazard;
    const struct geo_val_place place = {.call = call, .handle = list->handle};
    if (!hazard->found) {
        return;
    }
    hazard->found = false;
    char what[96];
    if (hazard->used.kind == GEO_VAL_USED_IMAGE) {
        snprintf(what, sizeof(what), "image %p is", hazard->used.handle);
    } else {
        snprintf(what, sizeof(what), "%zu bytes at %p are",
                 geo_val_box_bytes_span(&hazard->used.bytes), (void *)hazard->used.bytes.base);
    }
    geo_val_tell(hazard->maybe ? GEO_VAL_MAYBE_DEPENDENCY : GEO_VAL_MISSING_DEPENDENCY, &place,
                 "list %p: %s used by command %u, %s, and command %u, %s, and nothing orders the "
                 "two",
                 (void *)list->handle, what, hazard->earlier,
                 geo_ddi_functions[hazard->earlier_function].name, hazard->later,
                 geo_ddi_functions[hazard->later_function].name);
}

void geo_val_hazards_find(struct geo_val_list *list)
{
    struct order order;
    const uint32_t last = list->record.count - 1, begin = window_begin(list);
    const struct geo_val_command *command = &list->record.commands[last];
    bool maybe = false;
    const bool known = list->hazard.found && !list->hazard.maybe;
    if (list->in_order || list->changed || !command->touches || known) {
        return;
    }
    order.list = list;
    memset(order.before, 0, (last - begin) * sizeof(*order.before));
    order_add(&order, last);
    for (uint32_t i = last; i-- > begin;) {
        const struct geo_val_command *earlier = &list->record.commands[i];
        if (earlier->done || order.before[i - begin]) {
            continue;
        }
        const struct geo_val_used *used = conflict(command, earlier, &maybe);
        if (used && maybe && list->hazard.found) {
            continue;
        }
        if (used) { /* the nearest one */
            list->hazard = (struct geo_val_hazard){.found = true,
                                                   .maybe = maybe,
                                                   .earlier = earlier->number,
                                                   .later = command->number,
                                                   .earlier_function = earlier->function,
                                                   .later_function = command->function,
                                                   .used = *used};
            return;
        }
    }
}

/* --- completed commands --- */

enum { SETTLED = 256 }; /* maximum number of events that one wait leads to */

struct settle {
    const void *events[SETTLED];
    size_t count, next;
};

static void settle_add(struct settle *settle, const void *event)
{
    for (size_t i = 0; i < settle->count; i++) {
        if (settle->events[i] == event) {
            return;
        }
    }
    if (settle->count < SETTLED) {
        settle->events[settle->count++] = event;
    }
}

/* Marks a command as done, and queues the events that it waited for, whose commands may be in any
 * list. */
static void command_settle(struct geo_val_command *command, struct settle *settle)
{
    if (command->done) {
        return;
    }
    command->done = true;
    for (uint32_t w = 0; w < command->wait_count; w++) {
        settle_add(settle, command->waits[w]);
    }
}

/* Marks the commands of one list that signal the event as done, and all commands that must run
 * before them. Orders are known only between the last GEO_VAL_WINDOW commands; older commands are
 * marked as done, too, if one of these signals the event. */
static void event_settle(struct geo_val_list *list, void *user)
{
    struct settle *settle = user;
    struct order order = {.list = list};
    const uint32_t begin = window_begin(list);
    bool found = false;
    for (uint32_t i = begin; i < list->record.count; i++) {
        if (list->record.commands[i].signal == settle->events[settle->next]) {
            order_mark(&order, i);
            found = true;
        }
    }
    for (uint32_t i = 0; found && i < list->record.count; i++) {
        if (i < begin || order.before[i - begin]) {
            command_settle(&list->record.commands[i], settle);
        }
    }
}

static void settle_run(struct settle *settle)
{
    for (; settle->next < settle->count; settle->next++) {
        geo_val_model_lists_each(event_settle, settle);
    }
}

void geo_val_hazards_settle_event(const void *event)
{
    struct settle settle = {.count = 0};
    settle_add(&settle, event);
    settle_run(&settle);
}

void geo_val_hazards_settle_list(struct geo_val_list *list, uint32_t end)
{
    struct settle settle = {.count = 0};
    for (uint32_t i = 0; i < list->record.count; i++) {
        if (list->record.commands[i].number < end) {
            command_settle(&list->record.commands[i], &settle);
        }
    }
    settle_run(&settle);
}
