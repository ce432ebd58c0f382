/* Checks lifetimes of handles. Every handle passed to a call must be that of a live object of the
 * right type. The objects of a call must belong to one context. An object must not be destroyed
 * before objects created from it.
 *
 * The part maintains the records (objects.h) for all checks that need them, and reports errors only
 * if the lifetime check is on. It reports nothing for handle types that no call has returned,
 * because the loader may have fetched those handles itself. It also reports nothing once the
 * application uses functions that the layer does not know, because they may create objects. */
#include "layers/validation/objects/objects.h"
#include "layers/validation/objects/plan.h"

#include <stdio.h>
#include <string.h>

static atomic_bool seen[GEO_DDI_HANDLE_COUNT]; /* a call has returned a handle of this type */
/* There may be objects that the layer does not know. */
static atomic_bool incomplete;

/* --- messages --- */

struct use {
    struct geo_layer_call *call;
    const struct geo_val_step *step;
    size_t index;
    void *handle;
    struct geo_val_object *object; /* NULL: not known */
};

static void use_tell(const struct use *use, enum geo_val_message message, const char *text)
{
    char name[64];
    const struct geo_val_history history =
        use->object ? geo_val_object_history(use->object) : (struct geo_val_history){0};
    const struct geo_val_place place = {
        .call = use->call,
        .argument = geo_val_step_name(use->call, use->step, use->index, name, sizeof(name)),
        .handle = use->handle,
        .history = use->object ? &history : NULL};
    geo_val_tell(message, &place, "%p %s", use->handle, text);
}

/* Returns a live object of another type with this handle, or NULL. */
static struct geo_val_object *object_of_other_type(const void *handle)
{
    for (unsigned type = 0; type < GEO_DDI_HANDLE_COUNT; type++) {
        struct geo_val_object *object = geo_val_object_find(type, handle);
        if (object && geo_val_object_alive(object)) {
            return object;
        }
    }
    return NULL;
}

/* Creates a record for a handle whose creation the layer has not seen. */
static void adopt(const struct use *use)
{
    struct geo_val_object *object = geo_val_object_take(use->step->type, use->handle);
    if (object) {
        geo_val_object_begin(
            object, &(struct geo_val_birth){.function = GEO_DDI_FUNCTION_COUNT, .lent = true});
    }
}

/* Handles the use of a handle without a live object: reports an error, or assumes that its creation
 * was not seen. */
static ze_result_t judge(struct use *use)
{
    const bool judging = geo_val_on(GEO_VAL_LIFETIME);
    if (use->object && geo_val_object_alive(use->object)) {
        return ZE_RESULT_SUCCESS; /* it was created after the look-up */
    }
    const bool known =
        use->object && geo_val_object_life_state(atomic_load(&use->object->life)) != GEO_VAL_NEVER;
    if (known) {
        if (judging) {
            use_tell(use,
                     use->step->action == GEO_VAL_END ? GEO_VAL_DESTROYED_TWICE
                                                      : GEO_VAL_DESTROYED_HANDLE,
                     "has been destroyed");
        }
        return judging ? geo_val_refusal(ZE_RESULT_ERROR_INVALID_NULL_HANDLE) : ZE_RESULT_SUCCESS;
    }
    struct geo_val_object *other = judging ? object_of_other_type(use->handle) : NULL;
    if (!other && (atomic_load(&incomplete) || !atomic_load(&seen[use->step->type]))) {
        adopt(use);
        return ZE_RESULT_SUCCESS;
    }
    if (!judging) {
        return ZE_RESULT_SUCCESS;
    }
    if (other) {
        char text[96];
        snprintf(text, sizeof(text), "is a handle of the type %s",
                 geo_ddi_handles[geo_val_object_type(other)].name);
        use->object = other;
        use_tell(use, GEO_VAL_WRONG_TYPE, text);
    } else {
        use_tell(use, GEO_VAL_UNKNOWN_HANDLE, "is not a handle that a call has returned");
    }
    return geo_val_refusal(ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

static void context_tell(const struct use *use, uintptr_t context, uintptr_t first)
{
    char text[128];
    snprintf(text, sizeof(text), "belongs to context %p, what stands before it to %p",
             (void *)context, (void *)first);
    use_tell(use, GEO_VAL_OTHER_CONTEXT, text);
}

/* --- build logs: the only objects that a failing call also creates --- */

static bool is_log(const struct geo_val_step *step)
{
    static const char log[] = "ze_module_build_log_handle_t";
    return step->action == GEO_VAL_MADE && strcmp(geo_ddi_handles[step->type].name, log) == 0;
}

/* Sets the place for a build log to NULL before the call, so that a non-NULL handle afterwards is a
 * new log. */
static void log_place_clear(const struct geo_layer_call *call)
{
    const struct geo_val_plan *plan = &geo_val_plans[call->id];
    for (size_t i = plan->use_count; i < plan->count; i++) {
        void **place = *(void ***)call->arguments[plan->steps[i].param];
        if (place && is_log(&plan->steps[i])) {
            *place = NULL;
        }
    }
}

/* --- destruction --- */

struct child_search {
    const struct geo_val_object *parent;
    struct geo_val_object *child;
};

static void child_visit(struct geo_val_object *object, void *user)
{
    struct child_search *search = user;
    if (atomic_load(&object->parent) == search->parent && geo_val_object_alive(object)) {
        search->child = object;
    }
}

static ze_result_t children_tell(struct use *use, int count)
{
    struct child_search search = {.parent = use->object};
    char text[192];
    geo_val_objects_each(child_visit, &search);
    if (!search.child) {
        return ZE_RESULT_SUCCESS; /* another thread has destroyed the last child */
    }
    const struct geo_val_history history = geo_val_object_history(search.child);
    snprintf(text, sizeof(text),
             "is destroyed before %d objects made from it, the %s %p among them", count,
             geo_ddi_handles[geo_val_object_type(search.child)].name,
             geo_val_object_handle(search.child));
    if (count == 1) {
        snprintf(text, sizeof(text), "is destroyed before the %s %p made from it by %s",
                 geo_ddi_handles[geo_val_object_type(search.child)].name,
                 geo_val_object_handle(search.child),
                 history.made.function < GEO_DDI_FUNCTION_COUNT
                     ? geo_ddi_functions[history.made.function].name
                     : "a call that was not seen");
    }
    use_tell(use, GEO_VAL_CHILDREN_ALIVE, text);
    return geo_val_refusal(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

/* Marks an object as borrowed: the application need not destroy it, because the call may destroy it
 * with its parent. */
static void child_lend(struct geo_val_object *object, void *user)
{
    if (atomic_load(&object->parent) == user && geo_val_object_alive(object)) {
        atomic_store(&object->lent, true);
    }
}

/* Starts the destruction of an object. Stores the number of its lifetime in *scratch, or 0. */
static ze_result_t end_begin(struct use *use, void **scratch)
{
    uint64_t life;
    const int children = atomic_load(&use->object->children);
    const bool ends_them = geo_val_plans[use->call->id].ends_children;
    if (children > 0 && ends_them) {
        geo_val_objects_each(child_lend, use->object);
    }
    if (children > 0 && !ends_them && geo_val_on(GEO_VAL_LIFETIME)) {
        const ze_result_t result = children_tell(use, children);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    if (!geo_val_object_ending(use->object, use->call->id, &life)) {
        return judge(use); /* another thread destroys it */
    }
    *scratch = (void *)(uintptr_t)life;
    return ZE_RESULT_SUCCESS;
}

/* --- before --- */

/* Handles the uncommon cases: a handle that is not alive, that is destroyed, or that belongs to
 * another context than the call's. */
static __attribute__((noinline)) ze_result_t handle_look(struct use *use, uintptr_t *context,
                                                         void **scratch)
{
    if (!use->object || !geo_val_object_alive(use->object)) {
        const ze_result_t result = judge(use);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
        use->object = geo_val_object_find(use->step->type, use->handle);
        if (!use->object || !geo_val_object_alive(use->object)) {
            return ZE_RESULT_SUCCESS;
        }
    }
    const uintptr_t own = atomic_load_explicit(&use->object->context, memory_order_relaxed);
    if (own != 0 && *context == 0) {
        *context = own;
    } else if (own != 0 && own != *context && !geo_val_plans[use->call->id].contexts &&
               geo_val_on(GEO_VAL_LIFETIME)) {
        context_tell(use, own, *context);
    }
    return use->step->action == GEO_VAL_END ? end_begin(use, scratch) : ZE_RESULT_SUCCESS;
}

static ze_result_t objects_before(struct geo_layer_call *call, void **scratch)
{
    const struct geo_val_plan *plan = &geo_val_plans[call->id];
    uintptr_t context = 0; /* context of the objects so far */
    for (size_t i = 0; i < plan->use_count; i++) {
        const struct geo_val_step *step = &plan->steps[i];
        size_t count;
        void *const *handles = geo_val_step_handles(call, step, &count);
        for (size_t k = 0; k < count; k++) {
            if (!handles[k]) {
                continue;
            }
            struct geo_val_object *object = geo_val_object_find(step->type, handles[k]);
            if (object && geo_val_object_alive(object) && step->action == GEO_VAL_USE) {
                const uintptr_t own = atomic_load_explicit(&object->context, memory_order_relaxed);
                if (own == 0 || own == context) {
                    continue;
                }
                if (context == 0) {
                    context = own;
                    continue;
                }
            }
            struct use use = {call, step, k, handles[k], object};
            const ze_result_t result = handle_look(&use, &context, scratch);
            if (result != ZE_RESULT_SUCCESS) {
                return result;
            }
        }
    }
    if (plan->makes_log) {
        log_place_clear(call);
    }
    return ZE_RESULT_SUCCESS;
}

/* --- after --- */

static bool is_context(unsigned type)
{
    return strcmp(geo_ddi_handles[type].name, "ze_context_handle_t") == 0;
}

static bool is_device(unsigned type)
{
    return strcmp(geo_ddi_handles[type].name, "ze_device_handle_t") == 0;
}

/* Returns the device that a new object is for: the device that the call names, else the device of
 * the object that it is created from, or 0. */
static uintptr_t device_of(const struct geo_layer_call *call)
{
    const struct geo_val_plan *plan = &geo_val_plans[call->id];
    uintptr_t inherited = 0;
    for (size_t i = 0; i < plan->use_count; i++) {
        const struct geo_val_step *step = &plan->steps[i];
        if (step->array) {
            continue;
        }
        const void *handle = *(void *const *)call->arguments[step->param];
        if (handle && is_device(step->type)) {
            return (uintptr_t)handle;
        }
        const struct geo_val_object *object =
            handle ? geo_val_object_find(step->type, handle) : NULL;
        if (object && inherited == 0) {
            inherited = atomic_load_explicit(&object->device, memory_order_relaxed);
        }
    }
    return inherited;
}

/* Describes a new object: its parent, context and device. */
static struct geo_val_birth birth_of(const struct geo_layer_call *call)
{
    const struct geo_val_plan *plan = &geo_val_plans[call->id];
    struct geo_val_birth birth = {.function = call->id, .device = device_of(call)};
    for (size_t i = 0; i < plan->use_count && birth.context == 0; i++) {
        size_t count;
        void *const *handles = geo_val_step_handles(call, &plan->steps[i], &count);
        struct geo_val_object *object =
            count > 0 && handles[0] ? geo_val_object_find(plan->steps[i].type, handles[0]) : NULL;
        if (!object) {
            continue;
        }
        birth.context = atomic_load_explicit(&object->context, memory_order_relaxed);
        if (!birth.parent && !plan->steps[i].array && geo_val_type_ends[plan->steps[i].type]) {
            birth.parent = object;
        }
    }
    if (plan->view_of >= 0) {
        const struct geo_val_step *step = &plan->steps[plan->view_of];
        birth.parent =
            geo_val_object_find(step->type, *(void *const *)call->arguments[step->param]);
    }
    if (plan->sibling && birth.parent) {
        birth.parent = atomic_load(&birth.parent->parent);
    }
    return birth;
}

static void remember(const struct geo_layer_call *call, unsigned type, void *handle, bool made)
{
    if (!handle) {
        return;
    }
    struct geo_val_object *object = geo_val_object_take(type, handle);
    atomic_store_explicit(&seen[type], true, memory_order_relaxed);
    if (!object) {
        atomic_store(&incomplete, true);
        return;
    }
    if (!made && geo_val_object_alive(object)) {
        return;
    }
    struct geo_val_birth birth = birth_of(call);
    birth.lent = !made;
    if (!made) {
        birth.parent = NULL;
        birth.device = 0;
    }
    if (is_context(type)) {
        birth.context = (uintptr_t)handle;
    }
    geo_val_object_begin(object, &birth);
}

/* Replaces the address of an extension function by the layer's function if the layer knows it.
 * Otherwise the application may create objects that the layer does not see. */
static void extension_address_replace(const struct geo_layer_call *call)
{
    const char *name = *(const char *const *)call->arguments[1];
    void **address = *(void ***)call->arguments[2];
    const struct geo_ddi_function *function = geo_ddi_function_find(name);
    const geo_layer_fn *given =
        function ? geo_ddi_table_of(&geo_layer_given, (enum geo_ddi_table_id)function->table)
                 : NULL;
    if (given && given[function->slot]) {
        memcpy(address, &given[function->slot], sizeof(*address));
    } else if (strstr(name, "Create") || strstr(name, "Open") || strstr(name, "Import")) {
        atomic_store(&incomplete, true); /* such as zexCounterBasedEventCreate2 */
    }
}

static void objects_after(struct geo_layer_call *call, void **scratch)
{
    const struct geo_val_plan *plan = &geo_val_plans[call->id];
    const bool succeeded = geo_layer_succeeded(call);
    if (*scratch) { /* the destruction is the last step before the call */
        const struct geo_val_step *step = &plan->steps[plan->use_count - 1];
        struct geo_val_object *object =
            geo_val_object_find(step->type, *(void *const *)call->arguments[step->param]);
        geo_val_object_ended(object, (uint64_t)(uintptr_t)*scratch, succeeded);
    }
    const struct geo_ddi_function *function = &geo_ddi_functions[call->id];
    for (size_t i = plan->use_count; i < plan->count && !call->refused; i++) {
        const struct geo_val_step *step = &plan->steps[i];
        if (!succeeded && !(plan->makes_log && is_log(step))) {
            continue;
        }
        size_t count;
        void *const *handles = geo_val_step_handles(call, step, &count);
        for (size_t k = 0; k < count; k++) {
            remember(call, step->type, handles[k], step->action == GEO_VAL_MADE);
        }
    }
    if (function->returned >= 0 && succeeded) {
        remember(call, (unsigned)function->returned, *(void *const *)call->result, false);
    }
    if (call->id == GEO_DDI_FN_zeDriverGetExtensionFunctionAddress && succeeded) {
        extension_address_replace(call);
    }
}

/* Returns whether a call can create or destroy objects. The part then also sees it on its
 * return. */
static bool changes_lives(const struct geo_ddi_function *function)
{
    const struct geo_val_plan *plan = &geo_val_plans[function - geo_ddi_functions];
    return plan->count > plan->use_count || function->returned >= 0 ||
           (plan->use_count > 0 && plan->steps[plan->use_count - 1].action == GEO_VAL_END) ||
           strcmp(function->name, "zeDriverGetExtensionFunctionAddress") == 0;
}

static bool objects_needed(void)
{
    return geo_val_on(GEO_VAL_LIFETIME) || geo_val_on(GEO_VAL_LEAKS) ||
           geo_val_on(GEO_VAL_THREADS) || geo_val_on(GEO_VAL_MEMORY) ||
           geo_val_on(GEO_VAL_COMMANDS) || geo_val_on(GEO_VAL_EVENTS);
}

static bool objects_want(const struct geo_ddi_function *function)
{
    return objects_needed() && changes_lives(function);
}

static bool uses_want(const struct geo_ddi_function *function)
{
    return objects_needed() && !changes_lives(function) &&
           geo_val_plans[function - geo_ddi_functions].use_count > 0;
}

const struct geo_layer_part geo_val_part_objects = {
    .name = "objects", .wants = objects_want, .before = objects_before, .after = objects_after};
/* The same for calls that only use objects, which need nothing on their return. */
const struct geo_layer_part geo_val_part_uses = {
    .name = "uses", .wants = uses_want, .before = objects_before};

/* --- leaks --- */

static void leak_visit(struct geo_val_object *object, void *user)
{
    (void)user;
    const unsigned type = geo_val_object_type(object);
    if (!geo_val_object_alive(object) || atomic_load(&object->lent) || !geo_val_type_ends[type]) {
        return;
    }
    const struct geo_val_history history = geo_val_object_history(object);
    if (geo_val_report_before_fork(&history.made)) {
        return;
    }
    const struct geo_val_place place = {.handle = geo_val_object_handle(object),
                                        .history = &history};
    geo_val_tell(GEO_VAL_LEAK, &place, "the %s %p was not destroyed", geo_ddi_handles[type].name,
                 geo_val_object_handle(object));
}

void geo_val_lifetime_tell(void)
{
    geo_val_objects_each(leak_visit, NULL);
}
