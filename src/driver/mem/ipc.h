/* IPC handles of memory, and finding the file of a handle in another process.
 *
 * An IPC handle is 64 bytes that are opaque to the application, except that the first four are a
 * file descriptor of the process that made it. Clients rely on this: they send the descriptor over
 * a socket and put the received number in its place. So a receiver finds the file in one of three
 * ways:
 *
 *   1. the number is that file here (same process, or put in after SCM_RIGHTS, or inherited);
 *   2. pidfd_getfd from the sender named in the handle, which was sent by value;
 *   3. /proc/<pid>/fd/<n>, if the kernel is too old for 2 or forbids it.
 *
 * In each case device and inode prove that it is the right file. Seals and a mark prove that it is
 * memory which a driver like this one has shared (base/memfd.h).
 *
 * Other clients build a new handle from a descriptor that they received: its number followed by
 * zeros. Such a bare handle means the whole file, which must be shared memory as well: a number in
 * a foreign handle must not open an arbitrary file of this process.
 *
 * Handles are untrusted input. The backend's import checks offset and size against the file. This
 * file uses handles for memory; driver/cmd uses them for event pools and counters. */
#ifndef GEO_DRIVER_MEM_IPC_H
#define GEO_DRIVER_MEM_IPC_H

#include "driver/mem/memory.h"
#include "driver/mem/physical.h"

/* The kind of object that a handle stands for. */
enum geo_ipc_kind {
    GEO_IPC_MEMORY = 1,
    GEO_IPC_EVENT_POOL,
    GEO_IPC_COUNTER,
};

/* The contents of an IPC handle. */
struct geo_ipc_payload {
    int32_t fd; /* must stay first: clients read and replace it */
    uint32_t magic;
    uint32_t kind; /* enum geo_ipc_kind */
    int32_t pid;   /* process id of the sender */
    uint64_t device, inode;
    uint64_t offset, bytes;
    /* memory: ze_memory_type_t; event pool: flags; counter: low half of its value */
    uint32_t detail;
    uint32_t detail2;  /* event pool: number of events; counter: high half of its value */
    uint64_t reserved; /* 0 */
};
_Static_assert(sizeof(struct geo_ipc_payload) == ZE_MAX_IPC_HANDLE_SIZE, "fills the handle");

/* Fills the payload from an open descriptor of this process, and allows other processes to open its
 * file from now on. Returns UNSUPPORTED_FEATURE if the file cannot be shared. */
GEO_MUST_CHECK ze_result_t geo_ipc_describe(struct geo_ipc_payload *payload, enum geo_ipc_kind kind,
                                            int fd, uint64_t offset, uint64_t bytes);

/* Opens the file that the payload names; the caller owns the descriptor. Returns INVALID_ARGUMENT
 * if the payload is not valid or its file cannot be found. */
GEO_MUST_CHECK ze_result_t geo_ipc_open(const struct geo_ipc_payload *payload,
                                        enum geo_ipc_kind kind, int *fd);

/* ---- memory ---- */

/* Makes a handle for the memory that begins at the pointer. Returns INVALID_ARGUMENT if no memory
 * begins there, UNSUPPORTED_FEATURE if it cannot be shared. */
GEO_MUST_CHECK ze_result_t geo_ipc_memory_get(struct geo_context *context, const void *pointer,
                                              ze_ipc_mem_handle_t *handle);
/* Makes a handle for a whole physical memory object, mapped or not. */
GEO_MUST_CHECK ze_result_t geo_ipc_physical_memory_get(struct geo_physical_memory *physical,
                                                       ze_ipc_mem_handle_t *handle);
/* Takes back a handle that was given out. All handles of one memory are equal and counted, and the
 * last one closes the descriptor. Taking back a handle of this process twice is not an error;
 * taking back one of another process is. */
GEO_MUST_CHECK ze_result_t geo_ipc_memory_put(struct geo_context *context,
                                              const ze_ipc_mem_handle_t *handle);
GEO_MUST_CHECK ze_result_t geo_ipc_memory_open(struct geo_context *context,
                                               struct geo_device *device,
                                               const ze_ipc_mem_handle_t *handle, void **out);
/* Makes a handle from a descriptor, such as one that geo_ipc_memory_fd returned. */
GEO_MUST_CHECK ze_result_t geo_ipc_memory_from_fd(struct geo_context *context, int fd,
                                                  ze_ipc_mem_handle_t *handle);
GEO_MUST_CHECK ze_result_t geo_ipc_memory_fd(const ze_ipc_mem_handle_t *handle, int *fd);

/* Exports the allocation that begins at the pointer as a descriptor of one of these types; the
 * caller owns it. Returns INVALID_ARGUMENT if no allocation begins there. */
GEO_MUST_CHECK ze_result_t geo_ipc_memory_export_fd(const void *pointer,
                                                    ze_external_memory_type_flags_t types, int *fd);

#endif
