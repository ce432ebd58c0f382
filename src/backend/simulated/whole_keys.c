/* The keys of the whole device. */
#include "backend/simulated/classes.h"
#include "backend/simulated/metric.h"

/* ---- PCI, ECC ---- */

#define BAR(field) offsetof(zes_pci_bar_properties_1_2_t, field)
static const struct sim_key bar_keys[] = {
    {"type", SIM_WORD, BAR(type), .words = "zes_pci_bar_type_t", .required = true,
     .help = "kind of the window"},
    {"index", SIM_U32, BAR(index), .help = "0"},
    {"base", SIM_U64, BAR(base), .help = "address; 0"},
    {"size_bytes", SIM_U64, BAR(size), .required = true, .help = "size of the window"},
    {"resizable", SIM_BOOL, BAR(resizableBarSupported), .help = "false"},
    {"resized", SIM_BOOL, BAR(resizableBarEnabled), .help = "false"},
};
static const struct sim_table bar_table = {"bars of pci", SIM_KEYS(bar_keys),
                                           .bytes = sizeof(zes_pci_bar_properties_1_2_t)};

#define PCI(field) offsetof(struct sim_pci, field)
static const struct sim_key pci_keys[] = {
    {"domain", SIM_U32, PCI(properties.address.domain), .help = "0"},
    {"bus", SIM_U32, PCI(properties.address.bus), .help = "0"},
    {"device", SIM_U32, PCI(properties.address.device), .help = "0"},
    {"function", SIM_U32, PCI(properties.address.function), .help = "0"},
    {"max_gen", SIM_I32, PCI(properties.maxSpeed.gen), .help = "-1: unknown"},
    {"max_width", SIM_I32, PCI(properties.maxSpeed.width), .help = "lanes; -1: unknown"},
    {"max_bytes_per_s", SIM_I64, PCI(properties.maxSpeed.maxBandwidth), .help = "-1: unknown"},
    {"gen", SIM_SCRIPT, PCI(gen), .max = 100, .help = "now; as `max_gen`"},
    {"width", SIM_SCRIPT, PCI(width), .max = 64, .help = "now; as `max_width`"},
    {"bytes_per_s", SIM_SCRIPT, PCI(bandwidth), .max = 0x1p53, .help = "now; as `max_bytes_per_s`"},
    {"status", SIM_SCRIPT, PCI(status), .words = "zes_pci_link_status_t", .help = "good"},
    {"quality_issues", SIM_SCRIPT, PCI(quality), .words = "zes_pci_link_qual_issue_flags_t",
     .help = "none"},
    {"stability_issues", SIM_SCRIPT, PCI(stability), .words = "zes_pci_link_stab_issue_flags_t",
     .help = "none"},
    {"rx_bytes_per_s", SIM_RATE, PCI(rx), .max = 1e18,
     .help = "rate, of which programs read the integral; 0"},
    {"tx_bytes_per_s", SIM_RATE, PCI(tx), .max = 1e18,
     .help = "rate, of which programs read the integral; 0"},
    {"packets_per_s", SIM_RATE, PCI(packets), .max = 1e18,
     .help = "rate, of which programs read the integral; 0"},
    {"replays", SIM_SCRIPT, PCI(replays), .max = 0x1p53, .help = "0"},
    {"downgrade", SIM_FLAG, PCI(downgrade),
     .help = "the link can be set to generation 4; the next reset applies it; false"},
    {"bars", SIM_LIST, PCI(bars), .size = 8, .table = &bar_table, .help = "none"},
};
static const struct sim_pci pci_defaults = {.there = true,
                                            .properties = {.maxSpeed = {-1, -1, -1}}};

static bool pci_finish(struct sim_reader *reader, void *item)
{
    struct sim_pci *pci = item;
    (void)reader;
    pci->properties.haveBandwidthCounters = pci->rx || pci->tx;
    pci->properties.havePacketCounters = pci->packets != NULL;
    pci->properties.haveReplayCounters = pci->replays != NULL;
    return true;
}
static const struct sim_table pci_table = {"pci", SIM_KEYS(pci_keys),
                                           .bytes = sizeof(struct sim_pci),
                                           .defaults = &pci_defaults, .finish = pci_finish};

#define ECC(field) offsetof(struct sim_ecc, field)
static const struct sim_key ecc_keys[] = {
    {"state", SIM_WORD, ECC(current), .words = "zes_device_ecc_state_t", .help = "enabled"},
    {"default", SIM_WORD, ECC(initial), .words = "zes_device_ecc_state_t", .help = "enabled"},
    {"configurable", SIM_FLAG, ECC(configurable), .help = "the state can be set; false"},
    {"action", SIM_WORD, ECC(action), .words = "zes_device_action_t",
     .help = "event that a new state waits for; warm_card_reset"},
};
static const struct sim_ecc ecc_defaults = {.there = true,
                                            .current = ZES_DEVICE_ECC_STATE_ENABLED,
                                            .initial = ZES_DEVICE_ECC_STATE_ENABLED,
                                            .action = ZES_DEVICE_ACTION_WARM_CARD_RESET};
static const struct sim_table ecc_table = {
    "ecc", SIM_KEYS(ecc_keys), .bytes = sizeof(struct sim_ecc), .defaults = &ecc_defaults};

/* ---- processes, events, faults ---- */

#define SECONDS        .max = 0x1p53
#define PROCESS(field) offsetof(struct sim_process, field)
static const struct sim_key process_keys[] = {
    {"process_id", SIM_U32, PROCESS(state.processId), .required = true,
     .help = "number of the process"},
    {"engines", SIM_WORDS, PROCESS(state.engines), .words = "zes_engine_type_flags_t",
     .help = "none"},
    {"memory_bytes", SIM_SCRIPT, PROCESS(memory_bytes), .max = 0x1p53, .help = "0"},
    {"shared_bytes", SIM_SCRIPT, PROCESS(shared_bytes), .max = 0x1p53, .help = "0"},
    {"from_s", SIM_REAL, PROCESS(from_s), SECONDS, .help = "start of the process; 0"},
    {"until_s", SIM_REAL, PROCESS(until_s), SECONDS, .help = "end of the process; 0: never"},
};
/* Checks that a period ends after it starts. until_s 0: never ends. */
static bool until_check(struct sim_reader *reader, double from_s, double until_s, const char *from)
{
    return until_s == 0 || until_s > from_s ||
           sim_wrong(reader, "\"until_s\" is not after \"%s\"", from);
}
static bool process_finish(struct sim_reader *reader, void *item)
{
    const struct sim_process *process = item;
    return until_check(reader, process->from_s, process->until_s, "from_s");
}
static const struct sim_table process_table = {"processes", SIM_KEYS(process_keys),
                                               .bytes = sizeof(struct sim_process),
                                               .finish = process_finish};

#define EVENT(field) offsetof(struct sim_event, field)
static const struct sim_key event_keys[] = {
    {"at_s", SIM_REAL, EVENT(at_s), SECONDS, .required = true, .help = "time of the event"},
    {"every_s", SIM_REAL, EVENT(every_s), .min = 0, .max = 1e12,
     .help = "period of repetition, at least 0.001; 0: the event occurs once"},
    {"event", SIM_WORDS, EVENT(event), .words = "zes_event_type_flags_t", .required = true,
     .help = "one event or several"},
};
static bool event_finish(struct sim_reader *reader, void *item)
{
    const struct sim_event *event = item;
    return event->every_s == 0 || event->every_s >= 0.001 ||
           sim_wrong(reader, "\"every_s\" is below 0.001");
}
static const struct sim_table event_table = {
    "events", SIM_KEYS(event_keys), .bytes = sizeof(struct sim_event), .finish = event_finish};

#define FAULT(field) offsetof(struct sim_fault, field)
static const struct sim_key fault_keys[] = {
    {"at_s", SIM_REAL, FAULT(at_s), SECONDS, .required = true, .help = "start of the fault"},
    {"until_s", SIM_REAL, FAULT(until_s), SECONDS, .help = "end of the fault; 0: never"},
    {"until_reset", SIM_FLAG, FAULT(until_reset), .help = "a reset of the device ends it; false"},
    {"component", SIM_TEXT, FAULT(component), .help = "name of the component; the whole device"},
    {"result", SIM_WORD, FAULT(result), .words = "ze_result_t",
     .help = "result of every operation; error_device_lost"},
    {"text", SIM_TEXT, FAULT(text), .help = "text of the last error; empty"},
};
static const struct sim_fault fault_defaults = {.result = ZE_RESULT_ERROR_DEVICE_LOST};
static bool fault_finish(struct sim_reader *reader, void *item)
{
    const struct sim_fault *fault = item;
    if (fault->result == ZE_RESULT_SUCCESS || fault->result == ZE_RESULT_NOT_READY) {
        return sim_wrong(reader, "\"result\" is not an error");
    }
    return until_check(reader, fault->at_s, fault->until_s, "at_s");
}
static const struct sim_table fault_table = {"faults", SIM_KEYS(fault_keys),
                                             .bytes = sizeof(struct sim_fault),
                                             .defaults = &fault_defaults, .finish = fault_finish};

/* ---- the device ---- */

#define AT(field) offsetof(struct sim_whole, field)
#define CLASS(name, KIND)                                                                          \
    {#name,                                                                                        \
     SIM_JSON,                                                                                     \
     AT(classes[GEO_SYSMAN_##KIND]),                                                               \
     .size = SIM_COMPONENTS,                                                                       \
     .table = &sim_##name##_table,                                                                 \
     .help = "none"}
static const struct sim_key keys[] = {
    {"name", SIM_TEXT, AT(name), .required = true,
     .help = "name in the properties of the core API"},
    {"count", SIM_U32, AT(count), .min = 1, .max = SIM_DEVICES,
     .help = "number of devices of this entry; 1"},
    {"tiles", SIM_U32, AT(tiles), .max = SIM_TILES,
     .help = "number of sub-devices, other than 1; 0"},
    {"type", SIM_WORD, AT(type), .words = "ze_device_type_t", .help = "gpu"},
    {"integrated", SIM_FLAG, AT(integrated), .help = "false"},
    {"vendor_id", SIM_U32, AT(vendor_id), .help = "0"},
    {"device_id", SIM_U32, AT(device_id), .help = "0"},
    {"core_clock_mhz", SIM_U32, AT(core_clock_mhz), .help = "1000"},
    {"memory_bytes", SIM_U64, AT(memory_bytes), .help = "0"},
    {"serial", SIM_TEXT, AT(about.serial), .help = "unknown"},
    {"board", SIM_TEXT, AT(about.board), .help = "unknown"},
    {"brand", SIM_TEXT, AT(about.brand), .help = "unknown"},
    {"model", SIM_TEXT, AT(about.model),
     .help = "sysman adds \" (simulated)\"; the value of `name`"},
    {"vendor", SIM_TEXT, AT(about.vendor), .help = "unknown"},
    {"driver_version", SIM_TEXT, AT(about.driver_version), .help = "unknown"},
    {"oem_serial", SIM_TEXT, AT(about.oem_serial), .help = "none"},
    {"pci", SIM_OBJECT, AT(pci), .table = &pci_table, .help = "no PCI device"},
    {"ecc", SIM_OBJECT, AT(ecc), .table = &ecc_table, .help = "not available"},
    {"reset_reasons", SIM_SCRIPT, AT(reset_reasons), .words = "zes_reset_reason_flags_t",
     .help = "none"},
    {"repair", SIM_SCRIPT, AT(repair), .words = "zes_repair_status_t", .help = "unsupported"},
    {"state_flags", SIM_SCRIPT, AT(state_flags), .words = "zes_device_state_ext_flags_t",
     .help = "normal"},
    {"overclock_mode", SIM_WORD, AT(overclock_mode), .words = "zes_overclock_mode_t",
     .help = "mode_off"},
    {"processes", SIM_LIST, AT(processes), .size = SIM_PROCESSES, .table = &process_table,
     .help = "none"},
    {"events", SIM_LIST, AT(events), .size = SIM_EVENTS, .table = &event_table, .help = "none"},
    {"faults", SIM_LIST, AT(faults), .size = SIM_FAULTS, .table = &fault_table, .help = "none"},
    CLASS(power, POWER),
    CLASS(frequency, FREQUENCY),
    CLASS(engine, ENGINE),
    CLASS(scheduler, SCHEDULER),
    CLASS(firmware, FIRMWARE),
    CLASS(memory, MEMORY),
    CLASS(fabric_port, FABRIC_PORT),
    CLASS(temperature, TEMPERATURE),
    CLASS(psu, PSU),
    CLASS(fan, FAN),
    CLASS(led, LED),
    CLASS(ras, RAS),
    CLASS(diagnostics, DIAGNOSTICS),
    CLASS(standby, STANDBY),
    CLASS(performance, PERFORMANCE),
    CLASS(overclock, OVERCLOCK),
    CLASS(virtual_function, VIRTUAL_FUNCTION),
    {"metric_groups", SIM_JSON, AT(metric_groups), .size = SIM_GROUPS,
     .table = &sim_metric_group_table, .help = "none"},
    {"programmable_metrics", SIM_JSON, AT(programmable_metrics), .size = SIM_PROGRAMMABLES,
     .table = &sim_programmable_table, .help = "none"},
};
static const struct sim_whole defaults = {.count = 1,
                                          .type = ZE_DEVICE_TYPE_GPU,
                                          .core_clock_mhz = 1000,
                                          .about = {.serial = "unknown",
                                                    .board = "unknown",
                                                    .brand = "unknown",
                                                    .vendor = "unknown",
                                                    .driver_version = "unknown",
                                                    .simulated = true,
                                                    .pci_max_generation = -1}};

/* Completes the description, except for pointers into this struct. */
static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_whole *whole = item;
    const struct sim_event *events = whole->events.items;
    whole->about.model = whole->about.model ? whole->about.model : whole->name;
    whole->about.ecc_available = whole->ecc.there;
    whole->about.ecc_configurable = whole->ecc.configurable;
    whole->about.ecc_default = whole->ecc.initial;
    for (uint32_t i = 0; i < whole->events.count; i++) {
        whole->about.events |= events[i].event;
    }
    whole->about.bars = whole->pci.bars.items;
    whole->about.bar_count = whole->pci.bars.count;
    whole->about.pci_downgrade = whole->pci.downgrade;
    whole->about.pci_max_generation = whole->pci.there ? whole->pci.properties.maxSpeed.gen : -1;
    return whole->tiles != 1 || sim_wrong(reader, "a device of one tile has none");
}

const struct sim_table sim_whole_table = {"device", SIM_KEYS(keys),
                                          .bytes = sizeof(struct sim_whole), .defaults = &defaults,
                                          .finish = finish};
