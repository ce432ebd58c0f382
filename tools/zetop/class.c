/* Engines, memory, PCI links and ports between devices: what works, and what moves data. */
#include "class.h"
#include "words.h"

#define ENUMERATE(name, function, type)                                                            \
    static ze_result_t name(zes_device_handle_t device, uint32_t *count, void **handles)           \
    {                                                                                              \
        return function(device, count, (type *)(void *)handles);                                   \
    }

ENUMERATE(engine_enumerate, zesDeviceEnumEngineGroups, zes_engine_handle_t)
ENUMERATE(memory_enumerate, zesDeviceEnumMemoryModules, zes_mem_handle_t)
ENUMERATE(port_enumerate, zesDeviceEnumFabricPorts, zes_fabric_port_handle_t)

/* ---- engines ---- */

static ze_result_t engine_describe(struct part *part)
{
    zes_engine_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES};
    ze_result_t result = zesEngineGetProperties(part->handle, &properties);
    part->type = word_of(&words_zes_engine_group_t, properties.type);
    part->subdevice = subdevice_of(properties.onSubdevice, properties.subdeviceId);
    return result;
}

static void engine_read(struct reading *reading, struct part *part)
{
    zes_engine_stats_t stats = {0};
    struct change change;
    if (!reading_has(reading, part, zesEngineGetActivity(part->handle, &stats))) {
        return;
    }
    if (counter_step(&part->before, 64, stats.activeTime, 0, stats.timestamp, &change)) {
        /* A counter that is coarser than its clock may be ahead of it. */
        const double share = (double)change.first / (double)change.time;
        reading_real(reading, part, M_ENGINE_UTILIZATION, share < 1 ? share : 1);
    }
    reading_number(reading, part, M_ENGINE_ACTIVE, NULL, VALUE_MICRO, stats.activeTime);
}

const struct part_ops part_engine = {"engine", "engine", engine_enumerate, engine_describe,
                                     engine_read};

/* ---- memory ---- */

static ze_result_t memory_describe(struct part *part)
{
    zes_mem_bandwidth_counter_bits_exp_properties_t bits = {
        .stype = ZES_STRUCTURE_TYPE_MEM_BANDWIDTH_COUNTER_BITS_EXP_PROPERTIES};
    zes_mem_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES, .pNext = &bits};
    ze_result_t result = zesMemoryGetProperties(part->handle, &properties);
    if (result != ZE_RESULT_SUCCESS) { /* the extension is younger than the function */
        properties.pNext = NULL;
        bits.validBitsCount = 0;
        result = zesMemoryGetProperties(part->handle, &properties);
    }
    part->type = word_of(&words_zes_mem_type_t, properties.type);
    part->subdevice = subdevice_of(properties.onSubdevice, properties.subdeviceId);
    part->properties.memory.size = properties.physicalSize;
    part->properties.memory.counter_bits = bits.validBitsCount;
    return result;
}

static void memory_read_state(struct reading *reading, struct part *part)
{
    zes_mem_state_t state = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE};
    if (!reading_has(reading, part, zesMemoryGetState(part->handle, &state))) {
        return;
    }
    const uint64_t size = state.size ? state.size : part->properties.memory.size;
    if (size && state.free <= size) {
        reading_number(reading, part, M_MEMORY_USED, NULL, VALUE_INTEGER, size - state.free);
        reading_number(reading, part, M_MEMORY_FREE, NULL, VALUE_INTEGER, state.free);
        reading_number(reading, part, M_MEMORY_SIZE, NULL, VALUE_INTEGER, size);
    }
    if (state.health != ZES_MEM_HEALTH_UNKNOWN) {
        reading_word(reading, part, M_MEMORY_HEALTH,
                     word_of(&words_zes_mem_health_t, state.health));
    }
}

static void memory_read(struct reading *reading, struct part *part)
{
    zes_mem_bandwidth_t now = {0};
    struct change change;
    memory_read_state(reading, part);
    if (!reading_has(reading, part, zesMemoryGetBandwidth(part->handle, &now))) {
        return;
    }
    const uint32_t bits = part->properties.memory.counter_bits;
    if (counter_step(&part->before, bits ? bits : 64, now.readCounter, now.writeCounter,
                     now.timestamp, &change)) {
        reading_rates(reading, part, M_MEMORY_READ_RATE, M_MEMORY_WRITE_RATE, &change);
        if (now.maxBandwidth) {
            reading_real(reading, part, M_MEMORY_BANDWIDTH,
                         1e6 * ((double)change.first + (double)change.second) /
                             ((double)now.maxBandwidth * (double)change.time));
        }
    }
    if (now.maxBandwidth) {
        reading_number(reading, part, M_MEMORY_MAX_RATE, NULL, VALUE_INTEGER, now.maxBandwidth);
    }
    reading_number(reading, part, M_MEMORY_READ, NULL, VALUE_INTEGER, now.readCounter);
    reading_number(reading, part, M_MEMORY_WRITTEN, NULL, VALUE_INTEGER, now.writeCounter);
}

const struct part_ops part_memory = {"memory", "mem", memory_enumerate, memory_describe,
                                     memory_read};

/* ---- the PCI link ---- */

static ze_result_t pci_describe(struct part *part)
{
    zes_pci_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES};
    part->type = "pci";
    part->subdevice = -1;
    return zesDevicePciGetProperties(part->handle, &properties);
}

static void pci_read_state(struct reading *reading, struct part *part)
{
    zes_pci_state_t state = {.stype = ZES_STRUCTURE_TYPE_PCI_STATE};
    if (!reading_has(reading, part, zesDevicePciGetState(part->handle, &state))) {
        return;
    }
    if (state.status != ZES_PCI_LINK_STATUS_UNKNOWN) {
        reading_word(reading, part, M_PCI_STATUS,
                     word_of(&words_zes_pci_link_status_t, state.status));
    }
    const struct {
        enum metric_id metric;
        int64_t value;
    } speeds[] = {{M_PCI_GENERATION, state.speed.gen},
                  {M_PCI_WIDTH, state.speed.width},
                  {M_PCI_MAX_RATE, state.speed.maxBandwidth}};
    for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
        if (speeds[i].value > 0) { /* -1: unknown */
            reading_number(reading, part, speeds[i].metric, NULL, VALUE_INTEGER,
                           (uint64_t)speeds[i].value);
        }
    }
}

static void pci_read(struct reading *reading, struct part *part)
{
    zes_pci_stats_t stats = {0};
    struct change change;
    pci_read_state(reading, part);
    if (!reading_has(reading, part, zesDevicePciGetStats(part->handle, &stats))) {
        return;
    }
    if (counter_step(&part->before, 64, stats.rxCounter, stats.txCounter, stats.timestamp,
                     &change)) {
        reading_rates(reading, part, M_PCI_RECEIVE_RATE, M_PCI_SEND_RATE, &change);
    }
    reading_number(reading, part, M_PCI_RECEIVED, NULL, VALUE_INTEGER, stats.rxCounter);
    reading_number(reading, part, M_PCI_SENT, NULL, VALUE_INTEGER, stats.txCounter);
    reading_number(reading, part, M_PCI_REPLAYS, NULL, VALUE_INTEGER, stats.replayCounter);
}

const struct part_ops part_pci = {"pci", "pci", NULL, pci_describe, pci_read};

/* ---- ports between devices ---- */

static ze_result_t port_describe(struct part *part)
{
    zes_fabric_port_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_PROPERTIES};
    ze_result_t result = zesFabricPortGetProperties(part->handle, &properties);
    part->type = "fabric_port";
    part->subdevice = subdevice_of(properties.onSubdevice, properties.subdeviceId);
    return result;
}

static void port_read(struct reading *reading, struct part *part)
{
    zes_fabric_port_state_t state = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_STATE};
    zes_fabric_port_throughput_t now = {0};
    struct change change;
    if (reading_has(reading, part, zesFabricPortGetState(part->handle, &state)) &&
        state.status != ZES_FABRIC_PORT_STATUS_UNKNOWN) {
        reading_word(reading, part, M_PORT_STATUS,
                     word_of(&words_zes_fabric_port_status_t, state.status));
    }
    if (!reading_has(reading, part, zesFabricPortGetThroughput(part->handle, &now))) {
        return;
    }
    if (counter_step(&part->before, 64, now.rxCounter, now.txCounter, now.timestamp, &change)) {
        reading_rates(reading, part, M_PORT_RECEIVE_RATE, M_PORT_SEND_RATE, &change);
    }
    reading_number(reading, part, M_PORT_RECEIVED, NULL, VALUE_INTEGER, now.rxCounter);
    reading_number(reading, part, M_PORT_SENT, NULL, VALUE_INTEGER, now.txCounter);
}

const struct part_ops part_port = {"fabric_port", "port", port_enumerate, port_describe, port_read};
