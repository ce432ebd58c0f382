/* Builds complete kernels and the complete binaries of modules. See module_complete.h. */
#include "driver/program/module_complete.h"

#include "base/lock.h"
#include "driver/program/link.h"

#include <stdlib.h>
#include <string.h>

#define LOG_BYTES (1u << 20)

/* A kernel whose first code may be restricted. */
struct complete_kernel {
    struct geo_work_lock lock; /* held during the build */
    /* set once, with a reference to the set of its code */
    _Atomic(const struct geo_backend_kernel *) code;
    struct geo_module_code *set; /* protected by the lock */
    char *problem; /* why the kernel does not build; NULL: not known. Protected by the lock */
};

struct geo_module_complete {
    struct geo_build_log *log;       /* referenced; NULL: the application has none */
    struct geo_work_lock lock;       /* held during the build of the whole module */
    struct geo_module_binary *whole; /* referenced; set once, protected by the lock */
    uint32_t count;
    struct complete_kernel kernels[];
};

ze_result_t geo_module_complete_create(struct geo_module *module)
{
    const uint32_t count = module->binary->view.header->kernel_count;
    if (module->complete) { /* a link failed after this step, and is tried again */
        GEO_ASSERT(module->complete->count == count);
        return ZE_RESULT_SUCCESS;
    }
    module->complete =
        calloc(1, sizeof(*module->complete) + count * sizeof(module->complete->kernels[0]));
    if (!module->complete) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a module");
    }
    module->complete->count = count;
    return ZE_RESULT_SUCCESS;
}

void geo_module_complete_destroy(struct geo_module *module)
{
    struct geo_module_complete *complete = module->complete;
    for (uint32_t i = 0; complete && i < complete->count; i++) {
        geo_module_code_unref(complete->kernels[i].set);
        free(complete->kernels[i].problem);
    }
    if (complete) {
        geo_module_binary_unref(complete->whole);
        geo_object_unref(complete->log ? &complete->log->base : NULL);
    }
    free(complete);
}

/* ---- the application's log ---- */

void geo_module_complete_set_log(struct geo_module *module, struct geo_build_log *log)
{
    if (module->complete) {
        GEO_ASSERT(!module->complete->log);
        geo_object_ref(&log->base);
        module->complete->log = log;
    }
}

void geo_module_complete_add_log(const struct geo_module *module, const char *what,
                                 const char *name, const char *text)
{
    struct geo_strbuf more;
    if (module->complete->log && text[0]) {
        geo_strbuf_init(&more, 2 * LOG_BYTES);
        more.shown = true;
        geo_strbuf_printf(&more, "note: %s%s:\n", what, name);
        geo_strbuf_add(&more, text, strlen(text));
        geo_build_log_add(module->complete->log, geo_strbuf_text(&more), more.length);
        geo_strbuf_finish(&more);
    }
}

/* ---- one kernel ---- */

static const char *kernel_name(const struct geo_module *module, uint32_t number)
{
    const struct geo_native_view *view = &geo_module_part(module)->native->view;
    return geo_native_string(view, view->kernels[number].name);
}

static ze_result_t kernel_fail(const char *name, const char *problem)
{
    return geo_fail(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
                    "the launch needs the complete code of kernel \"%.100s\", which did not build: "
                    "%.300s",
                    name, problem);
}

/* Builds and loads a kernel. Its lock is held. The first build has logged the same notes, so only
 * the log of a failure is reported. */
static ze_result_t kernel_build(struct geo_module *module, uint32_t number)
{
    struct complete_kernel *kernel = &module->complete->kernels[number];
    const char *name = kernel_name(module, number);
    struct geo_module_code *set = NULL;
    struct geo_strbuf log;
    uint32_t at = 0;
    GEO_ASSERT(geo_work_lock_held(&kernel->lock) && !kernel->set);
    geo_strbuf_init(&log, LOG_BYTES);
    log.shown = true;
    ze_result_t result =
        geo_module_kernels_build(module, GEO_MODULE_KERNELS_COMPLETE, 1, &name, &set, &at, &log);
    if (result == ZE_RESULT_SUCCESS) {
        kernel->set = set;
        atomic_store_explicit(&kernel->code, set->ops->kernel(set->parts[0].program, at),
                              memory_order_release);
    } else {
        geo_module_complete_add_log(module, "the build of the complete kernel ", name,
                                    geo_strbuf_text(&log));
    }
    if (geo_module_kernels_is_final(result)) {
        size_t length;
        if (log.length == 0) {
            geo_strbuf_printf(&log, "no reason given");
        }
        kernel->problem = geo_strbuf_take(&log, &length);
        result = kernel_fail(name, kernel->problem ? kernel->problem : "");
    }
    geo_strbuf_finish(&log);
    return result;
}

ze_result_t geo_module_complete_kernel(struct geo_module *module, uint32_t number,
                                       const struct geo_backend_kernel **out)
{
    GEO_ASSERT(module->complete && number < module->complete->count);
    struct complete_kernel *kernel = &module->complete->kernels[number];
    ze_result_t result = ZE_RESULT_SUCCESS;
    *out = atomic_load_explicit(&kernel->code, memory_order_acquire);
    if (!*out) {
        geo_work_lock_acquire(&kernel->lock);
        if (kernel->problem) {
            result = kernel_fail(kernel_name(module, number), kernel->problem);
        } else if (!kernel->set) {
            result = kernel_build(module, number);
        }
        *out = atomic_load_explicit(&kernel->code, memory_order_relaxed);
        geo_work_lock_release(&kernel->lock);
    }
    GEO_ASSERT(result != ZE_RESULT_SUCCESS || *out);
    return result;
}

/* ---- the whole module ---- */

/* Builds the module with all kernels. The lock is held. */
static ze_result_t whole_build(struct geo_module *module)
{
    struct geo_strbuf log;
    GEO_ASSERT(geo_work_lock_held(&module->complete->lock));
    geo_strbuf_init(&log, LOG_BYTES);
    log.shown = true;
    struct geo_link link = {.log = &log};
    struct geo_link_member member = {.module = module};
    ze_result_t result = geo_module_link_build_again(&link, &member, GEO_MODULE_KERNELS_COMPLETE, 0,
                                                     NULL, &module->complete->whole);
    free(member.units);
    geo_module_complete_add_log(module, "the build of all kernels", "", geo_strbuf_text(&log));
    if (geo_module_kernels_is_final(result)) {
        result = geo_fail(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
                          "not all kernels of the module build, so it has no native binary: %.300s",
                          log.length ? geo_strbuf_text(&log) : "no reason given");
    }
    geo_strbuf_finish(&log);
    return result;
}

ze_result_t geo_module_complete_binary(struct geo_module *module,
                                       const struct geo_module_binary **binary)
{
    struct geo_module_complete *complete = module->complete;
    ze_result_t result = ZE_RESULT_SUCCESS;
    *binary = module->binary;
    if (complete && !module->import_count) {
        geo_work_lock_acquire(&complete->lock);
        if (!complete->whole) {
            result = whole_build(module);
        }
        *binary = complete->whole;
        geo_work_lock_release(&complete->lock);
    }
    return result;
}
