/* Exchanges between MPI ranks whose buffers are memory of Level Zero: every byte of every pair of
 * kinds (device, host, shared, malloc) and of sizes from 1 byte to 16 MiB arrives.
 *
 *     mpiexec -n N mpi_exchange [LARGEST]      N from 2 on; LARGEST bytes, 16 MiB without
 *
 * Each rank sends to the next and receives from the one before. Buffers are new for each pair of
 * kinds and size, those of an odd exchange begin inside of their allocation. Written against
 * MPICH's binary interface, which Intel's library has, because its package brings no headers. */
#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- MPI, as far as it is called here ---- */

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Op;

#define MPI_COMM_WORLD    ((MPI_Comm)0x44000000)
#define MPI_BYTE          ((MPI_Datatype)0x4c00010d)
#define MPI_INT           ((MPI_Datatype)0x4c000405)
#define MPI_SUM           ((MPI_Op)0x58000003)
#define MPI_STATUS_IGNORE ((void *)1)

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Barrier(MPI_Comm comm);
int MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag,
                 void *receive, int receive_count, MPI_Datatype receive_type, int from,
                 int receive_tag, MPI_Comm comm, void *status);
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm);

/* ---- memory ---- */

enum kind { DEVICE, HOST, SHARED, MALLOC, KINDS };

static const char *const kind_names[KINDS] = {"device", "host", "shared", "malloc"};

static ze_context_handle_t context;
static ze_device_handle_t device;
static ze_command_list_handle_t list;

static void check(ze_result_t result, const char *call)
{
    if (result != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "mpi_exchange: %s: 0x%x\n", call, result);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#define CHECK(call) check((call), #call)

static void open_device(void)
{
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = ZE_INIT_DRIVER_TYPE_FLAG_GPU};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_driver_handle_t driver;
    uint32_t one = 1;
    CHECK(zeInitDrivers(&one, &driver, &types));
    one = 1;
    CHECK(zeDeviceGet(driver, &one, &device));
    CHECK(zeContextCreate(driver, &desc, &context));
    CHECK(zeCommandListCreateImmediate(context, device, &queue, &list));
}

static void *allocate(enum kind kind, size_t bytes)
{
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    switch (kind) {
    case DEVICE:
        CHECK(zeMemAllocDevice(context, &on_device, bytes, 0, device, &memory));
        break;
    case HOST:
        CHECK(zeMemAllocHost(context, &on_host, bytes, 0, &memory));
        break;
    case SHARED:
        CHECK(zeMemAllocShared(context, &on_device, &on_host, bytes, 0, device, &memory));
        break;
    default:
        memory = malloc(bytes);
    }
    return memory;
}

static void release(enum kind kind, void *memory)
{
    if (kind == MALLOC) {
        free(memory);
    } else {
        CHECK(zeMemFree(context, memory));
    }
}

/* Device memory is reached by copies only, as on any device. */
static void copy(void *to, const void *from, size_t bytes)
{
    CHECK(zeCommandListAppendMemoryCopy(list, to, from, bytes, NULL, 0, NULL));
}

/* ---- exchanges ---- */

#define MARGIN 64u /* bytes on both sides that nobody may write */

static int rank, ranks;
static uint64_t checks, wrong;
static uint8_t *staging; /* largest size and margins */

static uint8_t pattern(uint32_t seed, size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u + seed * 40503u;
    return (uint8_t)(x >> 24 ^ x >> 11);
}

/* Fills the buffer and its margins, or compares them. */
static void put(uint8_t *memory, size_t bytes, uint32_t seed)
{
    memset(staging, 0x5a, bytes + 2 * MARGIN);
    for (size_t i = 0; i < bytes; i++) {
        staging[MARGIN + i] = pattern(seed, i);
    }
    copy(memory - MARGIN, staging, bytes + 2 * MARGIN);
}

static void expect(const uint8_t *memory, size_t bytes, uint32_t seed, const char *what, int from,
                   int to)
{
    size_t bad = 0, first = 0;
    copy(staging, memory - MARGIN, bytes + 2 * MARGIN);
    for (size_t i = 0; i < bytes + 2 * MARGIN; i++) {
        bool inside = i >= MARGIN && i < MARGIN + bytes;
        if (staging[i] != (inside ? pattern(seed, i - MARGIN) : 0x5a)) {
            first = bad++ == 0 ? i : first;
        }
    }
    checks++;
    if (bad) {
        wrong++;
        fprintf(stderr, "rank %d: %s, %s to %s, %zu bytes: %zu wrong, the first at %td\n", rank,
                what, kind_names[from], kind_names[to], bytes, bad, (ptrdiff_t)first - MARGIN);
    }
}

/* One size between all ranks: to the next, from the one before, and from the first to all. Between
 * the two they meet: Intel's MPI 2021.18 aborts (pidfd_open of process 0) when a broadcast from
 * device memory arrives during an exchange, whatever the driver does. */
static void exchange(enum kind from, enum kind to, size_t bytes)
{
    static uint32_t exchanges;
    size_t inside = MARGIN + (++exchanges % 2 ? 0 : 1000);
    uint8_t *sent = allocate(from, bytes + inside + MARGIN),
            *received = allocate(to, bytes + inside + MARGIN);
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    uint32_t seed = exchanges * 16;
    put(sent + inside, bytes, seed + (uint32_t)rank);
    put(received + inside, bytes, 0);
    MPI_Sendrecv(sent + inside, (int)bytes, MPI_BYTE, next, 7, received + inside, (int)bytes,
                 MPI_BYTE, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(received + inside, bytes, seed + (uint32_t)before, "send", (int)from, (int)to);
    expect(sent + inside, bytes, seed + (uint32_t)rank, "sent", (int)from, (int)to);
    MPI_Barrier(MPI_COMM_WORLD);
    uint8_t *all = rank == 0 ? sent : received;
    MPI_Bcast(all + inside, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    expect(all + inside, bytes, seed, "broadcast", (int)from, (int)to);
    MPI_Barrier(MPI_COMM_WORLD);
    release(from, sent);
    release(to, received);
}

static void exchange_all(size_t largest)
{
    for (int pair = 0; pair < KINDS * KINDS; pair++) {
        size_t last = 0;
        for (size_t power = 1; power <= largest; power *= 2) {
            for (size_t bytes = power - 1; bytes <= power + 1; bytes++) {
                if (bytes > last && bytes <= largest) {
                    exchange((enum kind)(pair / KINDS), (enum kind)(pair % KINDS), bytes);
                    last = bytes;
                }
            }
        }
    }
}

/* Sums of buffers of each kind: data that the library computes with. */
static void reduce(enum kind kind, int count)
{
    size_t bytes = (size_t)count * sizeof(int);
    int *from = allocate(kind, bytes), *to = allocate(kind, bytes),
        *values = (int *)(void *)staging;
    for (int i = 0; i < count; i++) {
        values[i] = i * (rank + 1);
    }
    copy(from, values, bytes);
    MPI_Allreduce(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    copy(values, to, bytes);
    int bad = 0;
    for (int i = 0; i < count; i++) {
        bad += values[i] != i * (ranks * (ranks + 1) / 2);
    }
    checks++;
    if (bad) {
        wrong++;
        fprintf(stderr, "rank %d: sum in %s memory, %d elements: %d wrong\n", rank,
                kind_names[kind], count, bad);
    }
    release(kind, from);
    release(kind, to);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    size_t largest = argc > 1 ? strtoull(argv[1], NULL, 0) : 16u << 20;
    staging = malloc(largest + 2 * MARGIN);
    open_device();
    exchange_all(largest);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int count = 1; (size_t)count * sizeof(int) <= largest; count *= 10) {
            reduce((enum kind)kind, count);
        }
    }
    int counts[2] = {(int)checks, (int)wrong}, sums[2];
    MPI_Allreduce(counts, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d ranks, %d checks, %d wrong\n", ranks, sums[0], sums[1]);
    }
    free(staging);
    zeCommandListDestroy(list);
    zeContextDestroy(context);
    MPI_Finalize();
    return sums[1] != 0 || sums[0] == 0;
}
