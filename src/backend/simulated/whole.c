/* Operations of the whole device: properties, state, PCI, ECC, processes, overclocking, resets,
 * events. */
#include "backend/simulated/classes.h"

#define DEVICE_OP(name, ...)                                                                       \
    static ze_result_t device_##name(struct geo_sysman *sysman, __VA_ARGS__, struct geo_strbuf *why)
#define DEVICE_BEGIN(resets)                                                                       \
    double t;                                                                                      \
    const ze_result_t fault_ = sim_enter_device(sysman, (resets), &t, why);                        \
    if (fault_ != ZE_RESULT_SUCCESS) {                                                             \
        return fault_;                                                                             \
    }

DEVICE_OP(state, struct geo_sysman_device_state *state)
{
    DEVICE_BEGIN(false)
    const struct sim_whole *whole = &sysman->whole;
    state->reset = sim_u32(sim_value(whole->reset_reasons, t, 0));
    state->repaired =
        (zes_repair_status_t)sim_u32(sim_value(whole->repair, t, ZES_REPAIR_STATUS_UNSUPPORTED));
    state->flags = sim_u32(sim_value(whole->state_flags, t, ZES_DEVICE_STATE_EXT_FLAG_NORMAL));
    SIM_END;
}

/* ---- processes ---- */

static bool process_is_there(const struct sim_process *process, double t)
{
    return t >= process->from_s && (process->until_s == 0 || t < process->until_s);
}

static uint32_t processes_count(const struct sim_whole *whole, double t)
{
    const struct sim_process *processes = whole->processes.items;
    uint32_t count = 0;
    for (uint32_t i = 0; i < whole->processes.count; i++) {
        count += process_is_there(&processes[i], t);
    }
    return count;
}

DEVICE_OP(processes, uint32_t *count, zes_process_state_t *out)
{
    DEVICE_BEGIN(false)
    const struct sim_process *processes = sysman->whole.processes.items;
    uint32_t at = 0;
    for (uint32_t i = 0; i < sysman->whole.processes.count; i++) {
        if (!process_is_there(&processes[i], t)) {
            continue;
        }
        if (at < *count) {
            out[at] = processes[i].state;
            out[at].memSize = sim_u64(processes[i].memory_bytes, t);
            out[at].sharedSize = sim_u64(processes[i].shared_bytes, t);
        }
        at++;
    }
    *count = at;
    SIM_END;
}

/* ---- reset ---- */

static void overclocking_reset(struct geo_sysman *sysman, enum sim_overclock_reset kind)
{
    const struct sim_components *domains = &sysman->components[GEO_SYSMAN_OVERCLOCK];
    sim_overclock_reset(domains->items, domains->count, kind);
}

static void ecc_reset(struct geo_sysman *sysman, bool cold)
{
    if (cold || sysman->whole.ecc.action == ZES_DEVICE_ACTION_WARM_CARD_RESET) {
        sysman->ecc_current = sysman->ecc_pending;
    }
}

DEVICE_OP(reset, bool force, const zes_reset_type_t *type)
{
    const bool cold = type && *type == ZES_RESET_TYPE_COLD;
    DEVICE_BEGIN(true)
    if (!force && processes_count(&sysman->whole, t)) {
        geo_strbuf_printf(why,
                          "processes use the device: reset it with force, or when they have ended");
        return sim_leave_part(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    }
    sim_components_reset(sysman, t);
    overclocking_reset(sysman, cold ? SIM_RESET_COLD : SIM_RESET_WARM);
    ecc_reset(sysman, cold);
    sysman->downgraded = sysman->downgrade_pending;
    sysman->reset_s = t;
    SIM_END;
}

/* ---- PCI ---- */

static zes_pci_speed_t pci_speed(const struct geo_sysman *sysman, double t)
{
    const struct sim_pci *pci = &sysman->whole.pci;
    const zes_pci_speed_t *max = &pci->properties.maxSpeed;
    const double gen = sim_value(pci->gen, t, max->gen);
    return (zes_pci_speed_t){
        .gen = sim_i32(sysman->downgraded && gen > 4 ? 4 : gen),
        .width = sim_i32(sim_value(pci->width, t, max->width)),
        .maxBandwidth = pci->bandwidth
                            ? (int64_t)sim_clamp(sim_script_value(pci->bandwidth, t), -1, 0x1p53)
                            : max->maxBandwidth};
}

DEVICE_OP(pci_state, struct geo_sysman_pci_state *state)
{
    DEVICE_BEGIN(false)
    const struct sim_pci *pci = &sysman->whole.pci;
    if (!pci->there) {
        return sim_leave_missing("pci", why);
    }
    state->link.status =
        (zes_pci_link_status_t)sim_u32(sim_value(pci->status, t, ZES_PCI_LINK_STATUS_GOOD));
    state->link.qualityIssues = sim_u32(sim_value(pci->quality, t, 0));
    state->link.stabilityIssues = sim_u32(sim_value(pci->stability, t, 0));
    state->link.speed = pci_speed(sysman, t);
    state->downgraded = sysman->downgraded;
    SIM_END;
}

static uint64_t integral_of(const struct sim_script *rate, double t)
{
    return rate ? sim_wrap(sim_script_integral(rate, t), 64) : 0;
}

DEVICE_OP(pci_stats, zes_pci_stats_t *stats)
{
    DEVICE_BEGIN(false)
    const struct sim_pci *pci = &sysman->whole.pci;
    if (!pci->replays && !pci->packets && !pci->rx && !pci->tx) {
        return sim_leave_missing("rx_bytes_per_s", why);
    }
    stats->timestamp = sim_clock_us(t);
    stats->replayCounter = sim_u64(pci->replays, t);
    stats->packetCounter = integral_of(pci->packets, t);
    stats->rxCounter = integral_of(pci->rx, t);
    stats->txCounter = integral_of(pci->tx, t);
    stats->speed = pci_speed(sysman, t);
    SIM_END;
}

/* Requests a PCI downgrade, which takes effect at the next reset, as on hardware. */
DEVICE_OP(pci_set_downgrade, bool downgrade, zes_device_action_t *action)
{
    DEVICE_BEGIN(false)
    (void)t;
    if (!sysman->whole.pci.downgrade) {
        return sim_leave_missing("downgrade", why);
    }
    sysman->downgrade_pending = downgrade;
    *action = downgrade == sysman->downgraded ? ZES_DEVICE_ACTION_NONE
                                              : ZES_DEVICE_ACTION_WARM_CARD_RESET;
    SIM_END;
}

/* ---- ECC ---- */

static void ecc_write(const struct geo_sysman *sysman, zes_device_ecc_properties_t *state)
{
    state->currentState = sysman->ecc_current;
    state->pendingState = sysman->ecc_pending;
    state->pendingAction = sysman->ecc_current == sysman->ecc_pending ? ZES_DEVICE_ACTION_NONE
                                                                      : sysman->whole.ecc.action;
}

DEVICE_OP(ecc_state, zes_device_ecc_properties_t *state)
{
    DEVICE_BEGIN(false)
    (void)t;
    ecc_write(sysman, state);
    SIM_END;
}

DEVICE_OP(ecc_set, zes_device_ecc_state_t wanted, zes_device_ecc_properties_t *state)
{
    DEVICE_BEGIN(false)
    (void)t;
    sysman->ecc_pending = wanted;
    if (sysman->whole.ecc.action == ZES_DEVICE_ACTION_NONE) {
        sysman->ecc_current = wanted;
    }
    ecc_write(sysman, state);
    SIM_END;
}

/* ---- overclocking ---- */

static ze_result_t device_overclock_waive(struct geo_sysman *sysman, struct geo_strbuf *why)
{
    DEVICE_BEGIN(false)
    (void)t;
    sysman->waived = true;
    SIM_END;
}

DEVICE_OP(overclock_reset, bool to_shipped)
{
    DEVICE_BEGIN(false)
    (void)t;
    sim_components_of(sysman, GEO_SYSMAN_OVERCLOCK);
    overclocking_reset(sysman, to_shipped ? SIM_TO_SHIPPED : SIM_TO_CURRENT);
    SIM_END;
}

DEVICE_OP(overclock_state, struct geo_sysman_overclock_state *state)
{
    DEVICE_BEGIN(false)
    (void)t;
    const struct sim_components *domains = sim_components_of(sysman, GEO_SYSMAN_OVERCLOCK);
    state->mode = sysman->whole.overclock_mode;
    state->waived = sysman->waived;
    state->action = (zes_pending_action_t)sim_overclock_pending(domains->items, domains->count,
                                                                &state->overclocked);
    state->needs_reset = state->action == ZES_PENDING_ACTION_PENDING_WARM_RESET ||
                         state->action == ZES_PENDING_ACTION_PENDING_COLD_RESET;
    SIM_END;
}

/* ---- events ---- */

DEVICE_OP(watch, zes_event_type_flags_t events, struct geo_sysman_watch *watch)
{
    (void)why;
    sim_lock();
    sim_watch_begin(sysman, events, watch);
    SIM_END;
}

static zes_event_type_flags_t device_take_events(struct geo_sysman *sysman)
{
    sim_lock();
    const zes_event_type_flags_t happened = sim_watch_take(sysman);
    sim_unlock();
    return happened;
}

static uint64_t device_next_event(struct geo_sysman *sysman)
{
    sim_lock();
    const uint64_t next = sim_watch_next(sysman);
    sim_unlock();
    return next;
}

static void device_unwatch(struct geo_sysman *sysman)
{
    sim_lock();
    sim_watch_end(sysman);
    sim_unlock();
}

const struct geo_sysman_device_ops sim_device_ops = {
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
    .next_event = device_next_event,
    .unwatch = device_unwatch,
};
