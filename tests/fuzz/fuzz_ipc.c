/* IPC handles from anyone: what opens is memory that was shared, whatever the bytes say. The first
 * byte says what it is opened as, the next four which words of a good handle of that kind the rest
 * replaces: none of them, and it is good. */
#include "ddi/geo_api.h"

#include "fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES 65536u
#define WORDS (ZE_MAX_IPC_HANDLE_SIZE / sizeof(uint32_t))

enum { MEMORY, POOL, COUNTER, KINDS };
enum { REFUSED, OPENED };

struct input {
    uint8_t kind;
    uint8_t replaced[4]; /* bits, as many as words */
    uint8_t words[ZE_MAX_IPC_HANDLE_SIZE];
};

static ze_device_handle_t device;
static ze_context_handle_t context;
static uint8_t good[KINDS][ZE_MAX_IPC_HANDLE_SIZE];

/* Files that must not open: unsealed, sealed by somebody else, and of a disk. */
static bool files_open(void)
{
    static char foreign[BYTES];
    char path[] = "/tmp/geoid-fuzz-XXXXXX";
    int files[3] = {mkstemp(path), memfd_create("one", MFD_CLOEXEC | MFD_ALLOW_SEALING),
                    memfd_create("two", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    bool fine = unlink(path) == 0;
    memset(foreign, 'F', sizeof(foreign));
    for (int i = 0; i < 3; i++) {
        fine = fine && files[i] >= 0 && write(files[i], foreign, BYTES) == BYTES;
    }
    return fine && fcntl(files[2], F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
}

static bool memory_share(void)
{
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_ipc_mem_handle_t handle;
    void *memory = NULL;
    if (geo_zeMemAllocDevice(context, &desc, BYTES, 0, device, &memory) != ZE_RESULT_SUCCESS) {
        return false;
    }
    memset(memory, 'G', BYTES);
    bool fine = geo_zeMemGetIpcHandle(context, memory, &handle) == ZE_RESULT_SUCCESS;
    memcpy(good[MEMORY], &handle, sizeof(handle));
    return fine;
}

static bool events_share(void)
{
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                            .flags = ZE_EVENT_POOL_FLAG_IPC |
                                                     ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                            .count = 8};
    const ze_event_counter_based_desc_t counter_desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
        .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_IPC};
    ze_ipc_event_pool_handle_t pool_handle;
    ze_ipc_event_counter_based_handle_t counter_handle;
    static ze_event_pool_handle_t pool; /* they are there as long as their handles are good */
    static ze_event_handle_t counter;
    bool fine = geo_zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool) == ZE_RESULT_SUCCESS &&
                geo_zeEventPoolGetIpcHandle(pool, &pool_handle) == ZE_RESULT_SUCCESS &&
                geo_zeEventCounterBasedCreate(context, device, &counter_desc, &counter) ==
                    ZE_RESULT_SUCCESS &&
                geo_zeEventCounterBasedGetIpcHandle(counter, &counter_handle) == ZE_RESULT_SUCCESS;
    if (fine) {
        memcpy(good[POOL], &pool_handle, sizeof(pool_handle));
        memcpy(good[COUNTER], &counter_handle, sizeof(counter_handle));
    }
    return fine;
}

static bool handles_open(uint64_t number)
{
    ze_driver_handle_t driver = NULL;
    uint32_t one = 1;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    (void)number;
    return geo_zeInit(0) == ZE_RESULT_SUCCESS &&
           geo_zeDriverGet(&one, &driver) == ZE_RESULT_SUCCESS &&
           geo_zeDeviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS &&
           geo_zeContextCreate(driver, &desc, &context) == ZE_RESULT_SUCCESS && memory_share() &&
           events_share() && files_open();
}

/* ---- one ---- */

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fuzz_found(FUZZ_WRONG, "%s", what);
    }
}

static unsigned memory_open(const uint8_t *bytes)
{
    ze_ipc_mem_handle_t handle;
    char *out;
    void *base;
    size_t size;
    memcpy(&handle, bytes, sizeof(handle));
    if (geo_zeMemOpenIpcHandle(context, device, handle, 0, (void **)&out) != ZE_RESULT_SUCCESS) {
        return REFUSED;
    }
    /* A bare descriptor may also be that of the pool or the counter. */
    expect(geo_zeMemGetAddressRange(context, out, &base, &size) == ZE_RESULT_SUCCESS &&
               base == out && size <= BYTES && out[0] != 'F' && out[size - 1] != 'F' &&
               (size != BYTES || (out[0] == 'G' && out[size - 1] == 'G')),
           "memory that is not what was shared");
    expect(geo_zeMemCloseIpcHandle(context, out) == ZE_RESULT_SUCCESS, "memory stays open");
    return OPENED;
}

static unsigned pool_open(const uint8_t *bytes)
{
    ze_ipc_event_pool_handle_t handle;
    ze_event_pool_handle_t pool;
    memcpy(&handle, bytes, sizeof(handle));
    if (geo_zeEventPoolOpenIpcHandle(context, handle, &pool) != ZE_RESULT_SUCCESS) {
        return REFUSED;
    }
    expect(geo_zeEventPoolCloseIpcHandle(pool) == ZE_RESULT_SUCCESS, "a pool stays open");
    return OPENED;
}

static unsigned counter_open(const uint8_t *bytes)
{
    ze_ipc_event_counter_based_handle_t handle;
    ze_event_handle_t event;
    memcpy(&handle, bytes, sizeof(handle));
    if (geo_zeEventCounterBasedOpenIpcHandle(context, handle, &event) != ZE_RESULT_SUCCESS) {
        return REFUSED;
    }
    (void)geo_zeEventQueryStatus(event);
    expect(geo_zeEventCounterBasedCloseIpcHandle(event) == ZE_RESULT_SUCCESS,
           "a counter stays open");
    return OPENED;
}

static unsigned handle_run(const uint8_t *bytes, size_t size)
{
    static unsigned (*const opens[KINDS])(const uint8_t *bytes) = {memory_open, pool_open,
                                                                   counter_open};
    struct input input = {0};
    uint8_t handle[ZE_MAX_IPC_HANDLE_SIZE];
    uint32_t replaced;
    memcpy(&input, bytes, size < sizeof(input) ? size : sizeof(input));
    memcpy(&replaced, input.replaced, sizeof(replaced));
    memcpy(handle, good[input.kind / KINDS % KINDS], sizeof(handle));
    for (size_t i = 0; i < WORDS; i++) {
        if (replaced >> i & 1) {
            memcpy(handle + i * 4, input.words + i * 4, 4);
        }
    }
    return opens[input.kind % KINDS](handle);
}

/* ---- changes ---- */

/* Of the kind that it is opened as, mostly. */
static size_t handle_seed(struct fuzz_random *random, uint8_t *bytes, size_t max_bytes)
{
    struct input input = {0};
    uint32_t kind = fuzz_below(random, KINDS);
    input.kind =
        (uint8_t)(kind + KINDS * (fuzz_one_in(random, 8) ? fuzz_below(random, KINDS) : kind));
    memcpy(bytes, &input, sizeof(input) < max_bytes ? sizeof(input) : max_bytes);
    return sizeof(input);
}

/* Small numbers: descriptors and processes. Otherwise edges, and words of good handles, whole or
 * nearly. */
static uint32_t word_pick(struct fuzz_random *random)
{
    uint32_t word;
    switch (fuzz_below(random, 4)) {
    case 0:
        return fuzz_below(random, 32);
    case 1:
        return fuzz_edge(random);
    case 2:
        return (uint32_t)fuzz_next(random);
    default:
        memcpy(&word, good[fuzz_below(random, KINDS)] + 4 * fuzz_below(random, WORDS), 4);
        return word + (fuzz_one_in(random, 2) ? 0 : fuzz_below(random, 17) - 8);
    }
}

static size_t handle_mutate(struct fuzz_random *random, uint8_t *bytes, size_t size,
                            size_t max_bytes)
{
    struct input input = {0};
    uint32_t replaced;
    memcpy(&input, bytes, size < sizeof(input) ? size : sizeof(input));
    memcpy(&replaced, input.replaced, sizeof(replaced));
    if (fuzz_one_in(random, 16)) { /* a bare one: a descriptor and zeros */
        replaced = UINT32_MAX;
        memset(input.words, 0, sizeof(input.words));
        input.words[0] = (uint8_t)fuzz_below(random, 32);
    }
    for (uint32_t i = fuzz_below(random, fuzz_one_in(random, 2) ? 1 : 4); i-- > 0;) {
        uint32_t at = fuzz_one_in(random, 3) ? fuzz_below(random, 4) : fuzz_below(random, WORDS);
        uint32_t word = word_pick(random);
        replaced |= 1u << at;
        memcpy(input.words + 4 * at, &word, sizeof(word));
    }
    memcpy(input.replaced, &replaced, sizeof(replaced));
    memcpy(bytes, &input, sizeof(input) < max_bytes ? sizeof(input) : max_bytes);
    return sizeof(input);
}

const struct fuzz_target fuzz_target = {
    .name = "ipc",
    .ends = {"refused", "opened"},
    .block = 1 << 20,
    .max_bytes = 128,
    .stack_bytes = 65536,
    .open = handles_open,
    .seed = handle_seed,
    .mutate = handle_mutate,
    .run = handle_run,
};
