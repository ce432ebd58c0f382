/* Faults of what is shared: IPC handles of memory and event pools, external memory, semaphores. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* An allocation that is also open through its IPC handle. */
struct opened {
    void *memory, *again;
    ze_ipc_mem_handle_t handle;
};

static void *open_again(const struct faulty_world *world, ze_ipc_mem_handle_t handle)
{
    void *again;
    MUST(zeMemOpenIpcHandle(world->context, world->device, handle, 0, &again));
    return again;
}

static struct opened opened_begin(const struct faulty_world *world)
{
    struct opened opened = {.memory = faulty_memory(world, 4096)};
    MUST(zeMemGetIpcHandle(world->context, opened.memory, &opened.handle));
    opened.again = open_again(world, opened.handle);
    return opened;
}

static void opened_end(const struct faulty_world *world, const struct opened *opened)
{
    if (opened->again)
        MUST(zeMemCloseIpcHandle(world->context, opened->again));
    MUST(zeMemPutIpcHandle(world->context, opened->handle));
    MUST(zeMemFree(world->context, opened->memory));
}

static void opened_memory_freed(struct faulty_world *world)
{
    /* IPC-4: an opened pointer is closed, not freed. */
    struct opened opened = opened_begin(world);
    if (zeMemFree(world->context, opened.again) == ZE_RESULT_SUCCESS)
        opened.again = NULL;
    opened_end(world, &opened);
}

static void opened_memory_closed_twice(struct faulty_world *world)
{
    /* IPC-4: close unmaps it, so the second pointer is of nothing. */
    struct opened opened = opened_begin(world);
    MUST(zeMemCloseIpcHandle(world->context, opened.again));
    zeMemCloseIpcHandle(world->context, opened.again);
    opened.again = NULL;
    opened_end(world, &opened);
}

static void copy_from_closed_memory(struct faulty_world *world)
{
    /* IPC-4: close unmaps it. */
    struct opened opened = opened_begin(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    char *memory = faulty_memory(world, 4096);
    MUST(zeMemCloseIpcHandle(world->context, opened.again));
    zeCommandListAppendMemoryCopy(list, memory, opened.again, 4096, NULL, 0, NULL);
    opened.again = NULL;
    opened_end(world, &opened);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void opened_memory_left_open(struct faulty_world *world)
{
    /* VAL-4: leaks are reported; IPC-2: the receiver closes. */
    struct opened opened = opened_begin(world);
    opened.again = NULL;
    opened_end(world, &opened);
    exit(0); /* with the context, which it keeps */
}

static void memory_closed_in_flight(struct faulty_world *world)
{
    /* MEM-19, IPC-4: close unmaps what the device has not finished with. */
    struct opened opened = opened_begin(world);
    struct gate gate = gate_begin(world);
    fill(gate.list, opened.again, 1, 4096);
    const ze_result_t result = zeMemCloseIpcHandle(world->context, opened.again);
    gate_end(&gate);
    if (result == ZE_RESULT_SUCCESS)
        opened.again = NULL;
    opened_end(world, &opened);
}

static void handle_of_freed_memory(struct faulty_world *world)
{
    /* IPC-5: the pointer is the base of an allocation. */
    ze_ipc_mem_handle_t handle;
    void *memory = faulty_memory(world, 4096);
    MUST(zeMemFree(world->context, memory));
    zeMemGetIpcHandle(world->context, memory, &handle);
}

static void handle_of_memory_of_another_context(struct faulty_world *world)
{
    /* CTX-4: handing a pointer of one context to a query on another is illegal. */
    struct faulty_world other = other_begin(world);
    ze_ipc_mem_handle_t handle;
    void *memory = faulty_memory(&other, 4096);
    zeMemGetIpcHandle(world->context, memory, &handle);
    MUST(zeMemFree(other.context, memory));
    other_end(&other);
}

/* A pool, and the same pool opened through its handle, each with an event at index 0. */
struct twins {
    struct signal one, other;
    ze_ipc_event_pool_handle_t handle;
};

static struct twins twins_begin(const struct faulty_world *world)
{
    struct twins twins = {.one = signal_begin(world, ZE_EVENT_POOL_FLAG_IPC)};
    MUST(zeEventPoolGetIpcHandle(twins.one.pool, &twins.handle));
    MUST(zeEventPoolOpenIpcHandle(world->context, twins.handle, &twins.other.pool));
    twins.other.event = faulty_event(twins.other.pool, 0);
    return twins;
}

static void twins_end(const struct faulty_world *world, const struct twins *twins)
{
    MUST(zeEventDestroy(twins->other.event));
    MUST(zeEventPoolCloseIpcHandle(twins->other.pool));
    MUST(zeEventPoolPutIpcHandle(world->context, twins->handle));
    signal_end(&twins->one);
}

/* --- semaphores --- */

struct semaphore {
    int fd;
    ze_external_semaphore_ext_handle_t handle;
    ze_external_semaphore_signal_params_ext_t signal;
    ze_external_semaphore_wait_params_ext_t wait;
};

static struct semaphore semaphore_begin(const struct faulty_world *world)
{
    struct semaphore semaphore = {
        .fd = eventfd(0, 0),
        .signal = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT},
        .wait = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT}};
    ze_external_semaphore_fd_ext_desc_t fd = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC, .fd = semaphore.fd};
    const ze_external_semaphore_ext_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC,
        .pNext = &fd,
        .flags = ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD};
    MUST(zeDeviceImportExternalSemaphoreExt(world->device, &desc, &semaphore.handle));
    return semaphore;
}

static void semaphore_released_in_flight(struct faulty_world *world)
{
    /* zeDeviceReleaseExternalSemaphoreExt: ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE; GEN-15. */
    struct gate gate = gate_begin(world);
    struct semaphore semaphore = semaphore_begin(world);
    MUST(zeCommandListAppendSignalExternalSemaphoreExt(gate.list, 1, &semaphore.handle,
                                                       &semaphore.signal, NULL, 0, NULL));
    const ze_result_t result = zeDeviceReleaseExternalSemaphoreExt(semaphore.handle);
    gate_end(&gate);
    if (result != ZE_RESULT_SUCCESS)
        MUST(zeDeviceReleaseExternalSemaphoreExt(semaphore.handle));
}

static void semaphore_after_its_release(struct faulty_world *world)
{
    /* VAL-3: use after destruction is reported. */
    struct semaphore semaphore = semaphore_begin(world);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    MUST(zeDeviceReleaseExternalSemaphoreExt(semaphore.handle));
    zeCommandListAppendSignalExternalSemaphoreExt(list, 1, &semaphore.handle, &semaphore.signal,
                                                  NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
}

static void semaphore_left_behind(struct faulty_world *world)
{
    /* VAL-3: leaks are reported. */
    semaphore_begin(world);
}

/* --- no fault --- */

static void memory_opened_twice(struct faulty_world *world)
{
    /* IPC-4: open may be called many times; each opened pointer is closed once. */
    struct opened opened = opened_begin(world);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    char *second = open_again(world, opened.handle), *memory = faulty_memory(world, 4096);
    fill(list, opened.again, 1, 4096);
    copy(list, memory, second, 4096);
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeMemCloseIpcHandle(world->context, second));
    copy(list, memory, opened.again, 4096);
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    opened_end(world, &opened);
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
}

static void handle_never_put(struct faulty_world *world)
{
    /* IPC-3: if zeMemPutIpcHandle is not called, zeMemFree does its work in the end. */
    ze_ipc_mem_handle_t handle;
    void *memory = faulty_memory(world, 4096);
    MUST(zeMemGetIpcHandle(world->context, memory, &handle));
    MUST(zeMemFree(world->context, memory));
}

static void opened_memory_outlives_its_handle(struct faulty_world *world)
{
    /* zeMemPutIpcHandle: "memory opened with it stays". */
    struct opened opened = opened_begin(world);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    MUST(zeMemPutIpcHandle(world->context, opened.handle));
    fill(list, opened.again, 1, 4096);
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeMemCloseIpcHandle(world->context, opened.again));
    MUST(zeMemFree(world->context, opened.memory));
    MUST(zeCommandListDestroy(list));
}

static void event_signalled_through_its_twin(struct faulty_world *world)
{
    /* IPC-6: events at one index of a pool and of the opened pool are one state. */
    struct twins twins = twins_begin(world);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    for (int i = 0; i < 3; i++) {
        MUST(zeCommandListAppendWaitOnEvents(list, 1, &twins.one.event));
        MUST(zeEventHostSignal(twins.other.event));
        MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
        MUST(zeEventHostReset(twins.one.event));
        MUST(zeCommandListAppendSignalEvent(list, twins.one.event));
        MUST(zeEventHostSynchronize(twins.other.event, UINT64_MAX));
        MUST(zeEventHostReset(twins.other.event));
        MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    }
    MUST(zeCommandListDestroy(list));
    twins_end(world, &twins);
}

static void pool_handle_never_put(struct faulty_world *world)
{
    /* IPC-7: zeEventPoolDestroy covers a missing put. */
    struct twins twins = twins_begin(world);
    MUST(zeEventDestroy(twins.other.event));
    MUST(zeEventPoolCloseIpcHandle(twins.other.pool));
    signal_end(&twins.one);
}

static void memory_imported_twice(struct faulty_world *world)
{
    /* EXM-3, EXM-4: an exported descriptor is imported by a chain at allocation, twice here. */
    const size_t size = 65536;
    ze_external_memory_export_desc_t export = {.stype =
                                                   ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
                                               .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    ze_external_memory_export_fd_t fd = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                         .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    ze_memory_allocation_properties_t asked = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, .pNext = &fd};
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                       .pNext = &export};
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    void *memory, *imported[2];
    MUST(zeMemAllocDevice(world->context, &desc, size, 0, world->device, &memory));
    MUST(zeMemGetAllocProperties(world->context, memory, &asked, NULL));
    desc.pNext = &import;
    for (int i = 0; i < 2; i++) {
        import.fd = dup(fd.fd);
        MUST(zeMemAllocDevice(world->context, &desc, size, 0, world->device, &imported[i]));
    }
    fill(list, memory, 1, size);
    copy(list, imported[0], imported[1], 4); /* the same bytes at two addresses */
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    for (int i = 0; i < 2; i++)
        MUST(zeMemFree(world->context, imported[i]));
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
}

static void system_memory_mapped_again_and_again(struct faulty_world *world)
{
    /* ze_external_memmap_sysmem_ext_desc_t: "zeMemAllocHost gives the same address"; its size may
     * be 0 then ("0 == size unless ze_external_memmap_sysmem_ext_desc_t"). */
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    for (int i = 0; i < 4; i++) {
        ze_external_memmap_sysmem_ext_desc_t mapping = {
            .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMMAP_SYSMEM_EXT_DESC,
            .pSystemMemory = at,
            .size = size};
        const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC,
                                               .pNext = &mapping};
        void *memory;
        MUST(zeMemAllocHost(world->context, &desc, i % 2 ? size : 0, 0, &memory));
        fill(list, memory, (uint8_t)i, size);
        MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
        MUST(zeMemFree(world->context, memory));
        memset(at, i, size); /* the program's memory is still there */
    }
    MUST(zeCommandListDestroy(list));
    munmap(at, size);
}

static void semaphore_signalled_and_waited_for(struct faulty_world *world)
{
    /* zeDeviceReleaseExternalSemaphoreExt after the list has finished. */
    struct semaphore semaphore = semaphore_begin(world);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    for (int i = 0; i < 2; i++) {
        MUST(zeCommandListAppendSignalExternalSemaphoreExt(list, 1, &semaphore.handle,
                                                           &semaphore.signal, NULL, 0, NULL));
        MUST(zeCommandListAppendWaitExternalSemaphoreExt(list, 1, &semaphore.handle,
                                                         &semaphore.wait, NULL, 0, NULL));
    }
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeDeviceReleaseExternalSemaphoreExt(semaphore.handle));
    MUST(zeCommandListDestroy(list));
}

static void objects_held_across_fork_and_exec(struct faulty_world *world)
{
    /* GEN-15: the application owns lifetime; a child that executes another program owns nothing. */
    struct opened opened = opened_begin(world);
    int status;
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    if (status != 0)
        exit(4);
    opened_end(world, &opened);
}

const struct faulty faulty_programs[] = {
    {"opened_memory_freed", opened_memory_freed, "bad-free", "zeMemFree", NULL},
    {"opened_memory_closed_twice", opened_memory_closed_twice, "freed-twice", "zeMemCloseIpcHandle",
     NULL},
    {"copy_from_closed_memory", copy_from_closed_memory, "freed-memory", "srcptr", NULL},
    {"opened_memory_left_open", opened_memory_left_open, "leak", "zeMemOpenIpcHandle", NULL},
    {"memory_closed_in_flight", memory_closed_in_flight, "destroyed-in-use", "zeMemCloseIpcHandle",
     NULL},
    {"handle_of_freed_memory", handle_of_freed_memory, "freed-memory", "zeMemGetIpcHandle", NULL},
    {"handle_of_memory_of_another_context", handle_of_memory_of_another_context,
     "other-context-memory", "zeMemGetIpcHandle", NULL},
    {"semaphore_released_in_flight", semaphore_released_in_flight, "destroyed-in-use",
     "zeDeviceReleaseExternalSemaphoreExt", NULL},
    {"semaphore_after_its_release", semaphore_after_its_release, "destroyed-handle",
     "phSemaphores[0]", NULL},
    {"semaphore_left_behind", semaphore_left_behind, "leak", "zeDeviceImportExternalSemaphoreExt",
     NULL},
    {"memory_opened_twice", memory_opened_twice, "", NULL, NULL},
    {"handle_never_put", handle_never_put, "", NULL, NULL},
    {"opened_memory_outlives_its_handle", opened_memory_outlives_its_handle, "", NULL, NULL},
    {"event_signalled_through_its_twin", event_signalled_through_its_twin, "", NULL, NULL},
    {"pool_handle_never_put", pool_handle_never_put, "", NULL, NULL},
    {"memory_imported_twice", memory_imported_twice, "", NULL, NULL},
    {"system_memory_mapped_again_and_again", system_memory_mapped_again_and_again, "", NULL, NULL},
    {"semaphore_signalled_and_waited_for", semaphore_signalled_and_waited_for, "", NULL, NULL},
    {"objects_held_across_fork_and_exec", objects_held_across_fork_and_exec, "", NULL, NULL},
    {0}};
