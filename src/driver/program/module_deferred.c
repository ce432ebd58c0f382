/* Builds kernels when they are created. See module_deferred.h.
 *
 * A kernel is built from the module's sources, which are in its binary, and from those of the
 * modules that it is linked with. Its code is loaded as a set of its own and bound to the variables
 * of these modules. The same is done for a function whose address a program asks for
 * (module_function.c). */
#include "driver/program/module_deferred.h"

#include "base/lock.h"
#include "base/log.h"
#include "driver/compile/build.h"
#include "driver/program/module_complete.h"
#include "driver/program/module_kernels.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define LOG_BYTES (1u << 20)

/* A deferred kernel. */
struct deferred_kernel {
    struct geo_work_lock lock;              /* held during the build */
    _Atomic(struct geo_module_part *) part; /* set once, with a reference to its set */
    uint32_t number;                        /* of the kernel in that part; set before it */
    char *problem; /* why the kernel does not build; NULL: not known. Protected by the lock */
    /* log of a build ahead, until a program creates the kernel; written under the lock */
    _Atomic(char *) untold;
    bool tried; /* by geo_module_deferred_next, which alone uses it */
};

struct geo_module_deferred {
    _Atomic uint32_t newest;  /* the kernel behind the one that was created last */
    _Atomic uint32_t repeats; /* builds that compiled functions which other kernels call, too */
    _Atomic bool apart;       /* a group did not build: from now on kernels are built alone */
    uint32_t count;
    struct deferred_kernel kernels[];
};

ze_result_t geo_module_deferred_create(struct geo_module *module,
                                       const struct geo_module_binary *binary)
{
    const uint32_t count = binary->view.header->kernel_count;
    GEO_ASSERT(geo_module_binary_defers(binary) && !geo_module_part(module));
    if (module->deferred) { /* a link failed after this step, and is tried again */
        GEO_ASSERT(module->deferred->count == count);
        return ZE_RESULT_SUCCESS;
    }
    module->deferred =
        calloc(1, sizeof(*module->deferred) + count * sizeof(module->deferred->kernels[0]));
    if (!module->deferred) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a module");
    }
    module->deferred->count = count;
    return ZE_RESULT_SUCCESS;
}

void geo_module_deferred_destroy(struct geo_module *module)
{
    struct geo_module_deferred *deferred = module->deferred;
    for (uint32_t i = 0; deferred && i < deferred->count; i++) {
        struct geo_module_part *part = atomic_load(&deferred->kernels[i].part);
        geo_module_code_unref(part ? part->code : NULL);
        free(deferred->kernels[i].problem);
        free(atomic_load(&deferred->kernels[i].untold));
    }
    free(deferred);
}

/* ---- groups ----
 *
 * Functions that are not inlined are compiled with each kernel that calls them. So the more such
 * builds a module has had, the more kernels are built together: one, 4, 16, 64. */

#define GROUP_MAX    64u
#define CALLED_BYTES 2048u /* of functions for which a group pays */

/* Kernels that are built together, with their locks held. The first one is wanted. */
struct group {
    uint32_t count;
    uint32_t kernels[GROUP_MAX];
    const char *names[GROUP_MAX];
};

static const char *kernel_name(const struct geo_module *module, uint32_t kernel)
{
    const struct geo_native_view *view = &geo_module_part(module)->native->view;
    return geo_native_string(view, view->kernels[kernel].name);
}

static ze_result_t kernel_fail(const char *name, const char *problem)
{
    return geo_fail(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, "kernel \"%.100s\" did not build: %.300s",
                    name, problem);
}

/* Adds the log of a kernel's build to the module's log, or keeps it for later. */
static void kernel_tell(struct geo_module *module, uint32_t number, const char *text, bool ahead)
{
    struct deferred_kernel *kernel = &module->deferred->kernels[number];
    if (!ahead) {
        geo_module_complete_add_log(module, "the build of kernel ", kernel_name(module, number),
                                    text);
    } else if (text[0]) {
        atomic_store(&kernel->untold, strdup(text));
    }
}

/* Returns the size of the SPIR-V that the first kernels of a group need, and of the functions among
 * it that they call. Returns SIZE_MAX when memory runs out. */
static size_t group_measure(const struct geo_module *module, const struct group *group,
                            uint32_t count, size_t *called)
{
    const struct geo_native_view *view = &module->binary->view;
    const struct geo_compiler_source source = {.spirv = (const uint8_t *)view->header +
                                                        view->sources->offset,
                                               .bytes = view->sources->bytes};
    return geo_build_measure(&source, count, group->names, called);
}

static void group_cut(struct geo_module *module, struct group *group, uint32_t count)
{
    while (group->count > count) {
        geo_work_lock_release(&module->deferred->kernels[group->kernels[--group->count]].lock);
    }
}

/* Adds kernels behind the first one that are not built and not being built, up to a number. */
static void group_extend(struct geo_module *module, struct group *group, uint32_t limit)
{
    struct geo_module_deferred *deferred = module->deferred;
    for (uint32_t i = 1; i < deferred->count && group->count < limit; i++) {
        uint32_t number = (group->kernels[0] + i) % deferred->count;
        struct deferred_kernel *kernel = &deferred->kernels[number];
        if (atomic_load(&kernel->part) || !geo_work_lock_try(&kernel->lock)) {
            continue;
        }
        if (atomic_load(&kernel->part) || kernel->problem) {
            geo_work_lock_release(&kernel->lock);
            continue;
        }
        group->kernels[group->count] = number;
        group->names[group->count++] = kernel_name(module, number);
    }
}

/* Chooses the kernels to build together with one whose lock is held. The others add at most as much
 * as the functions that all of them call, doubled with each build. */
static void group_choose(struct geo_module *module, uint32_t number, struct group *group)
{
    struct geo_module_deferred *deferred = module->deferred;
    size_t called = 0;
    *group =
        (struct group){.count = 1, .kernels = {number}, .names = {kernel_name(module, number)}};
    if (module->import_count || module->binary->view.header->source_count != 1 ||
        atomic_load_explicit(&deferred->apart, memory_order_relaxed)) {
        return;
    }
    size_t alone = group_measure(module, group, 1, &called);
    if (alone == SIZE_MAX || called < CALLED_BYTES) {
        return;
    }
    uint32_t repeats = atomic_fetch_add_explicit(&deferred->repeats, 1, memory_order_relaxed);
    repeats = repeats < 3 ? repeats : 3;
    group_extend(module, group, 1u << 2 * repeats);
    while (group->count > 1) {
        size_t bytes = group_measure(module, group, group->count, &called);
        if (bytes != SIZE_MAX && bytes - alone <= called << repeats) {
            break;
        }
        group_cut(module, group, group->count / 2);
    }
}

/* Builds and loads the kernels of a group. */
static ze_result_t group_build(struct geo_module *module, const struct group *group,
                               struct geo_strbuf *log)
{
    uint32_t numbers[GROUP_MAX];
    struct geo_module_code *set;
    ze_result_t result = geo_module_kernels_build(module, GEO_MODULE_KERNELS_RESTRICTED,
                                                  group->count, group->names, &set, numbers, log);
    for (uint32_t i = 0; i < group->count && result == ZE_RESULT_SUCCESS; i++) {
        struct deferred_kernel *kernel = &module->deferred->kernels[group->kernels[i]];
        GEO_ASSERT(geo_work_lock_held(&kernel->lock) && !atomic_load(&kernel->part));
        geo_module_code_ref(set);
        kernel->number = numbers[i];
        atomic_store_explicit(&kernel->part, &set->parts[0], memory_order_release);
    }
    geo_module_code_unref(set);
    return result;
}

/* Builds and loads a group, and releases all locks but the first kernel's. `ahead`: no program has
 * created the first kernel yet. */
static ze_result_t group_finish(struct geo_module *module, struct group *group, bool ahead)
{
    const uint32_t number = group->kernels[0];
    struct deferred_kernel *kernel = &module->deferred->kernels[number];
    const char *name = group->names[0];
    struct geo_strbuf log;
    geo_strbuf_init(&log, LOG_BYTES);
    log.shown = true;
    ze_result_t result = group_build(module, group, &log);
    if (result != ZE_RESULT_SUCCESS && group->count > 1) { /* perhaps because of another */
        atomic_store_explicit(&module->deferred->apart, true, memory_order_relaxed);
        group_cut(module, group, 1);
        geo_strbuf_finish(&log);
        geo_strbuf_init(&log, LOG_BYTES);
        log.shown = true;
        result = group_build(module, group, &log);
    }
    group_cut(module, group, 1);
    kernel_tell(module, number, geo_strbuf_text(&log), ahead);
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

/* Builds and loads a kernel, and perhaps others with it. Its lock is held. */
static ze_result_t kernel_build(struct geo_module *module, uint32_t number, bool ahead)
{
    struct group group;
    GEO_ASSERT(geo_work_lock_held(&module->deferred->kernels[number].lock));
    group_choose(module, number, &group);
    return group_finish(module, &group, ahead);
}

ze_result_t geo_module_deferred_load(struct geo_module *module, uint32_t number,
                                     struct geo_module_part **part, uint32_t *at)
{
    *at = number;
    *part = geo_module_part(module);
    if (!module->deferred) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_ASSERT(number < module->deferred->count);
    struct deferred_kernel *kernel = &module->deferred->kernels[number];
    ze_result_t result = ZE_RESULT_SUCCESS;
    *part = atomic_load_explicit(&kernel->part, memory_order_acquire);
    if (!*part || atomic_load(&kernel->untold)) {
        geo_work_lock_acquire(&kernel->lock);
        atomic_store_explicit(&module->deferred->newest, number + 1, memory_order_relaxed);
        char *untold = atomic_exchange(&kernel->untold, NULL);
        kernel_tell(module, number, untold ? untold : "", false);
        free(untold);
        if (kernel->problem) {
            result = kernel_fail(kernel_name(module, number), kernel->problem);
        } else if (!atomic_load(&kernel->part)) {
            result = kernel_build(module, number, false);
        }
        *part = atomic_load(&kernel->part);
        geo_work_lock_release(&kernel->lock);
    }
    *at = kernel->number;
    GEO_ASSERT(result != ZE_RESULT_SUCCESS || *part);
    return result;
}

/* ---- builds ahead ---- */

bool geo_module_deferred_next(struct geo_module *module, uint32_t *kernel)
{
    struct geo_module_deferred *deferred = module->deferred;
    uint32_t newest = atomic_load_explicit(&deferred->newest, memory_order_relaxed);
    for (uint32_t i = 0; i < deferred->count; i++) {
        uint32_t number = (newest + i) % deferred->count;
        struct deferred_kernel *candidate = &deferred->kernels[number];
        if (!candidate->tried && !atomic_load(&candidate->part)) {
            candidate->tried = true;
            *kernel = number;
            return true;
        }
    }
    return false;
}

void geo_module_deferred_build_ahead(struct geo_module *module, uint32_t number)
{
    struct deferred_kernel *kernel = &module->deferred->kernels[number];
    geo_work_lock_acquire(&kernel->lock);
    if (!kernel->problem && !atomic_load(&kernel->part) &&
        kernel_build(module, number, true) != ZE_RESULT_SUCCESS) {
        geo_log("driver", GEO_LOG_INFO, "kernel %s was not built ahead",
                kernel_name(module, number));
    }
    geo_work_lock_release(&kernel->lock);
}

/* ---- builds of all kernels at once ----
 *
 * The kernels are divided into blocks, which depend on the module alone. So the number of threads
 * does not change the code. */

#define BLOCK_KERNELS 16u /* of kernels that share functions; others are alone */

/* The builds of a module. Shared by its threads, on the stack of the first one. */
struct builds {
    struct geo_module *module;
    uint32_t block;         /* kernels of a block */
    _Atomic uint32_t taken; /* kernels of blocks that a thread has taken */
    _Atomic ze_result_t result;
};

static void block_build(struct builds *builds, uint32_t first)
{
    struct geo_module *module = builds->module;
    struct group group;
    uint32_t end = first + builds->block;
    end = end < module->deferred->count ? end : module->deferred->count;
    for (uint32_t number = first; number < end; number++) {
        struct deferred_kernel *kernel = &module->deferred->kernels[number];
        geo_work_lock_acquire(&kernel->lock);
        if (!atomic_load(&kernel->part)) {
            group = (struct group){
                .count = 1, .kernels = {number}, .names = {kernel_name(module, number)}};
            if (number == first) {
                group_extend(module, &group, end - first);
            }
            ze_result_t result = group_finish(module, &group, true);
            if (result != ZE_RESULT_SUCCESS) {
                atomic_store(&builds->result, result);
            }
        }
        geo_work_lock_release(&kernel->lock);
    }
}

static void *builds_main(void *argument)
{
    struct builds *builds = argument;
    const uint32_t count = builds->module->deferred->count;
    for (uint32_t first; (first = atomic_fetch_add(&builds->taken, builds->block)) < count;) {
        block_build(builds, first);
    }
    return NULL;
}

/* Returns how many kernels a block has. */
static uint32_t block_size(const struct geo_module *module)
{
    struct group group = {0};
    size_t called = 0;
    while (group.count < GROUP_MAX && group.count < module->deferred->count) {
        group.names[group.count] = kernel_name(module, group.count);
        group.count++;
    }
    bool one = module->binary->view.header->source_count == 1;
    bool good = one && group_measure(module, &group, group.count, &called) != SIZE_MAX;
    return good && called >= CALLED_BYTES ? BLOCK_KERNELS : 1;
}

/* Starts threads. Signals of the application go to its own threads. */
static uint32_t threads_start(struct builds *builds, pthread_t *threads, uint32_t wanted)
{
    sigset_t all, before;
    uint32_t count = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (count < wanted && pthread_create(&threads[count], NULL, builds_main, builds) == 0) {
        count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return count;
}

ze_result_t geo_module_deferred_build_all(struct geo_module *module, struct geo_strbuf *log)
{
    enum { THREADS_MAX = 63 };
    struct geo_module_deferred *deferred = module->deferred;
    struct builds builds = {
        .module = module, .block = block_size(module), .result = ZE_RESULT_SUCCESS};
    pthread_t threads[THREADS_MAX];
    uint32_t wanted = geo_module_cores(module), blocks = (deferred->count - 1) / builds.block;
    wanted = wanted - 1 < blocks ? wanted - 1 : blocks; /* the caller builds, too */
    uint32_t count =
        threads_start(&builds, threads, wanted < THREADS_MAX ? wanted : (uint32_t)THREADS_MAX);
    builds_main(&builds);
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    for (uint32_t i = 0; i < deferred->count; i++) {
        char *untold = atomic_exchange(&deferred->kernels[i].untold, NULL);
        geo_strbuf_printf(log, "%s", untold ? untold : "");
        free(untold);
    }
    ze_result_t result = atomic_load(&builds.result);
    return result == ZE_RESULT_SUCCESS
               ? result
               : geo_fail(result, "a kernel of the module did not build: %.300s",
                          log->length ? geo_strbuf_text(log) : "no reason given");
}

const struct geo_native_kernel *geo_module_deferred_find(const struct geo_module *module,
                                                         uint32_t kernel,
                                                         const struct geo_module_binary **binary)
{
    const struct geo_module_part *part = geo_module_part(module);
    if (module->deferred) {
        const struct deferred_kernel *deferred = &module->deferred->kernels[kernel];
        part = atomic_load(&deferred->part);
        kernel = deferred->number;
    }
    GEO_ASSERT(part && kernel < part->native->view.header->kernel_count);
    *binary = part->native;
    return &part->native->view.kernels[kernel];
}
