/* IPC handles of memory: inside a process, between parent and child, by value and over a socket. */
#include "harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static ze_ipc_mem_handle_t handle_of(struct api *api, const void *pointer)
{
    ze_ipc_mem_handle_t handle;
    memset(&handle, 0, sizeof(handle));
    assert_success(zeMemGetIpcHandle(api->context, pointer, &handle));
    return handle;
}

static int descriptor_of(const ze_ipc_mem_handle_t *handle)
{
    int fd;
    memcpy(&fd, handle->data, sizeof(fd));
    return fd;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* IPC-2, IPC-4, IPC-8, IPC-1 */
static void an_opened_handle_shows_the_same_memory(void **state)
{
    struct api *api = *state;
    char *first = api_alloc_device(api, 30000);
    void *second = NULL;
    strcpy(first + 29000, "shared");
    ze_ipc_mem_handle_t handle = handle_of(api, first), copy;
    memcpy(&copy, &handle, sizeof(copy)); /* survives being copied as bytes */
    assert_success(zeMemOpenIpcHandle(api->context, api->device, copy, 0, &second));
    assert_ptr_not_equal(first, second);
    assert_string_equal((char *)second + 29000, "shared");
    strcpy((char *)second + 29000, "both ways");
    assert_string_equal(first + 29000, "both ways");
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    assert_success(zeMemGetAllocProperties(api->context, (char *)second + 5, &p, NULL));
    assert_int_equal(p.type, ZE_MEMORY_TYPE_DEVICE);
    assert_result(zeMemFree(api->context, second), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeMemCloseIpcHandle(api->context, second));
    assert_result(zeMemCloseIpcHandle(api->context, second), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeMemCloseIpcHandle(api->context, first), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeMemPutIpcHandle(api->context, handle));
    api_free(api, first);
}

/* IPC-3, IPC-5 */
static void handles_are_for_the_base_and_end_with_the_memory(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_device(api, 8192);
    int local = 0;
    ze_ipc_mem_handle_t handle = handle_of(api, pointer), other;
    assert_result(zeMemGetIpcHandle(api->context, pointer + 4096, &other),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeMemGetIpcHandle(api->context, &local, &other),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeMemGetIpcHandle(api->context, NULL, &other),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeMemGetIpcHandle(api->context, pointer, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    int fd = descriptor_of(&handle);
    assert_true(is_open(fd));
    api_free(api, pointer); /* nobody put the handle back: the free does */
    assert_false(is_open(fd));
    assert_success(zeMemPutIpcHandle(api->context, handle)); /* nothing is left to do */
    memset(&handle, 0x55, sizeof(handle));
    assert_result(zeMemPutIpcHandle(api->context, handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* IPC-2, IPC-3 */
static void handles_of_one_memory_are_counted(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_device(api, 8192);
    ze_ipc_mem_handle_t first = handle_of(api, pointer), second = handle_of(api, pointer);
    assert_memory_equal(&first, &second, sizeof(first));
    assert_success(zeMemPutIpcHandle(api->context, first));
    void *opened = NULL;
    assert_success(zeMemOpenIpcHandle(api->context, api->device, second, 0, &opened));
    assert_success(zeMemCloseIpcHandle(api->context, opened));
    assert_success(zeMemPutIpcHandle(api->context, second));
    assert_false(is_open(descriptor_of(&second)));
    first = handle_of(api, pointer); /* and once more from the beginning */
    assert_true(is_open(descriptor_of(&first)));
    api_free(api, pointer);
}

/* IPC-2: clients close what they find in a handle; the number may then be anything. */
static void a_descriptor_that_the_client_closed_is_left_alone(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_device(api, 8192);
    ze_ipc_mem_handle_t handle = handle_of(api, pointer);
    int fd = descriptor_of(&handle), null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(dup2(null, fd), fd); /* closes ours */
    assert_success(zeMemPutIpcHandle(api->context, handle));
    assert_true(is_open(fd));
    handle = handle_of(api, pointer);
    assert_int_not_equal(descriptor_of(&handle), fd);
    void *opened = NULL;
    assert_success(zeMemOpenIpcHandle(api->context, api->device, handle, 0, &opened));
    assert_success(zeMemCloseIpcHandle(api->context, opened));
    api_free(api, pointer);
    assert_true(is_open(fd));
    close(fd);
    close(null);
}

/* IPC-2, IPC-8 */
static void the_descriptor_is_in_the_first_four_bytes(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_device(api, 1 << 20);
    ze_ipc_mem_handle_t handle = handle_of(api, pointer), again;
    int fd;
    uint64_t number = 0;
    memcpy(&fd, handle.data, sizeof(fd));
    assert_true(fcntl(fd, F_GETFD) >= 0);
    assert_success(zeMemGetFileDescriptorFromIpcHandleExp(api->context, handle, &number));
    assert_int_equal(number, fd);
    assert_success(zeMemGetIpcHandleFromFileDescriptorExp(api->context, number, &again));
    assert_memory_equal(&handle, &again, sizeof(handle));
    assert_result(zeMemGetIpcHandleFromFileDescriptorExp(api->context, UINT64_MAX, &again),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeMemPutIpcHandle(api->context, handle));
    api_free(api, pointer);
}

/* ---- what a descriptor shows ---- */

static size_t whole_pages(size_t bytes)
{
    return (bytes + 4095) & ~(size_t)4095;
}

/* All that a descriptor shows, which has to be this many bytes. */
static char *view_of(int fd, size_t bytes)
{
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_size, bytes);
    char *view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(view != MAP_FAILED);
    return view;
}

static bool all_are(const char *bytes, size_t count, char value)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != value) {
            return false;
        }
    }
    return true;
}

/* IPC-2, IPC-5, IPC-8: clients map the descriptor at offset 0 themselves. */
static void a_descriptor_shows_its_memory_alone_and_from_the_start(void **state)
{
    struct api *api = *state;
    static void *(*const allocators[])(struct api *, size_t) = {api_alloc_device, api_alloc_host,
                                                                api_alloc_shared};
    static const size_t sizes[] = {1, 64, 4096, 5000, 300000, 900000, 5000000};
    for (size_t i = 0; i < 3 * sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t bytes = sizes[i / 3];
        char *before = allocators[i % 3](api, 4096), *memory = allocators[i % 3](api, bytes),
             *behind = allocators[i % 3](api, 4096);
        memset(before, 'b', 4096);
        memset(memory, 'm', bytes);
        memset(behind, 'e', 4096);
        ze_ipc_mem_handle_t handle = handle_of(api, memory);
        char *view = view_of(descriptor_of(&handle), whole_pages(bytes));
        assert_true(all_are(view, bytes, 'm'));
        assert_true(all_are(memory, bytes, 'm')); /* at its old address */
        memory[bytes - 1] = 'n';
        assert_int_equal(view[bytes - 1], 'n');
        memset(view, 'v', whole_pages(bytes));
        assert_true(all_are(memory, bytes, 'v'));
        assert_true(all_are(before, 4096, 'b') && all_are(behind, 4096, 'e'));
        munmap(view, whole_pages(bytes));
        assert_success(zeMemPutIpcHandle(api->context, handle));
        api_free(api, before);
        api_free(api, memory);
        api_free(api, behind);
    }
}

/* IPC-2, IPC-4: also not as the next allocation at its address. */
static void freed_memory_stays_with_whoever_opened_it(void **state)
{
    struct api *api = *state;
    enum { BYTES = 8192, COUNT = 64 };
    char *memory = api_alloc_device(api, BYTES), *opened = NULL, *others[COUNT];
    memset(memory, 'm', BYTES);
    ze_ipc_mem_handle_t handle = handle_of(api, memory);
    assert_success(zeMemOpenIpcHandle(api->context, api->device, handle, 0, (void **)&opened));
    api_free(api, memory);
    for (int i = 0; i < COUNT; i++) {
        others[i] = api_alloc_device(api, BYTES);
        memset(others[i], 'o', BYTES);
    }
    assert_true(all_are(opened, BYTES, 'm'));
    memset(opened, 'p', BYTES);
    for (int i = 0; i < COUNT; i++) {
        assert_true(all_are(others[i], BYTES, 'o'));
        api_free(api, others[i]);
    }
    assert_success(zeMemCloseIpcHandle(api->context, opened));
}

/* Raises its own cells of the memory by one in each round, and notices where one is behind. */
struct writer {
    volatile uint32_t *cells;
    size_t count;
    _Atomic uint32_t rounds;
    _Atomic bool stop;
    uint32_t lost;
};

enum { WRITERS = 2 };

static void *write_on(void *argument)
{
    struct writer *writer = argument;
    for (uint32_t round = 0; !atomic_load(&writer->stop); round++) {
        for (size_t i = 0; i < writer->count; i += WRITERS) {
            writer->lost += writer->cells[i] != round;
            writer->cells[i] = round + 1;
        }
        atomic_store(&writer->rounds, round + 1);
    }
    return NULL;
}

static void export_under_writers(struct api *api, size_t bytes)
{
    pthread_t threads[WRITERS];
    struct writer writers[WRITERS];
    char *memory = api_alloc_shared(api, bytes);
    memset(memory, 0, bytes);
    memset(writers, 0, sizeof(writers));
    for (int i = 0; i < WRITERS; i++) {
        writers[i].cells = (uint32_t *)(void *)memory + i;
        writers[i].count = bytes / 4;
        assert_int_equal(pthread_create(&threads[i], NULL, write_on, &writers[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        while (atomic_load(&writers[i].rounds) == 0) {
            sched_yield();
        }
    }
    ze_ipc_mem_handle_t handle = handle_of(api, memory);
    for (int i = 0; i < WRITERS; i++) {
        uint32_t seen = atomic_load(&writers[i].rounds);
        while (atomic_load(&writers[i].rounds) < seen + 2) {
            sched_yield();
        }
        atomic_store(&writers[i].stop, true);
        pthread_join(threads[i], NULL);
        assert_int_equal(writers[i].lost, 0);
    }
    uint32_t *view = (uint32_t *)(void *)view_of(descriptor_of(&handle), bytes);
    for (size_t i = 0; i < bytes / 4; i++) {
        assert_int_equal(view[i], writers[i % WRITERS].rounds);
    }
    munmap(view, bytes);
    api_free(api, memory);
}

/* IPC-2, IPC-4 */
static void no_write_is_lost_while_a_handle_is_made(void **state)
{
    struct api *api = *state;
    for (int i = 0; i < 30; i++) {
        export_under_writers(api, i % 2 ? 16384 : 524288);
    }
}

/* IPC-2 */
static void copies_go_on_while_a_handle_is_made(void **state)
{
    struct api *api = *state;
    enum { BYTES = 500000, COPIES = 100 };
    char *memory = api_alloc_device(api, BYTES), *source = api_alloc_host(api, BYTES + COPIES);
    for (int i = 0; i < BYTES + COPIES; i++) {
        source[i] = (char)(i * 7 % 251);
    }
    struct api_list list = api_list_create(api);
    for (int i = 0; i <= COPIES; i++) {
        assert_success(
            zeCommandListAppendMemoryCopy(list.list, memory, source + i, BYTES, NULL, 0, NULL));
    }
    if (list.queue) {
        assert_success(zeCommandListClose(list.list));
        assert_success(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL));
    }
    ze_ipc_mem_handle_t handle = handle_of(api, memory);
    assert_success(list.queue ? zeCommandQueueSynchronize(list.queue, UINT64_MAX)
                              : zeCommandListHostSynchronize(list.list, UINT64_MAX));
    char *view = view_of(descriptor_of(&handle), whole_pages(BYTES));
    assert_memory_equal(view, source + COPIES, BYTES);
    munmap(view, whole_pages(BYTES));
    api_list_destroy(&list);
    api_free(api, source);
    api_free(api, memory);
}

typedef ze_result_t (*get_fn)(ze_context_handle_t context, const void *pointer, uint32_t *count,
                              ze_ipc_mem_handle_t *handles);
typedef ze_result_t (*open_fn)(ze_context_handle_t context, ze_device_handle_t device,
                               uint32_t count, ze_ipc_mem_handle_t *handles,
                               ze_ipc_memory_flags_t flags, void **pointer);

/* IPC-2, INI-9 */
static void handles_come_as_a_list_too(void **state)
{
    struct api *api = *state;
    get_fn get;
    open_fn open_list;
    assert_success(
        zeDriverGetExtensionFunctionAddress(api->driver, "zexMemGetIpcHandles", (void **)&get));
    assert_success(zeDriverGetExtensionFunctionAddress(api->driver, "zexMemOpenIpcHandles",
                                                       (void **)&open_list));
    char *first = api_alloc_device(api, 8192);
    void *second = NULL;
    uint32_t count = 0;
    ze_ipc_mem_handle_t handle;
    assert_success(get(api->context, first, &count, NULL));
    assert_int_equal(count, 1);
    assert_success(get(api->context, first, &count, &handle));
    assert_success(open_list(api->context, api->device, count, &handle, 0, &second));
    strcpy(first, "a list of one");
    assert_string_equal(second, "a list of one");
    assert_int_equal(open_list(api->context, api->device, 2, &handle, 0, &second),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_success(zeMemCloseIpcHandle(api->context, second));
    assert_success(zeMemPutIpcHandle(api->context, handle));
    api_free(api, first);
}

/* IPC-4, IPC-8 */
static void hostile_handles_are_refused(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_device(api, 8192);
    ze_ipc_mem_handle_t good = handle_of(api, pointer), bad;
    void *untouched = state, *out = untouched;
    memset(&bad, 0, sizeof(bad));
    assert_result(zeMemOpenIpcHandle(api->context, api->device, bad, 0, &out),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    memset(&bad, 0xff, sizeof(bad));
    assert_result(zeMemOpenIpcHandle(api->context, api->device, bad, 0, &out),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    srand(7);
    for (int i = 0; i < 500; i++) { /* any bit wrong: an error or the same memory, never a crash */
        bad = good;
        bad.data[rand() % (int)sizeof(bad.data)] ^= (char)(1 << rand() % 8);
        out = NULL;
        if (zeMemOpenIpcHandle(api->context, api->device, bad, 0, &out) == ZE_RESULT_SUCCESS) {
            assert_success(zeMemCloseIpcHandle(api->context, out));
        }
    }
    out = untouched;
    assert_result(zeMemOpenIpcHandle(api->context, api->device, good, 0x100, &out),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(zeMemOpenIpcHandle(api->context, api->device, good, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_ptr_equal(out, untouched);
    assert_success(zeMemPutIpcHandle(api->context, good));
    api_free(api, pointer);
}

/* ---- between processes ----
 *
 * The receiver is a child that was forked before the memory was made; it works with a context of
 * its own in its own copy of the driver. */

struct channel {
    int sockets[2];
    pid_t child;
};

static void receive_and_answer(struct api *api, int socket);

static struct channel receiver_start(struct api *api)
{
    struct channel channel;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, channel.sockets), 0);
    fflush(NULL);
    channel.child = fork();
    assert_true(channel.child >= 0);
    if (channel.child == 0) {
        close(channel.sockets[0]);
        receive_and_answer(api, channel.sockets[1]);
        _exit(100);
    }
    close(channel.sockets[1]);
    return channel;
}

static int receiver_end(struct channel *channel)
{
    int status = -1;
    close(channel->sockets[0]);
    waitpid(channel->child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Sends the handle; with a descriptor beside it when fd >= 0. */
static void handle_send(int socket, const ze_ipc_mem_handle_t *handle, int fd)
{
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {(void *)(uintptr_t)handle, sizeof(*handle)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        memset(control, 0, sizeof(control));
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &fd, sizeof(fd));
    }
    assert_int_equal(sendmsg(socket, &message, 0), sizeof(*handle));
}

static int handle_receive(int socket, ze_ipc_mem_handle_t *handle)
{
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {handle, sizeof(*handle)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
    if (recvmsg(socket, &message, 0) != (ssize_t)sizeof(*handle)) {
        return 1;
    }
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS) {
        memcpy(handle->data, CMSG_DATA(header), sizeof(int)); /* what clients do */
    }
    return 0;
}

/* In the child: opens what arrives, checks and changes its contents, closes it. The exit status
 * names the step that failed. */
static void receive_and_answer(struct api *api, int socket)
{
    ze_ipc_mem_handle_t handle;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context;
    char *pointer = NULL;
    if (handle_receive(socket, &handle)) {
        _exit(1);
    }
    if (zeContextCreate(api->driver, &desc, &context)) {
        _exit(2);
    }
    if (zeMemOpenIpcHandle(context, api->device, handle, 0, (void **)&pointer)) {
        _exit(3);
    }
    if (strcmp(pointer, "from the parent") != 0) {
        _exit(4);
    }
    strcpy(pointer + 9000, "from the child");
    if (zeMemCloseIpcHandle(context, pointer)) {
        _exit(5);
    }
    if (zeContextDestroy(context)) {
        _exit(6);
    }
    _exit(0);
}

static void exchange_at(struct api *api, char *pointer, bool with_descriptor)
{
    struct channel channel = receiver_start(api);
    strcpy(pointer, "from the parent");
    ze_ipc_mem_handle_t handle = handle_of(api, pointer);
    handle_send(channel.sockets[0], &handle, with_descriptor ? descriptor_of(&handle) : -1);
    assert_int_equal(receiver_end(&channel), 0);
    assert_string_equal(pointer + 9000, "from the child");
    assert_success(zeMemPutIpcHandle(api->context, handle));
}

static void exchange(struct api *api, size_t bytes, bool with_descriptor)
{
    char *pointer = api_alloc_device(api, bytes);
    exchange_at(api, pointer, with_descriptor);
    api_free(api, pointer);
}

/* IPC-1, IPC-2, IPC-8 */
static void another_process_opens_a_handle_sent_by_value(void **state)
{
    struct api *api = *state;
    exchange(api, 16384, false);   /* from a slab */
    exchange(api, 4 << 20, false); /* with a file of its own */
}

/* IPC-1, IPC-2, IPC-8 */
static void another_process_opens_a_handle_with_its_descriptor(void **state)
{
    struct api *api = *state;
    exchange(api, 16384, true);
    exchange(api, 4 << 20, true);
}

/* IPC-1, IPC-2, VMM-4 */
static void another_process_opens_memory_mapped_into_a_reservation(void **state)
{
    struct api *api = *state;
    enum { BYTES = 65536 };
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                   .size = 2 * BYTES};
    ze_physical_mem_handle_t physical = NULL;
    void *range = NULL;
    assert_success(zePhysicalMemCreate(api->context, api->device, &desc, &physical));
    assert_success(zeVirtualMemReserve(api->context, NULL, 2 * BYTES, &range));
    char *second = (char *)range + BYTES; /* the other half of the physical memory each */
    assert_success(zeVirtualMemMap(api->context, range, BYTES, physical, BYTES,
                                   ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    assert_success(zeVirtualMemMap(api->context, second, BYTES, physical, 0,
                                   ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    exchange_at(api, range, false);
    exchange_at(api, second, true);
    ze_ipc_mem_handle_t handle = handle_of(api, range);
    assert_true(is_open(descriptor_of(&handle)));
    assert_success(zeVirtualMemUnmap(api->context, range, 2 * BYTES));
    assert_false(is_open(descriptor_of(&handle)));
    assert_result(zeMemGetIpcHandle(api->context, range, &handle),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* nothing is mapped there */
    assert_success(zeVirtualMemFree(api->context, range, 2 * BYTES));
    assert_success(zePhysicalMemDestroy(api->context, physical));
}

/* IPC-1, IPC-2, VMM-4: by its handle, without a mapping of its own */
static void another_process_opens_physical_memory_that_is_mapped_nowhere(void **state)
{
    struct api *api = *state;
    enum { BYTES = 65536 };
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                   .size = BYTES};
    ze_physical_mem_handle_t physical = NULL;
    ze_ipc_mem_handle_t handle, again;
    char *range = NULL, *own = NULL;
    for (int with_descriptor = 0; with_descriptor < 2; with_descriptor++) {
        assert_success(zePhysicalMemCreate(api->context, api->device, &desc, &physical));
        struct channel channel = receiver_start(api);
        assert_success(zeMemGetIpcHandleWithProperties(api->context, physical, NULL, &handle));
        assert_success(zeMemOpenIpcHandle(api->context, api->device, handle, 0, (void **)&own));
        strcpy(own, "from the parent");
        handle_send(channel.sockets[0], &handle, with_descriptor ? descriptor_of(&handle) : -1);
        assert_int_equal(receiver_end(&channel), 0);
        assert_success(zeMemCloseIpcHandle(api->context, own));
        assert_success(zeVirtualMemReserve(api->context, NULL, BYTES, (void **)&range));
        assert_success(zeVirtualMemMap(api->context, range, BYTES, physical, 0,
                                       ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
        assert_string_equal(range + 9000, "from the child");
        /* handles are counted, and end with the memory */
        assert_success(zeMemGetIpcHandleWithProperties(api->context, physical, NULL, &again));
        assert_memory_equal(&handle, &again, sizeof(handle));
        assert_success(zeMemPutIpcHandle(api->context, handle));
        assert_true(is_open(descriptor_of(&again)));
        if (with_descriptor) {
            assert_success(zeMemPutIpcHandle(api->context, again));
            assert_false(is_open(descriptor_of(&again)));
        }
        assert_success(zePhysicalMemDestroy(api->context, physical));
        assert_false(is_open(descriptor_of(&again)));
        assert_string_equal(range, "from the parent"); /* the mapping has it still */
        assert_success(zeVirtualMemUnmap(api->context, range, BYTES));
        assert_success(zeVirtualMemFree(api->context, range, BYTES));
    }
    assert_result(zeMemGetIpcHandleWithProperties(api->context, &desc, NULL, &handle),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* IPC-2, IPC-8: what clients make of a descriptor that they received: its number and zeros. */
static void a_handle_made_of_a_descriptor_is_its_memory(void **state)
{
    struct api *api = *state;
    char *memory = api_alloc_device(api, 5000), *opened = NULL;
    strcpy(memory + 4900, "behind");
    ze_ipc_mem_handle_t handle = handle_of(api, memory), bare;
    uint64_t number = 0;
    int fd = dup(descriptor_of(&handle));
    memset(&bare, 0, sizeof(bare));
    memcpy(&bare, &fd, sizeof(fd));
    assert_success(zeMemOpenIpcHandle(api->context, api->device, bare, 0, (void **)&opened));
    assert_success(zeMemGetFileDescriptorFromIpcHandleExp(api->context, bare, &number));
    assert_int_equal(number, fd);
    close(fd);
    assert_string_equal(opened + 4900, "behind");
    strcpy(opened, "both ways");
    assert_string_equal(memory, "both ways");
    assert_success(zeMemCloseIpcHandle(api->context, opened));
    api_free(api, memory);
}

/* IPC-8: the number in a hostile handle must not open files of the receiver. */
static void a_handle_made_of_another_file_is_refused(void **state)
{
    struct api *api = *state;
    char path[] = "/tmp/geoid-ipc-XXXXXX";
    int pipes[2], files[4];
    assert_int_equal(pipe(pipes), 0);
    files[0] = mkstemp(path);
    files[1] = memfd_create("not sealed", MFD_CLOEXEC);
    files[2] = pipes[0];
    files[3] = -1;
    assert_true(files[0] >= 0 && files[1] >= 0);
    assert_int_equal(unlink(path), 0);
    for (int i = 0; i < 4; i++) {
        ze_ipc_mem_handle_t bare;
        void *out = NULL;
        if (i < 2) {
            assert_int_equal(ftruncate(files[i], 8192), 0);
        }
        memset(&bare, 0, sizeof(bare));
        memcpy(&bare, &files[i], sizeof(int));
        assert_result(zeMemOpenIpcHandle(api->context, api->device, bare, 0, &out),
                      ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_null(out);
    }
    close(files[0]);
    close(files[1]);
    close(pipes[0]);
    close(pipes[1]);
}

/* IPC-2 */
static void a_process_that_is_gone_is_an_error(void **state)
{
    struct api *api = *state;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ze_ipc_mem_handle_t handle;
        void *pointer;
        ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
        int failed =
            zeMemAllocDevice(api->context, &desc, 4 << 20, 0, api->device, &pointer) != 0 ||
            zeMemGetIpcHandle(api->context, pointer, &handle) != 0 ||
            write(pipes[1], &handle, sizeof(handle)) != (ssize_t)sizeof(handle);
        _exit(failed);
    }
    ze_ipc_mem_handle_t handle;
    assert_int_equal(read(pipes[0], &handle, sizeof(handle)), sizeof(handle));
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    void *pointer = NULL;
    assert_result(zeMemOpenIpcHandle(api->context, api->device, handle, 0, &pointer),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    close(pipes[0]);
    close(pipes[1]);
}

static const struct api_case cases[] = {
    API_CASE(an_opened_handle_shows_the_same_memory),
    API_CASE(handles_are_for_the_base_and_end_with_the_memory),
    API_CASE(handles_of_one_memory_are_counted),
    API_CASE(a_descriptor_that_the_client_closed_is_left_alone),
    API_CASE(the_descriptor_is_in_the_first_four_bytes),
    API_CASE(a_descriptor_shows_its_memory_alone_and_from_the_start),
    API_CASE(freed_memory_stays_with_whoever_opened_it),
    API_CASE(no_write_is_lost_while_a_handle_is_made),
    API_RUN_CASE(copies_go_on_while_a_handle_is_made),
    API_CASE(handles_come_as_a_list_too),
    API_CASE(hostile_handles_are_refused),
    API_CASE(another_process_opens_a_handle_sent_by_value),
    API_CASE(another_process_opens_a_handle_with_its_descriptor),
    API_CASE(another_process_opens_memory_mapped_into_a_reservation),
    API_CASE(another_process_opens_physical_memory_that_is_mapped_nowhere),
    API_CASE(a_handle_made_of_a_descriptor_is_its_memory),
    API_CASE(a_handle_made_of_another_file_is_refused),
    API_CASE(a_process_that_is_gone_is_an_error),
};

API_MAIN("ipc", cases)
