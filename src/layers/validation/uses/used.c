/* Checks the items that commands use. See used.h. */
#include "layers/validation/uses/used.h"
#include "layers/validation/address/mappings.h"
#include "layers/validation/address/ranges.h"
#include "layers/validation/address/system_memory.h"
#include "layers/validation/objects/devices.h"
#include "layers/validation/objects/plan.h"
#include "layers/validation/uses/arguments.h"
#include "layers/validation/uses/images.h"
#include "layers/validation/uses/pools.h"

#include <stdarg.h>
#include <stdio.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

/* --- messages --- */

/* Prints the name of an item: "srcptr", "pRanges[2]", "argument 3 of hKernel". */
static void name_format(const struct geo_val_used *used, enum geo_ddi_function_id function,
                        char *text, size_t size)
{
    const char *name = geo_ddi_function_params(&geo_ddi_functions[function])[used->param].name;
    if (used->argument >= 0) {
        snprintf(text, size, "argument %d of %s", used->argument, name);
    } else if (used->index >= 0) {
        snprintf(text, size, "%s[%d]", name, used->index);
    } else {
        snprintf(text, size, "%s", name);
    }
}

static __attribute__((format(printf, 5, 6))) void
used_tell(const struct geo_val_used *used, struct geo_val_met *met, enum geo_val_message message,
          const struct geo_val_history *history, const char *format, ...)
{
    char name[96], text[256], command[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    met->told = true;
    name_format(used, met->replayed ? met->function : met->call->id, name, sizeof(name));
    const struct geo_val_place place = {.call = met->call,
                                        .argument = met->replayed ? met->argument : name,
                                        .handle = used->handle,
                                        .history = history};
    if (!met->replayed) {
        geo_val_tell(message, &place, "%p %s", used->handle, text);
        return;
    }
    snprintf(command, sizeof(command), "command %u of %s %p, %s, uses %p as %s, which", met->number,
             met->recorded ? "graph" : "list", met->holder, geo_ddi_functions[met->function].name,
             used->handle, name);
    geo_val_tell(message, &place, "%s %s", command, text);
}

/* Refuses the call because the device would access invalid memory. Items of kernel arguments do not
 * refuse it, because the kernel may not access them. */
static void refuse(const struct geo_val_used *used, struct geo_val_met *met, ze_result_t result)
{
    if (!used->maybe && !used->host) {
        met->answer = geo_val_refusal(result);
    }
}

/* --- memory --- */

/* Returns the context of the call's first object, or of the list that contains the command. */
static uintptr_t list_context(const struct geo_val_met *met)
{
    const struct geo_val_step *step = geo_val_plans[met->call->id].steps;
    const struct geo_val_object *object =
        met->list ? geo_val_data_kind_object(GEO_VAL_LIST, met->list)
                  : geo_val_object_find(step->type, ARGUMENT(met->call, step->param, void *));
    return object ? atomic_load_explicit(&object->context, memory_order_relaxed) : 0;
}

/* Returns the context that an item must belong to. For an argument it is the kernel's context. The
 * lifetime check reports a kernel that belongs to another context than the list. */
static uintptr_t context_of(const struct geo_val_used *used, const struct geo_val_met *met)
{
    if (used->context != 0) {
        return used->context;
    }
    return met->recorded ? 0 : list_context(met);
}

/* Checks that reserved addresses have memory, for a command that may run. */
static void reserved_check(const struct geo_val_used *used, struct geo_val_met *met,
                           const struct geo_val_range *range, size_t span)
{
    if (range->releaser != GEO_DDI_FN_zeVirtualMemFree || !met->runs || used->host || used->maybe) {
        return;
    }
    const size_t reach = geo_val_mapping_reach(used->bytes.base, span);
    if (reach >= span) {
        return;
    }
    if (reach == 0) {
        used_tell(
            used, met,
            used->backed && met->replayed ? GEO_VAL_FREED_MEMORY : GEO_VAL_UNKNOWN_MEMORY,
            &range->history,
            "is a reserved address with no memory behind it: zeVirtualMemMap puts some there");
    } else {
        used_tell(used, met, GEO_VAL_OUT_OF_RANGE, &range->history,
                  "is used with %zu bytes, and only %zu from there have memory behind them: "
                  "zeVirtualMemMap puts some there",
                  span, reach);
    }
    refuse(used, met, ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

static void range_check(const struct geo_val_used *used, struct geo_val_met *met,
                        const struct geo_val_range *range)
{
    const uintptr_t end = range->base + range->size;
    const size_t room = used->bytes.base < end ? end - used->bytes.base : 0;
    const size_t span = geo_val_box_bytes_span(&used->bytes);
    if (range->size > 1 && span > room && !used->maybe) {
        used_tell(used, met, GEO_VAL_OUT_OF_RANGE, &range->history,
                  "and %zu bytes from %zu on: its allocation has %zu left of %zu", span,
                  (size_t)(used->bytes.base - (uintptr_t)used->handle), room, range->size);
        return;
    }
    const uintptr_t context = context_of(used, met);
    if (context != 0 && context != range->context && !used->guess) {
        used_tell(used, met, GEO_VAL_OTHER_CONTEXT_MEMORY, &range->history,
                  "belongs to context %p, not %p", (void *)range->context, (void *)context);
        return;
    }
    reserved_check(used, met, range, span);
}

static void memory_check(const struct geo_val_used *used, struct geo_val_met *met)
{
    struct geo_val_range range;
    if (!geo_val_on(GEO_VAL_MEMORY)) {
        return;
    }
    if (!geo_val_range_find((uintptr_t)used->handle, &range)) {
        if (used->host || used->maybe || met->replayed || !geo_val_memory_is_unseen(met->list)) {
            return;
        }
        used_tell(used, met, GEO_VAL_UNKNOWN_MEMORY, NULL,
                  "is not an allocation, and the device may be unable to access other memory");
        return;
    }
    if (!range.freed) {
        range_check(used, met, &range);
        return;
    }
    if (used->question) {
        return;
    }
    const bool seen = !met->list || !geo_val_memory_is_unseen(met->list);
    if (used->guess || (seen && !geo_val_range_is_empty((uintptr_t)used->handle, &range))) {
        return; /* the application may have reused the address */
    }
    used_tell(used, met, GEO_VAL_FREED_MEMORY, &range.history, "has been freed");
    refuse(used, met, ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* --- images and other objects --- */

static void pixels_check(const struct geo_val_used *used, struct geo_val_met *met)
{
    const struct geo_val_image *image = geo_val_image_of(used->handle);
    for (int i = 0; image && i < image->axes; i++) {
        const uint64_t end = (uint64_t)used->pixels.origin[i] + used->pixels.size[i];
        if (used->pixels.size[i] == UINT32_MAX || end <= image->size[i]) {
            continue;
        }
        used_tell(used, met, GEO_VAL_OUT_OF_RANGE, NULL,
                  "has %u pixels along axis %d, and the region goes to %llu", image->size[i], i,
                  (unsigned long long)end);
        return;
    }
    return;
}

/* Checks that a stored object is still alive. Handles of the call itself are checked by
 * lifetime.c. */
static void object_check(const struct geo_val_used *used, struct geo_val_met *met)
{
    const struct geo_val_object *object = geo_val_object_find(used->type, used->handle);
    if (!object || used->life == 0 || !geo_val_on(GEO_VAL_LIFETIME)) {
        return;
    }
    const uint64_t life = atomic_load_explicit(&object->life, memory_order_acquire);
    const struct geo_val_history history = geo_val_object_history(object);
    if (life >> 2 != used->life || geo_val_object_life_state(life) != GEO_VAL_ALIVE) {
        const bool again = life >> 2 != used->life; /* the history is that of another object */
        used_tell(used, met, GEO_VAL_DESTROYED_HANDLE, again ? NULL : &history,
                  "has been destroyed");
        refuse(used, met, ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        return;
    }
    const uintptr_t own = atomic_load_explicit(&object->context, memory_order_relaxed);
    const uintptr_t context = context_of(used, met);
    if (used->argument < 0 || own == 0 || context == 0 || own == context) {
        return;
    }
    used_tell(used, met, GEO_VAL_OTHER_CONTEXT, &history,
              "belongs to context %p, and the kernel to %p", (void *)own, (void *)context);
}

/* Checks that the event's pool was created for the list's device. */
static void event_device_check(const struct geo_val_used *used, struct geo_val_met *met)
{
    const struct geo_val_event *event = geo_val_pools_event(used->handle);
    const struct geo_val_object *list = geo_val_data_kind_object(GEO_VAL_LIST, met->list);
    const ze_device_handle_t device =
        list ? (ze_device_handle_t)atomic_load_explicit(&list->device, memory_order_relaxed) : NULL;
    if (!event || !event->pool || !device || geo_val_pool_serves(event->pool, device)) {
        return;
    }
    used_tell(used, met, GEO_VAL_OTHER_DEVICE, NULL,
              "is of a pool that was made for other devices than %p, which the list is for",
              (void *)device);
}

/* Checks that a kernel or sampler belongs to the list's device. */
static void device_check(const struct geo_val_used *used, struct geo_val_met *met)
{
    const struct geo_val_object *object = geo_val_object_find(used->type, used->handle);
    const struct geo_val_object *list = geo_val_data_kind_object(GEO_VAL_LIST, met->list);
    if (!geo_val_data_kind_is(GEO_VAL_KERNEL, used->type) &&
        !geo_val_data_kind_is(GEO_VAL_SAMPLER, used->type)) {
        return;
    }
    if (!object || !list || !geo_val_devices_apart(object, list)) {
        return;
    }
    const struct geo_val_history history = geo_val_object_history(object);
    used_tell(used, met, GEO_VAL_OTHER_DEVICE, &history,
              "was made for device %p, and the list is for %p",
              (void *)atomic_load(&object->device), (void *)atomic_load(&list->device));
}

void geo_val_used_check(const struct geo_val_used *used, struct geo_val_met *met)
{
    const bool looked_at = met->replayed || used->argument >= 0;
    switch ((enum geo_val_used_kind)used->kind) {
    case GEO_VAL_USED_MEMORY:
        memory_check(used, met);
        break;
    case GEO_VAL_USED_IMAGE:
        if (looked_at) {
            object_check(used, met);
        }
        if (!met->replayed && !met->told && geo_val_on(GEO_VAL_MEMORY)) {
            pixels_check(used, met);
        }
        break;
    case GEO_VAL_USED_EVENT:
        if (met->replayed && !met->recorded) {
            object_check(used, met);
        }
        if (!met->replayed && geo_val_on(GEO_VAL_COMMANDS)) {
            event_device_check(used, met);
        }
        break;
    case GEO_VAL_USED_OBJECT:
        if (looked_at && !(met->recorded && used->argument < 0)) {
            object_check(used, met);
        }
        if (!met->replayed && geo_val_on(GEO_VAL_COMMANDS)) {
            device_check(used, met);
        }
        break;
    }
}

/* --- calls --- */

struct visit {
    struct geo_val_met met;
    /* The first item of each kind that is not a kernel argument. */
    struct geo_val_used read, written;
    bool has_read, has_written;
};

static void used_visit(const struct geo_val_used *used, void *user)
{
    struct visit *visit = user;
    geo_val_used_check(used, &visit->met);
    const bool place = used->kind == GEO_VAL_USED_MEMORY || used->kind == GEO_VAL_USED_IMAGE;
    if (!place || used->maybe) {
        return;
    }
    if (used->writes && !visit->has_written) {
        visit->written = *used;
        visit->has_written = true;
    } else if (used->reads && !visit->has_read) {
        visit->read = *used;
        visit->has_read = true;
    }
}

static void overlap_check(struct visit *visit)
{
    const struct geo_val_used *to = &visit->written, *from = &visit->read;
    char name[96];
    if (!visit->has_read || !visit->has_written || to->kind != from->kind ||
        !geo_val_on(GEO_VAL_MEMORY)) {
        return;
    }
    if (to->kind == GEO_VAL_USED_MEMORY
            ? !geo_val_box_bytes_meet(&to->bytes, &from->bytes)
            : to->handle != from->handle || !geo_val_box_pixels_meet(&to->pixels, &from->pixels)) {
        return;
    }
    name_format(from, visit->met.call->id, name, sizeof(name));
    if (to->kind == GEO_VAL_USED_MEMORY) {
        used_tell(to, &visit->met, GEO_VAL_OVERLAPPING_COPY, NULL,
                  "and %s %p, %zu bytes each, overlap", name, from->handle,
                  geo_val_box_bytes_span(&to->bytes));
    } else {
        used_tell(to, &visit->met, GEO_VAL_OVERLAPPING_COPY, NULL,
                  "is written where %s is read: it is the same image", name);
    }
}

ze_result_t geo_val_used_call_check(const struct geo_layer_call *call,
                                    ze_command_list_handle_t list, bool runs)
{
    struct visit visit = {.met = {.call = call, .list = list, .runs = runs}};
    geo_val_uses_each(call, used_visit, &visit);
    geo_val_arguments_each(call, used_visit, &visit);
    overlap_check(&visit);
    return visit.met.answer;
}
