/* dma-bufs, on a system that makes them or does not: /dev/udmabuf is played here, with the rules of
 * the kernel's. A dma-buf is a descriptor of the same pages, and its file system says what it is. */
#include "unit.h"

#include "ddi/geo_api.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/udmabuf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef DMA_BUF_MAGIC
#define DMA_BUF_MAGIC 0x444d4142
#endif
#define SUCCEEDS(call) assert_int_equal((call), ZE_RESULT_SUCCESS)

enum { PAGE = 4096, BYTES = 3 * PAGE, LIMIT = 64 << 20, DESCRIPTORS = 1024 };

/* ---- the system ---- */

static bool present;        /* /dev/udmabuf */
static bool no_descriptors; /* for a dma-buf */
static int opens = -1;      /* of /dev/udmabuf, until there is no descriptor; -1: always */
static int device_fd = -1;  /* as it was opened */
static bool dmabuf[DESCRIPTORS];

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (strcmp(path, "/dev/udmabuf") != 0) {
        return __real_open(path, flags, mode);
    }
    if (!present) {
        errno = ENOENT;
        return -1;
    }
    if (opens == 0) {
        errno = EMFILE;
        return -1;
    }
    opens -= opens > 0;
    device_fd = memfd_create("udmabuf", MFD_CLOEXEC);
    return device_fd;
}

static int dmabuf_make(const struct udmabuf_create *create)
{
    struct stat status;
    int seals = fcntl((int)create->memfd, F_GET_SEALS);
    errno = EINVAL;
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || (seals & F_SEAL_WRITE) ||
        create->offset % PAGE != 0 || create->size % PAGE != 0 || create->size == 0 ||
        create->size > LIMIT || create->flags != UDMABUF_FLAGS_CLOEXEC ||
        fstat((int)create->memfd, &status) != 0 ||
        create->offset + create->size > (uint64_t)status.st_size) {
        return -1;
    }
    errno = EMFILE;
    int fd = no_descriptors ? -1 : fcntl((int)create->memfd, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0 && fd < DESCRIPTORS) {
        dmabuf[fd] = true;
    }
    return fd;
}

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    void *argument = va_arg(args, void *);
    va_end(args);
    return fd == device_fd && request == UDMABUF_CREATE ? dmabuf_make(argument)
                                                        : __real_ioctl(fd, request, argument);
}

int __real_fstatfs(int fd, struct statfs *status);
int __wrap_fstatfs(int fd, struct statfs *status);
int __wrap_fstatfs(int fd, struct statfs *status)
{
    int result = __real_fstatfs(fd, status);
    if (result == 0 && fd >= 0 && fd < DESCRIPTORS && dmabuf[fd]) {
        status->f_type = DMA_BUF_MAGIC;
    }
    return result;
}

/* ---- the driver ---- */

static ze_device_handle_t device;
static ze_context_handle_t context;

static int open_driver(void **state)
{
    (void)state;
    uint32_t one = 1;
    ze_driver_handle_t driver;
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    return geo_zeInitDrivers(&one, &driver, &types) || geo_zeDeviceGet(driver, &one, &device) ||
           geo_zeContextCreate(driver, &desc, &context);
}

static uint8_t *device_memory(size_t bytes, const void *next)
{
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                       .pNext = next};
    void *memory = NULL;
    SUCCEEDS(geo_zeMemAllocDevice(context, &desc, bytes, 0, device, &memory));
    return memory;
}

static ze_result_t export_fd(void *memory, ze_external_memory_type_flags_t types, int *fd)
{
    ze_external_memory_export_fd_t asked = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, .flags = types, .fd = -1};
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, .pNext = &asked};
    ze_result_t result = geo_zeMemGetAllocProperties(context, memory, &properties, NULL);
    *fd = asked.fd;
    return result;
}

static ze_result_t import_fd(int fd, size_t bytes, void **out)
{
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF,
                                             .fd = fd};
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                       .pNext = &import};
    return geo_zeMemAllocDevice(context, &desc, bytes, 0, device, out);
}

static bool device_closed(void)
{
    return fcntl(device_fd, F_GETFD) < 0;
}

static bool is_dmabuf(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS && dmabuf[fd];
}

static void fd_close(int fd)
{
    dmabuf[fd] = false;
    close(fd);
}

static ze_external_memory_type_flags_t exported_types(void)
{
    ze_device_external_memory_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    SUCCEEDS(geo_zeDeviceGetExternalMemoryProperties(device, &properties));
    assert_true(properties.memoryAllocationImportTypes & ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF);
    assert_int_equal(properties.imageExportTypes, properties.memoryAllocationExportTypes);
    return properties.memoryAllocationExportTypes;
}

/* EXM-1, EXM-3, EXM-4 */
static void a_dmabuf_is_the_same_memory(void **state)
{
    (void)state;
    int fd;
    void *theirs;
    uint8_t *small = device_memory(BYTES - 5, NULL); /* among others until it is exported */
    present = true;
    assert_int_equal(exported_types(),
                     ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD | ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF);
    assert_true(device_closed());
    memset(small, 7, BYTES - 5);
    SUCCEEDS(export_fd(small, ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, &fd));
    assert_true(is_dmabuf(fd));
    assert_true(device_closed());
    SUCCEEDS(import_fd(fd, BYTES, &theirs));
    assert_int_equal(((uint8_t *)theirs)[BYTES - 6], 7);
    ((uint8_t *)theirs)[0] = 9;
    assert_int_equal(small[0], 9);
    SUCCEEDS(geo_zeMemFree(context, theirs));
    assert_int_equal(import_fd(fd, BYTES + PAGE, &theirs), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(import_fd(fd, SIZE_MAX, &theirs), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    fd_close(fd);
    SUCCEEDS(export_fd(small, ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD, &fd));
    assert_false(is_dmabuf(fd));
    close(fd);
    SUCCEEDS(geo_zeMemFree(context, small));
}

/* EXM-3 */
static void physical_memory_is_a_dmabuf_too(void **state)
{
    (void)state;
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = BYTES};
    ze_external_memory_export_fd_t asked = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                            .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF,
                                            .fd = -1};
    ze_physical_mem_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES,
                                               .pNext = &asked};
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF};
    ze_physical_mem_handle_t physical, theirs;
    present = true;
    SUCCEEDS(geo_zePhysicalMemCreate(context, device, &desc, &physical));
    SUCCEEDS(geo_zePhysicalMemGetProperties(context, physical, &properties));
    assert_true(is_dmabuf(asked.fd));
    import.fd = asked.fd;
    desc.pNext = &import;
    SUCCEEDS(geo_zePhysicalMemCreate(context, device, &desc, &theirs));
    SUCCEEDS(geo_zePhysicalMemDestroy(context, theirs));
    SUCCEEDS(geo_zePhysicalMemDestroy(context, physical));
    fd_close(asked.fd);
}

/* EXM-1, EXM-3: a memory file stands in, as docs/decisions/memory.md says. */
static void where_none_is_made_a_memory_file_comes_out(void **state)
{
    (void)state;
    int fd;
    uint8_t *memory = device_memory(BYTES, NULL);
    present = false;
    assert_int_equal(exported_types(), ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD);
    SUCCEEDS(export_fd(memory, ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, &fd));
    assert_false(is_dmabuf(fd));
    assert_true(fcntl(fd, F_GET_SEALS) >= 0);
    close(fd);
    SUCCEEDS(geo_zeMemFree(context, memory));
}

/* EXM-3 */
static void what_the_system_refuses_is_a_result(void **state)
{
    (void)state;
    int fd;
    const char *text = "";
    ze_driver_handle_t driver;
    uint32_t one = 1;
    uint8_t *large = device_memory(LIMIT + PAGE, NULL);
    present = true;
    assert_int_equal(export_fd(large, ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, &fd),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(fd, -1);
    SUCCEEDS(geo_zeDriverGet(&one, &driver));
    SUCCEEDS(geo_zeDriverGetLastErrorDescription(driver, &text));
    assert_non_null(strstr(text, "udmabuf.size_limit_mb"));
    no_descriptors = true;
    uint8_t *small = device_memory(BYTES, NULL);
    assert_int_equal(export_fd(small, ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, &fd),
                     ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    no_descriptors = false;
    assert_true(device_closed());
    opens = 1; /* is there one? */
    assert_int_equal(export_fd(small, ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, &fd),
                     ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    opens = -1;
    SUCCEEDS(geo_zeMemFree(context, large));
    SUCCEEDS(geo_zeMemFree(context, small));
}

/* EXM-4: another file could be cut short under its mapping. */
static void what_is_no_dmabuf_is_not_imported_as_one(void **state)
{
    (void)state;
    void *theirs;
    int fd = memfd_create("no dma-buf", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, BYTES), 0);
    assert_int_equal(import_fd(fd, BYTES, &theirs), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dmabuf_is_the_same_memory),
        cmocka_unit_test(physical_memory_is_a_dmabuf_too),
        cmocka_unit_test(where_none_is_made_a_memory_file_comes_out),
        cmocka_unit_test(what_the_system_refuses_is_a_result),
        cmocka_unit_test(what_is_no_dmabuf_is_not_imported_as_one),
    };
    return cmocka_run_group_tests(tests, open_driver, NULL);
}
