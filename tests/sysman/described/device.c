/* What the described backend's devices are as a whole, and their sysman. */
#include "internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define OP(name, ...)                                                                              \
    static ze_result_t device_##name(struct geo_sysman *sysman, __VA_ARGS__, struct geo_strbuf *why)
#define PLAIN_OP(name)                                                                             \
    static ze_result_t device_##name(struct geo_sysman *sysman, struct geo_strbuf *why)

OP(state, struct geo_sysman_device_state *state)
{
    (void)sysman;
    BEGIN(device_state);
    state->reset = described.reset_reason;
    state->repaired = described.repaired;
    state->flags = described.state_flags;
    return described_leave();
}

OP(reset, bool force, const zes_reset_type_t *type)
{
    (void)sysman;
    BEGIN(device_reset);
    described.reset_forced = force;
    described.reset_type = type ? (int)*type : -1;
    return described_leave();
}

OP(processes, uint32_t *count, zes_process_state_t *processes)
{
    (void)sysman;
    BEGIN(device_processes);
    for (uint32_t i = 0; i < described.process_count && i < *count; i++) {
        processes[i] = described.processes[i];
    }
    *count = described.process_count;
    described.process_count += described.process_growth;
    return described_leave();
}

OP(pci_state, struct geo_sysman_pci_state *state)
{
    (void)sysman;
    BEGIN(device_pci_state);
    state->link = described.pci;
    state->downgraded = described.downgraded;
    return described_leave();
}

OP(pci_stats, zes_pci_stats_t *stats)
{
    (void)sysman;
    BEGIN(device_pci_stats);
    *stats = described.pci_stats;
    return described_leave();
}

OP(pci_set_downgrade, bool downgrade, zes_device_action_t *action)
{
    (void)sysman;
    BEGIN(device_pci_set_downgrade);
    described.downgraded = downgrade;
    *action = ZES_DEVICE_ACTION_WARM_CARD_RESET;
    return described_leave();
}

OP(ecc_state, zes_device_ecc_properties_t *state)
{
    (void)sysman;
    BEGIN(device_ecc_state);
    *state = described.ecc;
    return described_leave();
}

OP(ecc_set, zes_device_ecc_state_t wanted, zes_device_ecc_properties_t *state)
{
    (void)sysman;
    BEGIN(device_ecc_set);
    described.ecc.pendingState = wanted;
    described.ecc.pendingAction = wanted == described.ecc.currentState
                                      ? ZES_DEVICE_ACTION_NONE
                                      : ZES_DEVICE_ACTION_COLD_CARD_RESET;
    *state = described.ecc;
    return described_leave();
}

PLAIN_OP(overclock_waive)
{
    (void)sysman;
    BEGIN(device_overclock_waive);
    described.waived = true;
    return described_leave();
}

OP(overclock_reset, bool to_shipped)
{
    (void)sysman;
    BEGIN(device_overclock_reset);
    described.reset_to_shipped = to_shipped;
    return described_leave();
}

OP(overclock_state, struct geo_sysman_overclock_state *state)
{
    (void)sysman;
    BEGIN(device_overclock_state);
    state->mode = described.overclock_mode;
    state->waived = described.waived;
    state->overclocked = described.overclocked;
    state->needs_reset = described.needs_reset;
    state->action = described.action;
    return described_leave();
}

/* ---- events ---- */

static void watch_close(struct described_events *events)
{
    if (events->fd >= 0) {
        close(events->fd);
    }
    events->fd = -1;
}

/* The end of a pipe whose other end is gone. */
static int descriptor_broken(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return -1;
    }
    close(ends[1]);
    return ends[0];
}

/* Each watch has a descriptor of its own: the one before is dead from then on. */
OP(watch, zes_event_type_flags_t wanted, struct geo_sysman_watch *watch)
{
    struct described_events *events = &described.events[sysman->index];
    BEGIN(device_watch);
    watch_close(events);
    events->watched = wanted;
    events->fd = described.no_fd       ? -1
                 : described.broken_fd ? descriptor_broken()
                                       : eventfd(events->happened != 0, EFD_CLOEXEC | EFD_NONBLOCK);
    watch->fd = events->fd;
    watch->period_ns = described.period_ns;
    return described_leave();
}

static zes_event_type_flags_t device_take_events(struct geo_sysman *sysman)
{
    struct described_events *events = &described.events[sysman->index];
    uint64_t count;
    pthread_mutex_lock(&described.lock);
    const zes_event_type_flags_t taken = events->happened; /* also what nobody asked for */
    events->happened = 0;
    events->takes++;
    if (events->fd >= 0 && read(events->fd, &count, sizeof(count)) < 0) {
        count = 0; /* nothing was there */
    }
    pthread_mutex_unlock(&described.lock);
    return taken;
}

static void device_unwatch(struct geo_sysman *sysman)
{
    struct described_events *events = &described.events[sysman->index];
    pthread_mutex_lock(&described.lock);
    events->unwatches++;
    events->watched = 0;
    watch_close(events);
    pthread_mutex_unlock(&described.lock);
}

struct geo_sysman_device_ops described_device_ops = {
    .state = device_state,
    .reset = device_reset,
    .processes = device_processes,
    .pci_state = device_pci_state,
    .pci_stats = device_pci_stats,
    .pci_set_downgrade = device_pci_set_downgrade,
    .ecc_state = device_ecc_state,
    .ecc_set = device_ecc_set,
    .overclock_waive = device_overclock_waive,
    .overclock_reset = device_overclock_reset,
    .overclock_state = device_overclock_state,
    .watch = device_watch,
    .take_events = device_take_events,
    .unwatch = device_unwatch,
};

/* ---- the description ---- */

/* A hundred letters. */
#define TEXT_20  "abcdefghijklmnopqrst"
#define TEXT_100 TEXT_20 TEXT_20 TEXT_20 TEXT_20 TEXT_20

static const zes_pci_properties_t pci = {.address = {0, 0x3a, 0, 0},
                                         .maxSpeed = {5, 16, INT64_C(64000000000)},
                                         .haveBandwidthCounters = 1,
                                         .haveReplayCounters = 1};
static const zes_pci_bar_properties_1_2_t bars[] = {
    {.type = ZES_PCI_BAR_TYPE_MMIO, .index = 0, .base = 0x1000, .size = 0x1000000},
    {.type = ZES_PCI_BAR_TYPE_MEM,
     .index = 2,
     .base = UINT64_C(0x4000000000),
     .size = UINT64_C(1) << 34,
     .resizableBarSupported = 1,
     .resizableBarEnabled = 1}};

const struct geo_sysman_device described_device = {
    .serial = "S-123",
    .board = "B-456",
    .brand = "Brand",
    .model = "Model",
    .vendor = "Vendor",
    .driver_version = "1.2.3",
    .oem_serial = "OEM-789 " TEXT_100 TEXT_100 TEXT_100,
    .simulated = true,
    .ecc_available = true,
    .ecc_configurable = true,
    .ecc_default = ZES_DEVICE_ECC_STATE_DISABLED,
    .events = ZES_EVENT_TYPE_FLAG_DEVICE_DETACH | ZES_EVENT_TYPE_FLAG_MEM_HEALTH,
    .pci = &pci,
    .bars = bars,
    .bar_count = 2,
    .pci_downgrade = true,
    .pci_max_generation = 5,
    .ops = &described_device_ops,
};
