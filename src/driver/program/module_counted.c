/* Builds kernels with counters. See module_counted.h. */
#include "driver/program/module_counted.h"

#include "base/lock.h"
#include "base/log.h"
#include "driver/program/module_kernels.h"

#include <stdlib.h>

#define LOG_BYTES (1u << 16)

struct counted_kernel {
    struct geo_work_lock lock; /* held during the build */
    /* set once, with a reference to the set of its code */
    _Atomic(const struct geo_backend_kernel *) code;
    _Atomic bool tried;          /* there will be no other build */
    struct geo_module_code *set; /* protected by the lock */
};

struct geo_module_counted {
    uint32_t count;
    struct counted_kernel kernels[];
};

/* Returns the module's kernels with counters, or NULL without memory. */
static struct geo_module_counted *counted_get(struct geo_module *module)
{
    struct geo_module_counted *counted = atomic_load(&module->counted), *mine;
    const uint32_t count = module->binary->view.header->kernel_count;
    if (counted) {
        return counted;
    }
    mine = calloc(1, sizeof(*mine) + count * sizeof(mine->kernels[0]));
    if (mine) {
        mine->count = count;
        if (atomic_compare_exchange_strong(&module->counted, &counted, mine)) {
            return mine;
        }
        free(mine);
    }
    return counted;
}

void geo_module_counted_destroy(struct geo_module *module)
{
    struct geo_module_counted *counted = atomic_load(&module->counted);
    for (uint32_t i = 0; counted && i < counted->count; i++) {
        geo_module_code_unref(counted->kernels[i].set);
    }
    free(counted);
}

/* Builds and loads a kernel. Its lock is held. */
static void kernel_build(struct geo_module *module, uint32_t number, struct counted_kernel *kernel)
{
    const struct geo_native_view *view = &geo_module_part(module)->native->view;
    const char *name = geo_native_string(view, view->kernels[number].name);
    struct geo_module_code *set = NULL;
    struct geo_strbuf log;
    uint32_t at = 0;
    GEO_ASSERT(geo_work_lock_held(&kernel->lock) && !kernel->set);
    geo_strbuf_init(&log, LOG_BYTES);
    log.shown = true;
    if (module->binary->view.header->source_count == 0) {
        geo_log("driver", GEO_LOG_WARN, "kernel %s counts no operations: its module has no SPIR-V",
                name);
    } else if (geo_module_kernels_build(module, GEO_MODULE_KERNELS_COUNTED, 1, &name, &set, &at,
                                        &log) == ZE_RESULT_SUCCESS) {
        kernel->set = set;
        atomic_store_explicit(&kernel->code, set->ops->kernel(set->parts[0].program, at),
                              memory_order_release);
    } else {
        geo_log("driver", GEO_LOG_WARN, "kernel %s counts no operations: %.300s", name,
                log.length ? geo_strbuf_text(&log) : "it did not build");
    }
    geo_strbuf_finish(&log);
    atomic_store(&kernel->tried, true);
}

const struct geo_backend_kernel *geo_module_counted_kernel(struct geo_module *module,
                                                           uint32_t number)
{
    struct geo_module_counted *counted = counted_get(module);
    if (!counted) {
        return NULL;
    }
    GEO_ASSERT(number < counted->count);
    struct counted_kernel *kernel = &counted->kernels[number];
    if (!atomic_load(&kernel->tried)) {
        geo_work_lock_acquire(&kernel->lock);
        if (!atomic_load(&kernel->tried)) {
            kernel_build(module, number, kernel);
        }
        geo_work_lock_release(&kernel->lock);
    }
    return atomic_load_explicit(&kernel->code, memory_order_acquire);
}
