/* The contents of IPC handles of memory, and finding their files in other processes. See ipc.h.
 *
 * Handles are made and taken back under the memory lock, with a few system calls on the descriptors
 * of one record (fstat, seals, a duplicate). The first handle of an allocation also moves its pages
 * to a file of their own. The lock keeps the record alive and its descriptors open, and lets only
 * one thread move the pages. Opening a handle makes its system calls without the lock. */
#include "driver/mem/ipc.h"

#include "base/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define IPC_MAGIC 0x4f454731u /* "1GEO" */

static bool same_file(uint64_t device, uint64_t inode, const struct geo_ipc_payload *payload)
{
    return device == payload->device && inode == payload->inode;
}

/* Checks an untrusted descriptor. Nothing more is asked of a file that is not shared memory. */
static bool fd_matches(int fd, const struct geo_ipc_payload *payload)
{
    struct stat status;
    return geo_memfd_shared(fd, &status) && same_file(status.st_dev, status.st_ino, payload);
}

ze_result_t geo_ipc_describe(struct geo_ipc_payload *payload, enum geo_ipc_kind kind, int fd,
                             uint64_t offset, uint64_t bytes)
{
    struct stat status;
    GEO_ASSERT(kind >= GEO_IPC_MEMORY && kind <= GEO_IPC_COUNTER);
    if (!geo_memfd_share(fd) || fstat(fd, &status) != 0) {
        return geo_fail(
            ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
            "descriptor %d cannot be shared: it is not a memory file sealed against shrinking", fd);
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

/* Checks the file through an O_PATH descriptor first. Opening, fetching or closing a file that a
 * hostile handle names could have side effects (devices, pipes, files of servers that never
 * answer). This check contacts no driver or server. */
static bool look_matches(int look, const struct geo_ipc_payload *payload)
{
    struct statx status;
    return statx(look, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &status) ==
               0 &&
           same_file(makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino,
                     payload) &&
           payload->device == geo_memfd_device();
}

/* Duplicates the descriptor from the sender's table, if the kernel permits it. */
static int fd_take(const struct geo_ipc_payload *payload)
{
    int pidfd = (int)syscall(SYS_pidfd_open, payload->pid, 0);
    int fd = pidfd >= 0 ? (int)syscall(SYS_pidfd_getfd, pidfd, payload->fd, 0) : -1;
    int reason = errno;
    if (pidfd >= 0) {
        close(pidfd);
    }
    errno = reason;
    return fd;
}

/* Fetches the file from the sender. Returns -1 with errno set on failure. Without /proc the file
 * cannot be checked before. */
static int fd_fetch(const struct geo_ipc_payload *payload)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", payload->pid, payload->fd);
    int look = open(path, O_PATH | O_CLOEXEC);
    if (look < 0) {
        return fd_take(payload);
    }
    int fd = -1;
    errno = ENOENT;
    if (look_matches(look, payload)) {
        fd = fd_take(payload);
        if (fd < 0) {
            snprintf(path, sizeof(path), "/proc/self/fd/%d", look);
            fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
        }
    }
    int reason = errno;
    close(look);
    errno = reason;
    return fd;
}

/* Returns the descriptor, which is ours, if it is the file of the payload. Otherwise closes it and
 * returns -1. */
static int fd_check(int fd, const struct geo_ipc_payload *payload)
{
    if (fd >= 0 && !fd_matches(fd, payload)) {
        close(fd);
        errno = ENOENT;
        fd = -1;
    }
    return fd;
}

/* Duplicates the receiver's own descriptor. The duplicate is checked, because another thread may
 * reuse the number meanwhile. */
static int fd_copy(const struct geo_ipc_payload *payload)
{
    /* other files are not duplicated, because even closing a duplicate could have side effects */
    if (fcntl(payload->fd, F_GET_SEALS) < 0) {
        errno = ENOENT;
        return -1;
    }
    return fd_check(fcntl(payload->fd, F_DUPFD_CLOEXEC, 0), payload);
}

static bool descriptors_ran_out(void)
{
    return geo_memfd_result() == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

static ze_result_t payload_check(const struct geo_ipc_payload *payload, enum geo_ipc_kind kind)
{
    if (payload->magic != IPC_MAGIC || payload->kind != kind || payload->reserved != 0 ||
        payload->fd < 0 || payload->pid <= 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the IPC handle was not made by this driver");
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_ipc_open(const struct geo_ipc_payload *payload, enum geo_ipc_kind kind, int *out)
{
    GEO_CHECK(payload_check(payload, kind));
    int fd = fd_copy(payload);
    if (fd < 0 && !descriptors_ran_out() && payload->pid != getpid()) {
        fd = fd_check(fd_fetch(payload), payload);
    }
    if (fd < 0 && descriptors_ran_out()) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
                        "the process has no file descriptor left to open the IPC handle: %s",
                        strerror(errno));
    }
    if (fd < 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the shared memory of process %d cannot be opened: it was freed, or this "
                        "process may not access the other (ptrace permission)",
                        payload->pid);
    }
    *out = fd;
    return ZE_RESULT_SUCCESS;
}

/* ---- memory ---- */

/* Copies the payload, because handles have no alignment. */
static struct geo_ipc_payload payload_copy(const ze_ipc_mem_handle_t *handle)
{
    struct geo_ipc_payload payload;
    memcpy(&payload, handle, sizeof(payload));
    return payload;
}

/* Returns whether the memory is our own and not mapped from an object that others may map, too. */
static bool is_allocated(const struct geo_memory *memory)
{
    return memory->origin == GEO_ORIGIN_ALLOCATED || memory->origin == GEO_ORIGIN_IMAGE;
}

/* (lock held) Gives the memory a file of its own, so that a process with its descriptor sees no
 * other memory. Mappings of physical memory share the file of the whole object. */
static ze_result_t memory_isolate_locked(struct geo_memory *memory)
{
    const struct geo_driver *driver = memory->driver;
    GEO_ASSERT(geo_memory_lock_held());
    if (!is_allocated(memory)) {
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t result = driver->ops->memory->isolate(driver->backend, &memory->allocation);
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        return geo_fail(result, "%p cannot be shared: " GEO_NO_FILE_TEXT, memory->allocation.base);
    }
    return result == ZE_RESULT_SUCCESS
               ? result
               : geo_fail(result, "no memory, descriptor or mapping to share %p",
                          memory->allocation.base);
}

static ze_result_t ipc_get_locked(const void *pointer, struct geo_ipc_payload *payload)
{
    struct geo_memory *memory = geo_memory_at_locked(pointer);
    if (!memory) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%p is not the start of memory of this driver", pointer);
    }
    GEO_CHECK(memory_isolate_locked(memory));
    GEO_CHECK(geo_share_open(&memory->share, &memory->allocation.fd));
    GEO_CHECK(geo_ipc_describe(payload, GEO_IPC_MEMORY, memory->share.fd.number,
                               memory->allocation.fd_offset, memory->bytes));
    payload->detail = memory->type;
    memory->share.count++;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_ipc_memory_get(struct geo_context *context, const void *pointer,
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
    const struct geo_fd own = geo_physical_memory_fd(physical);
    GEO_ASSERT(geo_memory_lock_held());
    GEO_CHECK(geo_share_open(&physical->share, &own));
    GEO_CHECK(
        geo_ipc_describe(payload, GEO_IPC_MEMORY, physical->share.fd.number, 0, physical->bytes));
    payload->detail = physical->type;
    physical->share.count++;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_ipc_physical_memory_get(struct geo_physical_memory *physical,
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

/* (lock held) Returns the memory of the context whose handles contain this descriptor, or NULL. */
static struct geo_memory *memory_of_fd(struct geo_context *context, int fd)
{
    GEO_ASSERT(geo_memory_lock_held());
    struct geo_memory *memory = context->memory;
    while (memory && (memory->share.fd.number != fd || !geo_share_alive(&memory->share))) {
        memory = memory->next;
    }
    return memory;
}

/* (lock held) Returns the memory of the payload, or NULL. File and offset are compared, because
 * other memory may have got the same number since. */
static struct geo_memory *memory_of_payload(struct geo_context *context,
                                            const struct geo_ipc_payload *payload)
{
    struct geo_memory *memory = memory_of_fd(context, payload->fd);
    bool same = memory && memory->allocation.fd_offset == payload->offset &&
                memory->bytes == payload->bytes && fd_matches(memory->share.fd.number, payload);
    return same ? memory : NULL;
}

/* (lock held) Returns the physical memory object of the context that made the handle, or NULL. */
static struct geo_physical_memory *physical_of_payload(const struct geo_context *context,
                                                       const struct geo_ipc_payload *payload)
{
    GEO_ASSERT(geo_memory_lock_held());
    struct geo_physical_memory *physical = context->physical;
    while (physical && (physical->share.fd.number != payload->fd ||
                        !geo_share_alive(&physical->share) || !fd_matches(payload->fd, payload))) {
        physical = physical->next;
    }
    return physical;
}

ze_result_t geo_ipc_memory_put(struct geo_context *context, const ze_ipc_mem_handle_t *handle)
{
    struct geo_ipc_payload payload = payload_copy(handle);
    GEO_CHECK(payload_check(&payload, GEO_IPC_MEMORY));
    if (payload.pid != getpid()) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the handle was made by process %d, not by this one", payload.pid);
    }
    geo_memory_lock();
    struct geo_memory *memory = memory_of_payload(context, &payload);
    struct geo_physical_memory *physical = memory ? NULL : physical_of_payload(context, &payload);
    if (memory) {
        geo_share_return(&memory->share);
    } else if (physical) {
        geo_share_return(&physical->share);
    }
    geo_memory_unlock();
    return ZE_RESULT_SUCCESS;
}

/* Returns whether the payload contains nothing but a descriptor. */
static bool payload_bare(const struct geo_ipc_payload *payload)
{
    const struct geo_ipc_payload bare = {.fd = payload->fd};
    return payload->fd >= 0 && memcmp(payload, &bare, sizeof(bare)) == 0;
}

/* Describes the whole file of a descriptor, which must be shared memory. */
static ze_result_t file_describe(int fd, struct geo_ipc_payload *payload)
{
    struct stat status;
    if (!geo_memfd_shared(fd, &status)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the IPC handle contains only descriptor %d, which is not shared memory: "
                        "use a handle from zeMemGetIpcHandle",
                        fd);
    }
    GEO_CHECK(geo_ipc_describe(payload, GEO_IPC_MEMORY, fd, 0, (uint64_t)status.st_size));
    payload->detail = ZE_MEMORY_TYPE_DEVICE;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_ipc_memory_open(struct geo_context *context, struct geo_device *device,
                                const ze_ipc_mem_handle_t *handle, void **out)
{
    struct geo_ipc_payload payload = payload_copy(handle);
    int fd = -1;
    if (payload_bare(&payload)) {
        GEO_CHECK(file_describe(payload.fd, &payload));
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

ze_result_t geo_ipc_memory_from_fd(struct geo_context *context, int fd, ze_ipc_mem_handle_t *handle)
{
    struct geo_ipc_payload payload;
    geo_memory_lock();
    struct geo_memory *memory = memory_of_fd(context, fd);
    ze_result_t result =
        memory ? ipc_get_locked(memory->allocation.base, &payload) : ZE_RESULT_SUCCESS;
    geo_memory_unlock();
    if (!memory) { /* the descriptor is foreign */
        result = file_describe(fd, &payload);
    }
    if (result == ZE_RESULT_SUCCESS) {
        memcpy(handle, &payload, sizeof(payload));
    }
    return result;
}

ze_result_t geo_ipc_memory_fd(const ze_ipc_mem_handle_t *handle, int *fd)
{
    struct geo_ipc_payload payload = payload_copy(handle);
    if (!payload_bare(&payload)) {
        GEO_CHECK(payload_check(&payload, GEO_IPC_MEMORY));
    }
    *fd = payload.fd;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_ipc_memory_export_fd(const void *pointer, ze_external_memory_type_flags_t types,
                                     int *fd)
{
    geo_memory_lock();
    struct geo_memory *memory = geo_memory_at_locked(pointer);
    ze_result_t result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (memory && is_allocated(memory)) {
        result = memory_isolate_locked(memory);
        if (result == ZE_RESULT_SUCCESS) {
            result =
                geo_share_export(memory->driver, types, &memory->allocation.fd, memory->bytes, fd);
        }
    } else {
        result = geo_fail(result, "%p is not the start of an allocation of this driver", pointer);
    }
    geo_memory_unlock();
    return result;
}
