/* Finds simultaneous use: two threads in calls that need exclusive use of one object (`alone` in
 * the registry), and an object that is destroyed during another thread's call.
 *
 * A call with exclusive use stores its thread in the object's record and removes it afterwards. A
 * thread that finds another thread there reports it. So every report is of two calls that really
 * overlapped. Devices and drivers are shared by everybody: for them only two calls of the same
 * function are reported. */
#include "layers/validation/objects/objects.h"
#include "layers/validation/objects/plan.h"

static uint64_t holder_of(const struct geo_layer_call *call)
{
    return (uint64_t)geo_val_report_thread() << 16 | call->id;
}

static void simultaneous_tell(const struct geo_layer_call *call, const struct geo_val_step *step,
                              size_t index, const struct geo_val_object *object,
                              enum geo_val_message message, uint64_t other)
{
    char name[64];
    const struct geo_val_history history = geo_val_object_history(object);
    const struct geo_val_place place = {
        .call = call,
        .argument = geo_val_step_name(call, step, index, name, sizeof(name)),
        .handle = geo_val_object_handle(object),
        .history = &history};
    if (other != 0) {
        geo_val_tell(message, &place, "%p is in use by %s in thread %u, this is thread %u",
                     geo_val_object_handle(object), geo_ddi_functions[other & 0xffff].name,
                     (unsigned)(other >> 16), geo_val_report_thread());
    } else {
        geo_val_tell(message, &place, "%p is in use by another thread, this is thread %u",
                     geo_val_object_handle(object), geo_val_report_thread());
    }
}

/* Returns whether two calls with exclusive use of the object conflict. */
static bool collide(const struct geo_val_step *step, uint64_t one, uint64_t other)
{
    return one >> 16 != other >> 16 &&
           (geo_val_type_ends[step->type] || (one & 0xffff) == (other & 0xffff));
}

static void object_enter(const struct geo_layer_call *call, const struct geo_val_step *step,
                         size_t index, struct geo_val_object *object)
{
    const uint64_t own = holder_of(call);
    uint64_t holder = 0;
    if (step->action == GEO_VAL_END) {
        holder = atomic_load(&object->holder);
        if (atomic_load(&object->users) > 0 || (holder != 0 && holder >> 16 != own >> 16)) {
            simultaneous_tell(call, step, index, object, GEO_VAL_DESTROYED_WHILE_USED, holder);
        }
    } else if (!step->alone) {
        if (geo_val_type_ends[step->type]) {
            atomic_fetch_add(&object->users, 1);
        }
    } else if (!atomic_compare_exchange_strong(&object->holder, &holder, own) &&
               collide(step, own, holder)) {
        simultaneous_tell(call, step, index, object, GEO_VAL_SIMULTANEOUS_USE, holder);
    }
}

static void object_leave(const struct geo_layer_call *call, const struct geo_val_step *step,
                         struct geo_val_object *object)
{
    uint64_t own = holder_of(call);
    if (step->action == GEO_VAL_END) {
        return;
    }
    if (step->alone) {
        atomic_compare_exchange_strong(&object->holder, &own, 0);
    } else if (geo_val_type_ends[step->type]) {
        atomic_fetch_sub(&object->users, 1);
    }
}

/* Returns the object of a handle in a call, or NULL. Records are never freed, so it is the same
 * before and after the call. */
static struct geo_val_object *step_object(const struct geo_val_step *step, const void *handle)
{
    return handle ? geo_val_object_find(step->type, handle) : NULL;
}

static ze_result_t threads_before(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    const struct geo_val_plan *plan = &geo_val_plans[call->id];
    for (size_t i = 0; i < plan->use_count; i++) {
        size_t count;
        void *const *handles = geo_val_step_handles(call, &plan->steps[i], &count);
        for (size_t k = 0; k < count; k++) {
            struct geo_val_object *object = step_object(&plan->steps[i], handles[k]);
            if (object) {
                object_enter(call, &plan->steps[i], k, object);
            }
        }
    }
    return ZE_RESULT_SUCCESS;
}

static void threads_after(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    const struct geo_val_plan *plan = &geo_val_plans[call->id];
    for (size_t i = 0; i < plan->use_count; i++) {
        size_t count;
        void *const *handles = geo_val_step_handles(call, &plan->steps[i], &count);
        for (size_t k = 0; k < count; k++) {
            struct geo_val_object *object = step_object(&plan->steps[i], handles[k]);
            if (object) {
                object_leave(call, &plan->steps[i], object);
            }
        }
    }
}

static bool threads_wants(const struct geo_ddi_function *function)
{
    return geo_val_on(GEO_VAL_THREADS) && geo_val_plans[function - geo_ddi_functions].use_count > 0;
}

const struct geo_layer_part geo_val_part_threads = {
    .name = "threads", .wants = threads_wants, .before = threads_before, .after = threads_after};
