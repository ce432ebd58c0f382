/* Descriptors that travel between processes inside IPC handles.
 *
 * An IPC handle is 64 opaque bytes of the application. Its first four bytes are a file descriptor
 * of the process that made it: clients rely on that, send it over a socket and put the number that
 * they received in its place. So a receiver finds the memory in one of three ways, and in each of
 * them device and inode prove that it is the right file, seals and mark that it is memory which a
 * driver like this one has shared (base/memfd.h):
 *
 *   1. the number is the file itself here (same process, or put in after SCM_RIGHTS, or inherited);
 *   2. pidfd_getfd from the sender named in the handle, sent by value;
 *   3. /proc/<pid>/fd/<n>, where the kernel is older or forbids 2.
 *
 * Other clients make a handle anew from a descriptor that they received: its number and zeros. Such
 * a bare handle means the whole file, which must be shared memory likewise: a number in a handle of
 * somebody else must not open any file of this process.
 *
 * Handles are untrusted input: offset and size are checked against the file by the backend's
 * import. Used for memory here, for event pools and counters by the command side. */
#ifndef GEO_DRIVER_MEM_IPC_H
#define GEO_DRIVER_MEM_IPC_H

#include "driver/mem/memory.h"
#include "driver/mem/physical.h"

enum geo_ipc_kind {
    GEO_IPC_MEMORY = 1,
    GEO_IPC_EVENT_POOL,
    GEO_IPC_COUNTER,
};

struct geo_ipc_payload {
    int32_t fd; /* stays first */
    uint32_t magic;
    uint32_t kind; /* enum geo_ipc_kind */
    int32_t pid;   /* of the sender */
    uint64_t device, inode;
    uint64_t offset, bytes;
    uint32_t detail;   /* memory: ze_memory_type_t; event pool: its flags; counter: a value, */
    uint32_t detail2;  /* event pool: its count                            and its high half */
    uint64_t reserved; /* 0 */
};
_Static_assert(sizeof(struct geo_ipc_payload) == ZE_MAX_IPC_HANDLE_SIZE, "fills the handle");

/* Fills everything from an open descriptor of this process, which others may open from now on.
 * UNSUPPORTED_FEATURE when it is no file for that. */
GEO_MUST_CHECK ze_result_t geo_ipc_describe(struct geo_ipc_payload *payload, enum geo_ipc_kind kind,
                                            int fd, uint64_t offset, uint64_t bytes);

/* A new descriptor (the caller's) of the file that the payload names. INVALID_ARGUMENT when the
 * payload is not one of ours or its file cannot be found. */
GEO_MUST_CHECK ze_result_t geo_ipc_open(const struct geo_ipc_payload *payload,
                                        enum geo_ipc_kind kind, int *fd);

/* ---- memory ---- */

GEO_MUST_CHECK ze_result_t geo_memory_ipc_get(struct geo_context *context, const void *pointer,
                                              ze_ipc_mem_handle_t *handle);
/* The same for all of a physical memory, mapped or not. */
GEO_MUST_CHECK ze_result_t geo_physical_memory_ipc_get(struct geo_physical_memory *physical,
                                                       ze_ipc_mem_handle_t *handle);
/* The handles of one memory are the same and are counted: with the last one its descriptor goes. A
 * handle of this process that is not out any more is no error, one of another process is. */
GEO_MUST_CHECK ze_result_t geo_memory_ipc_put(struct geo_context *context,
                                              const ze_ipc_mem_handle_t *handle);
GEO_MUST_CHECK ze_result_t geo_memory_ipc_open(struct geo_context *context,
                                               struct geo_device *device,
                                               const ze_ipc_mem_handle_t *handle, void **out);
/* The handle of memory whose descriptor geo_memory_ipc_fd gave out. */
GEO_MUST_CHECK ze_result_t geo_memory_ipc_from_fd(struct geo_context *context, int fd,
                                                  ze_ipc_mem_handle_t *handle);
GEO_MUST_CHECK ze_result_t geo_memory_ipc_fd(const ze_ipc_mem_handle_t *handle, int *fd);

/* A descriptor (the caller's) of the allocation that begins at the pointer: external memory export,
 * of a type among these. INVALID_ARGUMENT where none does. */
GEO_MUST_CHECK ze_result_t geo_memory_export_fd(const void *pointer,
                                                ze_external_memory_type_flags_t types, int *fd);

#endif
