/* What receivers of IPC handles and descriptors trust: shared memory of a driver, and nothing else.
 * Handles are forged here as an enemy would, who knows what is in them; peers cut their files, seal
 * and close them and die. GEOID_TEST_ROUNDS multiplies the work. */
#include "harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef GEOID_SANITIZED
/* The peers start threads after a fork with threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

enum { BYTES = 65536, FORGERIES = 20000, PEERS = 40 };

/* The 64 bytes. The cases that open what is right fail when this is not what drivers write. */
struct contents {
    int32_t fd;
    uint32_t magic, kind;
    int32_t pid;
    uint64_t device, inode, offset, bytes;
    uint32_t detail, detail2;
    uint64_t reserved;
};

static int rounds(void)
{
    const char *text = getenv("GEOID_TEST_ROUNDS");
    int count = text ? atoi(text) : 1;
    return count > 0 ? count : 1;
}

static struct contents contents_of(const void *handle)
{
    struct contents contents;
    memcpy(&contents, handle, sizeof(contents));
    return contents;
}

static ze_result_t memory_open(struct api *api, const struct contents *contents, void **out)
{
    ze_ipc_mem_handle_t handle;
    memcpy(&handle, contents, sizeof(handle));
    *out = NULL;
    return zeMemOpenIpcHandle(api->context, api->device, handle, 0, out);
}

static ze_ipc_mem_handle_t memory_handle(struct api *api, void *pointer)
{
    ze_ipc_mem_handle_t handle;
    assert_success(zeMemGetIpcHandle(api->context, pointer, &handle));
    return handle;
}

/* Device and inode of a descriptor; false when it is none. */
static bool contents_name(struct contents *contents, int fd, uint64_t bytes)
{
    struct stat status;
    contents->fd = fd;
    contents->offset = 0;
    contents->bytes = bytes;
    if (fstat(fd, &status) != 0) {
        return false;
    }
    contents->device = status.st_dev;
    contents->inode = status.st_ino;
    return true;
}

/* ---- files of the receiver ---- */

enum { FILES = 6 };

static int sealed_file(unsigned flags, int seals)
{
    int fd = memfd_create("somebody's", flags);
    assert_true(fd >= 0 && ftruncate(fd, BYTES) == 0);
    assert_true(seals == 0 || fcntl(fd, F_ADD_SEALS, seals) == 0);
    return fd;
}

static int ordinary_file(void)
{
    char path[] = "/tmp/geoid-trust-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && unlink(path) == 0 && ftruncate(fd, BYTES) == 0);
    return fd;
}

/* Files that a program may have open, none of them shared by a driver. */
static void files_open(int files[FILES])
{
    files[0] = ordinary_file();
    files[1] = sealed_file(MFD_CLOEXEC, 0); /* cannot have seals */
    files[2] = sealed_file(MFD_CLOEXEC | MFD_ALLOW_SEALING, 0);
    files[3] = sealed_file(MFD_CLOEXEC | MFD_ALLOW_SEALING, F_SEAL_SHRINK);
    /* as sound servers and compositors do */
    files[4] =
        sealed_file(MFD_CLOEXEC | MFD_ALLOW_SEALING, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    files[5] = open("/dev/zero", O_RDWR | O_CLOEXEC);
    assert_true(files[5] >= 0);
}

static void files_close(const int files[FILES])
{
    for (int i = 0; i < FILES; i++) {
        close(files[i]);
    }
}

/* Every way in for what is said about memory. */
static void nothing_opens(struct api *api, struct contents contents)
{
    ze_event_pool_handle_t pool = NULL;
    ze_event_handle_t event = NULL;
    ze_ipc_event_pool_handle_t pool_handle;
    ze_ipc_event_counter_based_handle_t event_handle;
    void *out;
    assert_result(memory_open(api, &contents, &out), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_null(out);
    contents.kind = 2;
    contents.bytes = 64;
    contents.detail = 0;
    contents.detail2 = 1;
    memcpy(&pool_handle, &contents, sizeof(contents));
    assert_result(zeEventPoolOpenIpcHandle(api->context, pool_handle, &pool),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    contents.kind = 3;
    memcpy(&event_handle, &contents, sizeof(contents));
    assert_result(zeEventCounterBasedOpenIpcHandle(api->context, event_handle, &event),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_true(!pool && !event);
}

/* IPC-8: whether by a whole handle or a bare descriptor, whatever the handle says of its sender. */
static void files_of_the_receiver_are_not_opened(void **state)
{
    struct api *api = *state;
    char *memory = api_alloc_device(api, BYTES);
    ze_ipc_mem_handle_t handle = memory_handle(api, memory);
    struct contents good = contents_of(&handle);
    int files[FILES];
    void *out;
    files_open(files);
    for (int i = 0; i < FILES; i++) {
        const struct contents bare = {.fd = files[i]};
        struct contents forged = good;
        assert_true(contents_name(&forged, files[i], 4096));
        nothing_opens(api, forged);
        forged.pid = getppid();
        nothing_opens(api, forged);
        assert_result(memory_open(api, &bare, &out), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        uint64_t number = (uint64_t)files[i];
        assert_result(zeMemGetIpcHandleFromFileDescriptorExp(api->context, number, &handle),
                      ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    /* the same forgery of what is shared opens */
    struct contents forged = {.magic = good.magic, .kind = 1, .pid = getppid()};
    assert_true(contents_name(&forged, good.fd, BYTES));
    assert_success(memory_open(api, &forged, &out));
    assert_success(zeMemCloseIpcHandle(api->context, out));
    files_close(files);
    api_free(api, memory);
}

/* IPC-8: small memory lies in slabs beside other memory, large memory alone in a file. */
static void memory_that_was_not_given_out_is_not_opened(void **state)
{
    struct api *api = *state;
    enum { LARGE = 4 << 20, NUMBERS = 1024 };
    char *small = api_alloc_device(api, BYTES), *large = api_alloc_device(api, LARGE);
    char *given = api_alloc_device(api, LARGE);
    memset(small, 's', BYTES);
    memset(large, 'l', LARGE);
    memset(given, 'g', LARGE);
    ze_ipc_mem_handle_t handle = memory_handle(api, given);
    struct contents good = contents_of(&handle);
    int opened = 0, present = 0;
    for (int fd = 0; fd < NUMBERS; fd++) {
        const struct contents bare = {.fd = fd};
        struct contents forged = good;
        char *out = NULL;
        present += contents_name(&forged, fd, 4096);
        if (memory_open(api, &bare, (void **)&out) == ZE_RESULT_SUCCESS) {
            assert_int_equal(out[0], 'g');
            assert_success(zeMemCloseIpcHandle(api->context, out));
            opened++;
        }
        if (memory_open(api, &forged, (void **)&out) == ZE_RESULT_SUCCESS) {
            assert_int_equal(out[0], 'g');
            assert_success(zeMemCloseIpcHandle(api->context, out));
            opened++;
        }
    }
    assert_int_equal(opened, 4); /* its own descriptor and the one in handles, each way */
    assert_true(present > 4);
    api_free(api, small);
    api_free(api, large);
    api_free(api, given);
}

/* ---- forgeries ---- */

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static uint64_t random_of(uint64_t *state, const uint64_t *values, size_t count)
{
    return values[random_next(state) % count];
}

static void contents_forge(struct contents *c, uint64_t *state)
{
    const uint64_t sizes[] = {0,         1,          64,           4095,
                              4096,      BYTES - 64, BYTES - 4096, BYTES,
                              BYTES + 1, 1ull << 40, INT64_MAX,    UINT64_MAX};
    const uint64_t pids[] = {(uint64_t)getpid(), (uint64_t)getppid(), 0, 0x7fffffff, 0xffffffff};
    struct contents other = *c;
    for (uint64_t changes = 1 + random_next(state) % 4; changes; changes--) {
        switch (random_next(state) % 10) {
        case 0: /* another file, and all that is known of it */
            (void)contents_name(c, (int)(random_next(state) % 64), c->bytes);
            break;
        case 1:
            c->fd = (int32_t)(random_next(state) % 64);
            break;
        case 2:
            c->pid = (int32_t)random_of(state, pids, 5);
            break;
        case 3:
            c->offset = random_of(state, sizes, 12);
            break;
        case 4:
            c->bytes = random_of(state, sizes, 12);
            break;
        case 5:
            c->kind = (uint32_t)(random_next(state) % 5);
            break;
        case 6:
            c->detail2 = (uint32_t)random_next(state);
            c->detail = (uint32_t)random_next(state);
            break;
        case 7:
            ((uint8_t *)c)[random_next(state) % sizeof(*c)] ^=
                (uint8_t)(1u << random_next(state) % 8);
            break;
        case 8: /* a bare one */
            *c = (struct contents){.fd = other.fd};
            break;
        default:
            c->bytes = 64 * (uint64_t)c->detail2;
            break;
        }
    }
}

/* What opens is the one memory that was shared: G everywhere. Touches both ends. */
static void opened_check(struct api *api, const struct contents *c, char *out)
{
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    void *base;
    size_t bytes;
    assert_success(zeMemGetAllocProperties(api->context, out, &p, NULL));
    assert_success(zeMemGetAddressRange(api->context, out, &base, &bytes));
    assert_true(base == out && bytes <= BYTES && (c->bytes == 0 || bytes == c->bytes));
    assert_true(out[0] == 'G' && out[bytes - 1] == 'G');
    assert_success(zeMemCloseIpcHandle(api->context, out));
}

static uint64_t forgery_try(struct api *api, const struct contents *c)
{
    ze_ipc_event_pool_handle_t pool_handle;
    ze_ipc_event_counter_based_handle_t event_handle;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    void *out;
    uint64_t opened = 0;
    memcpy(&pool_handle, c, sizeof(*c));
    memcpy(&event_handle, c, sizeof(*c));
    if (memory_open(api, c, &out) == ZE_RESULT_SUCCESS) {
        opened_check(api, c, out);
        opened++;
    }
    if (zeEventPoolOpenIpcHandle(api->context, pool_handle, &pool) == ZE_RESULT_SUCCESS) {
        assert_success(zeEventPoolCloseIpcHandle(pool));
        opened++;
    }
    if (zeEventCounterBasedOpenIpcHandle(api->context, event_handle, &event) == ZE_RESULT_SUCCESS) {
        (void)zeEventQueryStatus(event);
        assert_success(zeEventCounterBasedCloseIpcHandle(event));
        opened++;
    }
    return opened;
}

/* IPC-4, IPC-8 */
static void forged_handles_open_what_was_shared_or_nothing(void **state)
{
    struct api *api = *state;
    char *memory = api_alloc_device(api, BYTES), *own = api_alloc_device(api, BYTES);
    int files[FILES];
    uint64_t random = 7, opened = 0;
    memset(memory, 'G', BYTES);
    memset(own, 'O', BYTES);
    files_open(files);
    ze_ipc_mem_handle_t handle = memory_handle(api, memory);
    for (int64_t i = 0; i < (int64_t)FORGERIES * rounds(); i++) {
        struct contents forged = contents_of(&handle);
        contents_forge(&forged, &random);
        opened += forgery_try(api, &forged);
    }
    assert_true(opened > 100); /* or nothing but the first check was tried */
    files_close(files);
    api_free(api, memory);
    api_free(api, own);
}

/* ---- peers ---- */

enum peer_kind {
    PEER_HONEST,    /* shares memory, tries to cut it, closes it, dies */
    PEER_CUTS,      /* a memory file of its own, cut when it was opened */
    PEER_CUTS_LATE, /* the same, sealed against growing only */
    PEER_DISK,      /* a file of a disk, cut */
    PEER_SEALS,     /* a file that nobody may write */
    PEER_KINDS,
};

static int peer_file(enum peer_kind kind)
{
    switch (kind) {
    case PEER_CUTS_LATE:
        return sealed_file(MFD_ALLOW_SEALING, F_SEAL_GROW);
    case PEER_DISK:
        return ordinary_file();
    case PEER_SEALS:
        return sealed_file(MFD_ALLOW_SEALING,
                           F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    default:
        return sealed_file(MFD_ALLOW_SEALING, 0);
    }
}

/* In the peer: sends a handle of memory by value, does its worst when it was opened. */
static int peer_run(struct api *api, enum peer_kind kind, int socket, struct contents forged)
{
    char *memory = NULL;
    ze_ipc_mem_handle_t handle;
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    char answer;
    if (kind == PEER_HONEST) {
        if (zeMemAllocDevice(api->context, &desc, BYTES, 0, api->device, (void **)&memory) ||
            zeMemGetIpcHandle(api->context, memory, &handle)) {
            return 1;
        }
        memset(memory, 'P', BYTES);
        forged = contents_of(&handle);
    } else {
        forged.pid = getpid();
        if (!contents_name(&forged, peer_file(kind), BYTES)) {
            return 2;
        }
    }
    if (write(socket, &forged, sizeof(forged)) != (ssize_t)sizeof(forged) ||
        read(socket, &answer, 1) != 1) {
        return 3;
    }
    bool cut = ftruncate(forged.fd, 0) == 0;
    close(forged.fd);
    return write(socket, cut ? "c" : "-", 1) == 1 ? 0 : 4;
}

static pid_t peer_start(struct api *api, enum peer_kind kind, const struct contents *form,
                        int *socket)
{
    int sockets[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    fflush(NULL);
    pid_t peer = fork();
    assert_true(peer >= 0);
    if (peer == 0) {
        close(sockets[0]);
        _exit(peer_run(api, kind, sockets[1], *form));
    }
    close(sockets[1]);
    *socket = sockets[0];
    return peer;
}

static void peer_meet(struct api *api, enum peer_kind kind, const struct contents *form)
{
    struct contents theirs;
    char *out = NULL, answer;
    int socket, status;
    pid_t peer = peer_start(api, kind, form, &socket);
    assert_int_equal(read(socket, &theirs, sizeof(theirs)), sizeof(theirs));
    ze_result_t result = memory_open(api, &theirs, (void **)&out);
    assert_int_equal(write(socket, "o", 1), 1);
    assert_int_equal(read(socket, &answer, 1), 1);
    assert_int_equal(waitpid(peer, &status, 0), peer);
    assert_int_equal(status, 0);
    if (result == ZE_RESULT_SUCCESS) { /* it is all there, whatever became of the peer */
        for (int i = 0; i < BYTES; i += 4096) {
            assert_int_equal(out[i], 'P');
        }
        out[BYTES - 1] = 'Q';
        assert_success(zeMemCloseIpcHandle(api->context, out));
    }
    assert_true((result == ZE_RESULT_SUCCESS) == (kind == PEER_HONEST));
    assert_true(answer == (kind == PEER_HONEST || kind == PEER_SEALS ? '-' : 'c'));
    close(socket);
}

/* IPC-2, IPC-4 */
static void peers_that_cut_their_files_harm_nobody(void **state)
{
    struct api *api = *state;
    char *memory = api_alloc_device(api, BYTES);
    ze_ipc_mem_handle_t handle = memory_handle(api, memory);
    const struct contents form = contents_of(&handle);
    for (int i = 0; i < PEERS * rounds(); i++) {
        peer_meet(api, (enum peer_kind)(i % PEER_KINDS), &form);
    }
    api_free(api, memory);
}

/* ---- descriptors that the application gives ---- */

static ze_result_t import_memory(struct api *api, int fd, void **out)
{
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                             .fd = fd};
    ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC,
                                     .pNext = &import};
    return zeMemAllocHost(api->context, &desc, BYTES, 0, out);
}

static ze_result_t import_physical(struct api *api, int fd, ze_physical_mem_handle_t *out)
{
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                             .fd = fd};
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .pNext = &import,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                   .size = BYTES};
    return zePhysicalMemCreate(api->context, api->device, &desc, out);
}

/* EXM-4: they are sealed when they can be and refused when not. */
static void imported_files_cannot_be_cut_any_more(void **state)
{
    struct api *api = *state;
    char *memory = NULL;
    ze_physical_mem_handle_t physical = NULL;
    int fd = sealed_file(MFD_CLOEXEC | MFD_ALLOW_SEALING, 0);
    assert_success(import_memory(api, fd, (void **)&memory));
    assert_int_equal(ftruncate(fd, 0), -1);
    memory[BYTES - 1] = 'x';
    api_free(api, memory);
    close(fd);
    fd = sealed_file(MFD_CLOEXEC | MFD_ALLOW_SEALING, 0);
    assert_success(import_physical(api, fd, &physical));
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_success(zePhysicalMemDestroy(api->context, physical));
    close(fd);
}

/* EXM-4 */
static void files_that_can_be_cut_are_not_imported(void **state)
{
    struct api *api = *state;
    int files[] = {ordinary_file(), sealed_file(MFD_CLOEXEC, 0)};
    for (int i = 0; i < 2; i++) {
        void *memory = NULL;
        ze_physical_mem_handle_t physical = NULL;
        const char *text = NULL;
        assert_result(import_memory(api, files[i], &memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
        assert_non_null(strstr(text, "sealed against shrinking"));
        assert_result(import_physical(api, files[i], &physical), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
        assert_non_null(strstr(text, "sealed against shrinking"));
        assert_true(!memory && !physical);
        close(files[i]);
    }
}

static void bare_handle_opens(struct api *api, int fd)
{
    const struct contents bare = {.fd = fd};
    void *out;
    assert_success(memory_open(api, &bare, &out));
    assert_success(zeMemCloseIpcHandle(api->context, out));
    close(fd);
}

/* EXM-3, IPC-8: no handle was ever made of this memory by the driver. */
static void handles_are_made_of_exported_descriptors(void **state)
{
    struct api *api = *state;
    char *memory = api_alloc_device(api, BYTES);
    ze_physical_mem_handle_t physical = NULL;
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                   .size = BYTES};
    ze_external_memory_export_fd_t export_fd = {.stype =
                                                    ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                                .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                                .fd = -1};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
                                           .pNext = &export_fd};
    ze_physical_mem_properties_t pages = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES,
                                          .pNext = &export_fd};
    assert_success(zeMemGetAllocProperties(api->context, memory, &p, NULL));
    bare_handle_opens(api, export_fd.fd);
    assert_success(zePhysicalMemCreate(api->context, api->device, &desc, &physical));
    assert_success(zePhysicalMemGetProperties(api->context, physical, &pages));
    bare_handle_opens(api, export_fd.fd);
    assert_success(zePhysicalMemDestroy(api->context, physical));
    api_free(api, memory);
}

static const struct api_case cases[] = {
    API_CASE(files_of_the_receiver_are_not_opened),
    API_CASE(memory_that_was_not_given_out_is_not_opened),
    API_CASE(forged_handles_open_what_was_shared_or_nothing),
    API_CASE(peers_that_cut_their_files_harm_nobody),
    API_CASE(imported_files_cannot_be_cut_any_more),
    API_CASE(files_that_can_be_cut_are_not_imported),
    API_CASE(handles_are_made_of_exported_descriptors),
};

API_MAIN("ipc_trust", cases)
