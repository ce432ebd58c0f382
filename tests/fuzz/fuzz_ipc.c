/* IPC handles from anyone: what opens is memory that was shared, whatever the bytes say. The input
 * is laid over a good handle, so that zeros are one. Its first byte says what it is opened as. */
#include "ddi/geo_api.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES 65536u

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_ipc_mem_handle_t good;

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Files that must not open: unsealed, sealed by somebody else, and of a disk. */
static void files_open(void)
{
    char path[] = "/tmp/geoid-fuzz-XXXXXX";
    int files[3] = {mkstemp(path), memfd_create("one", MFD_CLOEXEC | MFD_ALLOW_SEALING),
                    memfd_create("two", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    must(unlink(path) == 0);
    for (int i = 0; i < 3; i++) {
        must(files[i] >= 0 && ftruncate(files[i], BYTES) == 0);
    }
    must(fcntl(files[2], F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    ze_driver_handle_t driver = NULL;
    uint32_t one = 1;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_device_mem_alloc_desc_t memory_desc = {.stype =
                                                        ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *memory = NULL;
    (void)argc;
    (void)argv;
    must(geo_zeInit(0) == 0 && geo_zeDriverGet(&one, &driver) == 0 &&
         geo_zeDeviceGet(driver, &one, &device) == 0 &&
         geo_zeContextCreate(driver, &desc, &context) == 0 &&
         geo_zeMemAllocDevice(context, &memory_desc, BYTES, 0, device, &memory) == 0);
    memset(memory, 'G', BYTES);
    must(geo_zeMemGetIpcHandle(context, memory, &good) == 0);
    files_open();
    return 0;
}

static void memory_open(ze_ipc_mem_handle_t handle)
{
    char *out;
    void *base;
    size_t bytes;
    if (geo_zeMemOpenIpcHandle(context, device, handle, 0, (void **)&out) == ZE_RESULT_SUCCESS) {
        must(geo_zeMemGetAddressRange(context, out, &base, &bytes) == 0);
        must(base == out && bytes <= BYTES && out[0] == 'G' && out[bytes - 1] == 'G');
        must(geo_zeMemCloseIpcHandle(context, out) == 0);
    }
}

static void pool_open(ze_ipc_mem_handle_t handle)
{
    ze_ipc_event_pool_handle_t same;
    ze_event_pool_handle_t pool;
    memcpy(&same, &handle, sizeof(same));
    if (geo_zeEventPoolOpenIpcHandle(context, same, &pool) == ZE_RESULT_SUCCESS) {
        must(geo_zeEventPoolCloseIpcHandle(pool) == 0);
    }
}

static void event_open(ze_ipc_mem_handle_t handle)
{
    ze_ipc_event_counter_based_handle_t same;
    ze_event_handle_t event;
    memcpy(&same, &handle, sizeof(same));
    if (geo_zeEventCounterBasedOpenIpcHandle(context, same, &event) == ZE_RESULT_SUCCESS) {
        (void)geo_zeEventQueryStatus(event);
        must(geo_zeEventCounterBasedCloseIpcHandle(event) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const opens[])(ze_ipc_mem_handle_t handle) = {memory_open, pool_open, event_open};
    ze_ipc_mem_handle_t handle = good;
    if (size == 0 || size > 1 + sizeof(handle.data)) {
        return 0;
    }
    for (size_t i = 1; i < size; i++) {
        handle.data[i - 1] ^= (char)data[i];
    }
    opens[data[0] % 3](handle);
    return 0;
}
