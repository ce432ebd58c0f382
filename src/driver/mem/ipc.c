/* IPC handles of memory and exported descriptors: what is in a handle, and finding its file in
 * another process. See ipc.h. */
#include "driver/mem/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define IPC_MAGIC 0x4f454731u /* "1GEO" */

static bool fd_matches(int fd, const struct geo_ipc_payload *payload)
{
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
           (uint64_t)status.st_dev == payload->device && (uint64_t)status.st_ino == payload->inode;
}

ze_result_t geo_ipc_describe(struct geo_ipc_payload *payload, enum geo_ipc_kind kind, int fd,
                             uint64_t offset, uint64_t bytes)
{
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "descriptor %d is not open", fd);
    }
    *payload = (struct geo_ipc_payload){
        .fd = fd,
        .magic = IPC_MAGIC,
        .kind = kind,
        .pid = getpid(),
        .device = status.st_dev,
        .inode = status.st_ino,
        .offset = offset,
        .bytes = bytes,
    };
    return ZE_RESULT_SUCCESS;
}

/* Opening what a hostile handle names could have effects of its own (devices, pipes): it is looked
 * at through O_PATH first. */
static int fd_reopen(const struct geo_ipc_payload *payload)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", payload->pid, payload->fd);
    int look = open(path, O_PATH | O_CLOEXEC);
    int fd = -1;
    if (look >= 0 && fd_matches(look, payload)) {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", look);
        fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    }
    if (look >= 0) {
        close(look);
    }
    return fd;
}

/* Takes the descriptor out of the sender's table; -1 when the kernel does not let us. */
static int fd_fetch(const struct geo_ipc_payload *payload)
{
    int pidfd = (int)syscall(SYS_pidfd_open, payload->pid, 0);
    int fd = pidfd >= 0 ? (int)syscall(SYS_pidfd_getfd, pidfd, payload->fd, 0) : -1;
    if (pidfd >= 0) {
        close(pidfd);
    }
    return fd >= 0 ? fd : fd_reopen(payload);
}

static ze_result_t payload_check(const struct geo_ipc_payload *payload, enum geo_ipc_kind kind)
{
    if (payload->magic != IPC_MAGIC || payload->kind != kind || payload->reserved != 0 ||
        payload->fd < 0 || payload->pid <= 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the IPC handle is not one of ours");
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_ipc_open(const struct geo_ipc_payload *payload, enum geo_ipc_kind kind, int *out)
{
    GEO_CHECK(payload_check(payload, kind));
    int fd = -1;
    if (fd_matches(payload->fd, payload)) {
        fd = fcntl(payload->fd, F_DUPFD_CLOEXEC, 0);
    } else if (payload->pid != getpid()) {
        fd = fd_fetch(payload);
        if (fd >= 0 && !fd_matches(fd, payload)) {
            close(fd);
            fd = -1;
        }
    }
    if (fd < 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "process %d has no such memory any more, or may not be asked",
                        payload->pid);
    }
    *out = fd;
    return ZE_RESULT_SUCCESS;
}

/* ---- memory ---- */

/* Handles have no alignment: work on a copy. */
static struct geo_ipc_payload payload_copy(const ze_ipc_mem_handle_t *handle)
{
    struct geo_ipc_payload payload;
    memcpy(&payload, handle, sizeof(payload));
    return payload;
}

/* (lock held) Nobody who gets the memory's descriptor sees another memory through it. What is
 * mapped from physical memory has the descriptor of all of that. */
static ze_result_t memory_isolate_locked(struct geo_memory *memory)
{
    const struct geo_driver *driver = memory->driver;
    if (memory->origin != GEO_ORIGIN_ALLOCATED || memory->allocation.fd < 0) {
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t result = driver->ops->memory->isolate(driver->backend, &memory->allocation);
    return result == ZE_RESULT_SUCCESS
               ? result
               : geo_fail(result, "no memory, descriptor or mapping to share %p",
                          memory->allocation.base);
}

static ze_result_t ipc_get_locked(const void *pointer, struct geo_ipc_payload *payload)
{
    struct geo_memory *memory = geo_memory_at_locked(pointer);
    if (!memory) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p begins no memory of ours", pointer);
    }
    GEO_CHECK(memory_isolate_locked(memory));
    GEO_CHECK(geo_share_open(&memory->share, memory->allocation.fd));
    GEO_CHECK(geo_ipc_describe(payload, GEO_IPC_MEMORY, memory->share.fd,
                               memory->allocation.fd_offset, memory->bytes));
    payload->detail = memory->type;
    memory->share.count++;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_memory_ipc_get(struct geo_context *context, const void *pointer,
                               ze_ipc_mem_handle_t *handle)
{
    (void)context;
    struct geo_ipc_payload payload;
    geo_memory_lock();
    ze_result_t result = ipc_get_locked(pointer, &payload);
    geo_memory_unlock();
    if (result == ZE_RESULT_SUCCESS) {
        memcpy(handle, &payload, sizeof(payload));
    }
    return result;
}

static ze_result_t physical_get_locked(struct geo_physical_memory *physical,
                                       struct geo_ipc_payload *payload)
{
    GEO_CHECK(geo_share_open(&physical->share, geo_physical_memory_fd(physical)));
    GEO_CHECK(geo_ipc_describe(payload, GEO_IPC_MEMORY, physical->share.fd, 0, physical->bytes));
    payload->detail = physical->type;
    physical->share.count++;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_physical_memory_ipc_get(struct geo_physical_memory *physical,
                                        ze_ipc_mem_handle_t *handle)
{
    struct geo_ipc_payload payload;
    geo_memory_lock();
    ze_result_t result = physical_get_locked(physical, &payload);
    geo_memory_unlock();
    if (result == ZE_RESULT_SUCCESS) {
        memcpy(handle, &payload, sizeof(payload));
    }
    return result;
}

/* (lock held) The memory of the context whose handles carry this descriptor, or NULL. */
static struct geo_memory *memory_of_fd(struct geo_context *context, int fd)
{
    struct geo_memory *memory = context->memory;
    while (memory &&
           (memory->share.fd != fd || !geo_share_alive(&memory->share, memory->allocation.fd))) {
        memory = memory->next;
    }
    return memory;
}

/* (lock held) The same, and not another memory that got the number since: file and place agree. */
static struct geo_memory *memory_of_payload(struct geo_context *context,
                                            const struct geo_ipc_payload *payload)
{
    struct geo_memory *memory = memory_of_fd(context, payload->fd);
    bool same = memory && memory->allocation.fd_offset == payload->offset &&
                memory->bytes == payload->bytes && fd_matches(memory->share.fd, payload);
    return same ? memory : NULL;
}

/* (lock held) The physical memory of the context that gave out the handle, or NULL. */
static struct geo_physical_memory *physical_of_payload(const struct geo_context *context,
                                                       const struct geo_ipc_payload *payload)
{
    struct geo_physical_memory *physical = context->physical;
    while (physical && (physical->share.fd != payload->fd ||
                        !geo_share_alive(&physical->share, geo_physical_memory_fd(physical)) ||
                        !fd_matches(payload->fd, payload))) {
        physical = physical->next;
    }
    return physical;
}

ze_result_t geo_memory_ipc_put(struct geo_context *context, const ze_ipc_mem_handle_t *handle)
{
    struct geo_ipc_payload payload = payload_copy(handle);
    GEO_CHECK(payload_check(&payload, GEO_IPC_MEMORY));
    if (payload.pid != getpid()) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the handle was given out by process %d, not by this one", payload.pid);
    }
    geo_memory_lock();
    struct geo_memory *memory = memory_of_payload(context, &payload);
    struct geo_physical_memory *physical = memory ? NULL : physical_of_payload(context, &payload);
    if (memory && --memory->share.count == 0) {
        geo_share_close(&memory->share, memory->allocation.fd);
    }
    if (physical && --physical->share.count == 0) {
        geo_share_close(&physical->share, geo_physical_memory_fd(physical));
    }
    geo_memory_unlock();
    return ZE_RESULT_SUCCESS;
}

/* Nothing but a descriptor in it. */
static bool payload_bare(const struct geo_ipc_payload *payload)
{
    const struct geo_ipc_payload bare = {.fd = payload->fd};
    return payload->fd >= 0 && memcmp(payload, &bare, sizeof(bare)) == 0;
}

/* What a bare handle stands for: all of a memory file. */
static ze_result_t bare_complete(struct geo_ipc_payload *payload)
{
    struct stat status;
    int fd = payload->fd, seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &status) != 0 || status.st_size <= 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the IPC handle has nothing but descriptor %d, which is no sealed memory",
                        fd);
    }
    GEO_CHECK(geo_ipc_describe(payload, GEO_IPC_MEMORY, fd, 0, (uint64_t)status.st_size));
    payload->detail = ZE_MEMORY_TYPE_DEVICE;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_memory_ipc_open(struct geo_context *context, struct geo_device *device,
                                const ze_ipc_mem_handle_t *handle, void **out)
{
    struct geo_ipc_payload payload = payload_copy(handle);
    int fd = -1;
    if (payload_bare(&payload)) {
        GEO_CHECK(bare_complete(&payload));
    }
    GEO_CHECK(geo_ipc_open(&payload, GEO_IPC_MEMORY, &fd));
    struct geo_memory_request request = {
        .context = context,
        .device = device,
        .kind = payload.detail == ZE_MEMORY_TYPE_HOST     ? GEO_MEMORY_HOST
                : payload.detail == ZE_MEMORY_TYPE_SHARED ? GEO_MEMORY_SHARED
                                                          : GEO_MEMORY_DEVICE,
        .bytes = payload.bytes,
    };
    ze_result_t result =
        geo_memory_import(&request, GEO_ORIGIN_OPENED, fd, payload.offset, false, out);
    close(fd);
    return result;
}

ze_result_t geo_memory_ipc_from_fd(struct geo_context *context, int fd, ze_ipc_mem_handle_t *handle)
{
    struct geo_ipc_payload payload;
    geo_memory_lock();
    struct geo_memory *memory = memory_of_fd(context, fd);
    ze_result_t result =
        memory ? ipc_get_locked(memory->allocation.base, &payload) : ZE_RESULT_SUCCESS;
    geo_memory_unlock();
    if (!memory) { /* somebody else's memory: the whole file */
        struct stat status;
        if (fd < 0 || fstat(fd, &status) != 0 || status.st_size <= 0) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "descriptor %d has no memory", fd);
        }
        result = geo_ipc_describe(&payload, GEO_IPC_MEMORY, fd, 0, (uint64_t)status.st_size);
        payload.detail = ZE_MEMORY_TYPE_DEVICE;
    }
    if (result == ZE_RESULT_SUCCESS) {
        memcpy(handle, &payload, sizeof(payload));
    }
    return result;
}

ze_result_t geo_memory_ipc_fd(const ze_ipc_mem_handle_t *handle, int *fd)
{
    struct geo_ipc_payload payload = payload_copy(handle);
    if (!payload_bare(&payload)) {
        GEO_CHECK(payload_check(&payload, GEO_IPC_MEMORY));
    }
    *fd = payload.fd;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_memory_export_fd(const void *pointer, int *fd)
{
    int copy = -1;
    ze_result_t result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    geo_memory_lock();
    struct geo_memory *memory = geo_memory_at_locked(pointer);
    if (memory && memory->origin == GEO_ORIGIN_ALLOCATED) {
        result = memory_isolate_locked(memory);
        copy = result == ZE_RESULT_SUCCESS ? fcntl(memory->allocation.fd, F_DUPFD_CLOEXEC, 0) : -1;
    }
    geo_memory_unlock();
    if (result == ZE_RESULT_ERROR_INVALID_ARGUMENT) {
        return geo_fail(result, "%p begins no allocation of ours", pointer);
    }
    if (copy < 0) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no descriptor left: %s",
                        strerror(errno));
    }
    *fd = copy;
    return ZE_RESULT_SUCCESS;
}
