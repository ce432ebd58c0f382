/* Programs that close descriptors which they do not know, as daemons do, and then have files of
 * their own under the numbers: the driver neither writes to these files nor closes them, and what
 * does not need the lost descriptors works as before. Each case is a process of its own. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OWN = 60,
    OWN_BYTES = 64 << 20,
    OWN_MARKS = 128,
    PIECES = 90,
    PIECE = 900000,
    LARGE = 8 << 20
};

static char folder[] = "/tmp/geoid-descriptors-XXXXXX";
static struct api api;
static void *spirv;
static size_t spirv_bytes;

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void program_begin(void)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    uint32_t count = 1;
    MUST(zeInitDrivers(&count, &api.driver, &types) == ZE_RESULT_SUCCESS);
    count = 1;
    MUST(zeDeviceGet(api.driver, &count, &api.device) == ZE_RESULT_SUCCESS);
    MUST(zeContextCreate(api.driver, &desc, &api.context) == ZE_RESULT_SUCCESS);
}

/* ---- files of the program ---- */

static int own[OWN];
static int shift; /* which number has which kind of file */

enum kind { REGULAR, MEMORY, EVENTS, KINDS };

static enum kind kind_of(int i)
{
    return (enum kind)((i + shift) % KINDS);
}

static int own_open(enum kind kind)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/own", folder);
    if (kind == MEMORY) {
        return memfd_create("own", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    if (kind == EVENTS) {
        return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    MUST(unlink(path) == 0);
    return fd;
}

/* Takes every low number. Returns false when a thread of the driver opened a file meanwhile. */
static bool numbers_try(void)
{
    closefrom(3);
    for (int i = 0; i < OWN; i++) {
        own[i] = own_open(kind_of(i));
        if (own[i] != 3 + i) {
            return false;
        }
    }
    return true;
}

/* Takes every low number by files that every operation of a stranger would change. They are as
 * large as a slab, with a mark in every half MiB. */
static void numbers_take(void)
{
    for (int tries = 1; !numbers_try(); tries++) {
        MUST(tries < 100);
    }
    for (int i = 0; i < OWN; i++) {
        for (off_t mark = 0; kind_of(i) != EVENTS && mark < OWN_MARKS; mark++) {
            MUST(pwrite(own[i], "mine", 4, mark * (OWN_BYTES / OWN_MARKS)) == 4);
        }
        MUST(kind_of(i) == EVENTS || ftruncate(own[i], OWN_BYTES) == 0);
    }
}

static void numbers_check(void)
{
    char bytes[8];
    struct stat status;
    for (int i = 0; i < OWN; i++) {
        MUST(fstat(own[i], &status) == 0);
        if (kind_of(i) == EVENTS) {
            MUST(read(own[i], bytes, sizeof(bytes)) == -1 && errno == EAGAIN);
            continue;
        }
        MUST(status.st_size == OWN_BYTES && lseek(own[i], 0, SEEK_CUR) == 0);
        MUST(kind_of(i) == REGULAR || fcntl(own[i], F_GET_SEALS) == 0);
        for (off_t mark = 0; mark < OWN_MARKS; mark++) {
            MUST(pread(own[i], bytes, 4, mark * (OWN_BYTES / OWN_MARKS)) == 4);
            MUST(memcmp(bytes, "mine", 4) == 0);
        }
    }
}

/* ---- memory ---- */

static char *memory_make(size_t bytes)
{
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    MUST(zeMemAllocShared(api.context, &device, &host, bytes, 0, api.device, &memory) ==
         ZE_RESULT_SUCCESS);
    memset(memory, 'm', bytes);
    return memory;
}

static void child_memory(void)
{
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = 4 << 20};
    char *pieces[PIECES], *large = memory_make(LARGE), *shared = memory_make(PIECE);
    ze_physical_mem_handle_t physical;
    ze_ipc_mem_handle_t handle;
    void *range;
    MUST(zeMemGetIpcHandle(api.context, shared, &handle) == ZE_RESULT_SUCCESS);
    for (int i = 0; i < PIECES; i++) { /* several slabs */
        pieces[i] = memory_make(PIECE);
    }
    MUST(zePhysicalMemCreate(api.context, api.device, &desc, &physical) == ZE_RESULT_SUCCESS);
    MUST(zeVirtualMemReserve(api.context, NULL, desc.size, &range) == ZE_RESULT_SUCCESS);
    numbers_take();
    MUST(large[LARGE - 1] == 'm' && pieces[0][0] == 'm');
    MUST(zeMemGetIpcHandle(api.context, large, &handle) == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    MUST(zeMemGetIpcHandle(api.context, pieces[1], &handle) == ZE_RESULT_SUCCESS); /* a new file */
    MUST(zeMemPutIpcHandle(api.context, handle) == ZE_RESULT_SUCCESS);
    MUST(pieces[1][PIECE - 1] == 'm');
    MUST(zeVirtualMemMap(api.context, range, desc.size, physical, 0,
                         ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE) != ZE_RESULT_SUCCESS);
    for (int i = 0; i < PIECES; i++) { /* pages go back to the system, slabs go away */
        MUST(zeMemFree(api.context, pieces[i]) == ZE_RESULT_SUCCESS);
    }
    MUST(zeMemFree(api.context, large) == ZE_RESULT_SUCCESS);
    MUST(zeMemFree(api.context, shared) == ZE_RESULT_SUCCESS);
    MUST(zePhysicalMemDestroy(api.context, physical) == ZE_RESULT_SUCCESS);
    MUST(zeVirtualMemFree(api.context, range, desc.size) == ZE_RESULT_SUCCESS);
    for (int i = 0; i < PIECES; i++) { /* from what slabs are left, and from new ones */
        pieces[i] = memory_make(PIECE);
    }
    for (int i = 0; i < PIECES; i++) {
        MUST(pieces[i][PIECE - 1] == 'm');
        MUST(zeMemFree(api.context, pieces[i]) == ZE_RESULT_SUCCESS);
    }
    numbers_check();
}

/* ---- semaphores and the thread that watches them ---- */

static ze_external_semaphore_ext_handle_t semaphore_import(int fd)
{
    ze_external_semaphore_fd_ext_desc_t with = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC, .fd = fd};
    const ze_external_semaphore_ext_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC,
        .pNext = &with,
        .flags = ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD};
    ze_external_semaphore_ext_handle_t semaphore;
    MUST(zeDeviceImportExternalSemaphoreExt(api.device, &desc, &semaphore) == ZE_RESULT_SUCCESS);
    return semaphore;
}

static ze_command_list_handle_t list_make(void)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    MUST(zeCommandListCreateImmediate(api.context, api.device, &desc, &list) == ZE_RESULT_SUCCESS);
    return list;
}

static void wait_append(ze_command_list_handle_t list, ze_external_semaphore_ext_handle_t semaphore)
{
    ze_external_semaphore_wait_params_ext_t params = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT};
    MUST(zeCommandListAppendWaitExternalSemaphoreExt(list, 1, &semaphore, &params, NULL, 0, NULL) ==
         ZE_RESULT_SUCCESS);
}

/* Appends a wait that has to wait, signals, and waits for the list. */
static void semaphore_pass(ze_command_list_handle_t list)
{
    const uint64_t one = 1;
    int fd = eventfd(0, EFD_CLOEXEC);
    ze_external_semaphore_ext_handle_t semaphore = semaphore_import(fd);
    wait_append(list, semaphore);
    MUST(zeCommandListHostSynchronize(list, 50000000) == ZE_RESULT_NOT_READY);
    MUST(write(fd, &one, sizeof(one)) == sizeof(one));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX) == ZE_RESULT_SUCCESS);
    MUST(zeDeviceReleaseExternalSemaphoreExt(semaphore) == ZE_RESULT_SUCCESS);
    close(fd);
}

/* What the driver's own thread sleeps on is made anew: while one list waits, that of another is
 * noticed. */
static void child_watching(void)
{
    const uint64_t one = 1;
    ze_command_list_handle_t first = list_make(), second = list_make();
    semaphore_pass(first);
    numbers_take();
    int fd = eventfd(0, EFD_CLOEXEC);
    ze_external_semaphore_ext_handle_t waited = semaphore_import(fd);
    wait_append(first, waited);
    MUST(zeCommandListHostSynchronize(first, 50000000) == ZE_RESULT_NOT_READY);
    semaphore_pass(second);
    MUST(write(fd, &one, sizeof(one)) == sizeof(one));
    MUST(zeCommandListHostSynchronize(first, UINT64_MAX) == ZE_RESULT_SUCCESS);
    MUST(zeDeviceReleaseExternalSemaphoreExt(waited) == ZE_RESULT_SUCCESS);
    numbers_check();
}

/* A list whose semaphore the program closes does not wait for ever. */
static void child_semaphores(void)
{
    ze_command_list_handle_t list = list_make();
    ze_external_semaphore_ext_handle_t lost = semaphore_import(eventfd(0, EFD_CLOEXEC));
    wait_append(list, lost);
    MUST(zeCommandListHostSynchronize(list, 50000000) == ZE_RESULT_NOT_READY);
    numbers_take();
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX) == ZE_RESULT_ERROR_DEVICE_LOST);
    (void)zeCommandListDestroy(list);
    MUST(zeDeviceReleaseExternalSemaphoreExt(lost) == ZE_RESULT_SUCCESS);
    numbers_check();
}

/* ---- builds in child processes ---- */

static void module_build(void)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = spirv_bytes,
                                   .pInputModule = spirv};
    ze_module_handle_t module;
    MUST(zeModuleCreate(api.context, api.device, &desc, &module, NULL) == ZE_RESULT_SUCCESS);
    MUST(zeModuleDestroy(module) == ZE_RESULT_SUCCESS);
}

static void child_builds(void)
{
    module_build();
    numbers_take();
    module_build();
    module_build();
    numbers_check();
}

/* ---- the log ---- */

static void child_log(void)
{
    char path[64], text[65536];
    MUST(zeMemFree(api.context, folder) != ZE_RESULT_SUCCESS); /* whose reason is logged */
    numbers_take();
    MUST(zeMemFree(api.context, folder) != ZE_RESULT_SUCCESS);
    numbers_check();
    snprintf(path, sizeof(path), "%s/log", folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = read(fd, text, sizeof(text) - 1);
    MUST(length > 0);
    text[length] = '\0';
    const char *first = strstr(text, "is not the start of memory");
    MUST(first != NULL && strstr(first + 1, "is not the start of memory") != NULL);
}

/* ---- cases ---- */

static void in_a_child(void (*run)(void))
{
    char log[64];
    int status = -1;
    assert_non_null(mkdtemp(folder));
    snprintf(log, sizeof(log), "%s/log", folder);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("GEOID_LOG", "info", 1);
        setenv("GEOID_LOG_FILE", log, 1);
        setenv("GEOID_BUILD", "process", 1);
        alarm(600);
        program_begin();
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)unlink(log);
    assert_int_equal(rmdir(folder), 0);
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    assert_int_equal(status, 0);
}

static void memory_leaves_files_of_the_program_alone(void **state)
{
    (void)state;
    for (shift = 0; shift < KINDS; shift++) {
        in_a_child(child_memory);
    }
}

static void semaphores_leave_files_of_the_program_alone(void **state)
{
    (void)state;
    for (shift = 0; shift < KINDS; shift++) {
        in_a_child(child_semaphores);
        in_a_child(child_watching);
    }
}

static void builds_leave_files_of_the_program_alone(void **state)
{
    (void)state;
#ifdef GEOID_SANITIZED
    skip(); /* children that build do not start under a sanitizer without its descriptors */
#endif
    in_a_child(child_builds);
}

static void the_log_leaves_files_of_the_program_alone(void **state)
{
    (void)state;
    in_a_child(child_log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_leaves_files_of_the_program_alone),
        cmocka_unit_test(semaphores_leave_files_of_the_program_alone),
        cmocka_unit_test(builds_leave_files_of_the_program_alone),
        cmocka_unit_test(the_log_leaves_files_of_the_program_alone),
    };
    spirv = api_read_file("tests/api_basic.spv", &spirv_bytes);
    int failed = cmocka_run_group_tests_name("descriptors", tests, NULL, NULL);
    free(spirv);
    return failed;
}
