/* Virtual functions: used memory and engine activity. */
#include "backend/simulated/classes.h"

struct sim_vf_memory {
    zes_mem_loc_t location;
    const struct sim_script *used_bytes;
};

struct sim_vf_engine {
    zes_engine_group_t group;
    const struct sim_script *busy;
};

struct sim_virtual_function {
    struct geo_sysman_virtual_function seam;
    struct sim_list memory, engines;
    struct {
        uint64_t interval_us; /* stored without effect: values are always available */
    } now;
};

SIM_OP(virtual_function, memory, uint32_t *count, zes_vf_util_mem_exp2_t *memory)
{
    SIM_BEGIN(virtual_function)
    const struct sim_vf_memory *items = part->memory.items;
    for (uint32_t i = 0; i < part->memory.count && i < *count; i++) {
        memory[i].vfMemLocation = items[i].location;
        memory[i].vfMemUtilized = sim_u64(items[i].used_bytes, t);
    }
    *count = part->memory.count;
    SIM_END;
}

SIM_OP(virtual_function, engines, uint32_t *count, zes_vf_util_engine_exp2_t *engines)
{
    SIM_BEGIN(virtual_function)
    const struct sim_vf_engine *items = part->engines.items;
    for (uint32_t i = 0; i < part->engines.count && i < *count; i++) {
        engines[i].vfEngineType = items[i].group;
        engines[i].activeCounterValue = sim_wrap(1e4 * sim_script_integral(items[i].busy, t), 64);
        engines[i].samplingCounterValue = sim_clock_us(t);
    }
    *count = part->engines.count;
    SIM_END;
}

SIM_OP(virtual_function, set_telemetry, zes_vf_info_util_exp_flags_t flags, uint64_t interval_us)
{
    (void)flags;
    SIM_BEGIN(virtual_function)
    part->now.interval_us = interval_us;
    SIM_END;
}

static const struct geo_sysman_virtual_function_ops ops = {
    .memory = virtual_function_memory,
    .engines = virtual_function_engines,
    .set_telemetry = virtual_function_set_telemetry,
};

/* ---- keys ---- */

static const struct sim_key memory_keys[] = {
    {"location", SIM_WORD, offsetof(struct sim_vf_memory, location), .words = "zes_mem_loc_t",
     .required = true, .help = "location of the memory"},
    {"used_bytes", SIM_SCRIPT, offsetof(struct sim_vf_memory, used_bytes), .max = 0x1p53,
     .required = true, .help = "memory in use"},
};
static const struct sim_table memory_table = {"memory of virtual_function", SIM_KEYS(memory_keys),
                                              .bytes = sizeof(struct sim_vf_memory)};
static const struct sim_key engine_keys[] = {
    {"group", SIM_WORD, offsetof(struct sim_vf_engine, group), .words = "zes_engine_group_t",
     .required = true, .help = "group of the engine"},
    {"busy_percent", SIM_RATE, offsetof(struct sim_vf_engine, busy), .max = 100, .required = true,
     .help = "share of the time in which the engine works for the function; programs read "
             "its integral"},
};
static const struct sim_table engine_table = {"engines of virtual_function", SIM_KEYS(engine_keys),
                                              .bytes = sizeof(struct sim_vf_engine)};

#define AT(field)      offsetof(struct sim_virtual_function, field)
#define ADDRESS(field) AT(seam.capabilities.address.field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_virtual_function),
    {"id", SIM_U32, AT(seam.capabilities.vfID), .max = 255, .required = true,
     .help = "number of the virtual function"},
    {"domain", SIM_U32, ADDRESS(domain), .help = "PCI domain of the function; 0"},
    {"bus", SIM_U32, ADDRESS(bus), .help = "0"},
    {"device", SIM_U32, ADDRESS(device), .help = "0"},
    {"function", SIM_U32, ADDRESS(function), .help = "0"},
    {"memory_bytes", SIM_U64, AT(seam.capabilities.vfDeviceMemSize),
     .help = "memory that the function may use; 0"},
    {"telemetry", SIM_WORDS, AT(seam.telemetry), .words = "zes_vf_info_util_exp_flags_t",
     .help = "telemetry that the function has; none"},
    {"memory", SIM_LIST, AT(memory), .size = 8, .table = &memory_table, .help = "none"},
    {"engines", SIM_LIST, AT(engines), .size = 32, .table = &engine_table, .help = "none"},
};
static const struct sim_virtual_function defaults = {
    .seam = {.base = {.subdevice = -1}, .uuid = {"GeoidSimVF"}, .ops = &ops}};

static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_virtual_function *part = item;
    uint8_t *id = part->seam.uuid.id;
    id[12] = (uint8_t)(reader->number >> 8);
    id[13] = (uint8_t)reader->number;
    id[15] = (uint8_t)part->seam.capabilities.vfID;
    return true;
}

SIM_TABLE(virtual_function, finish);
const struct sim_class sim_virtual_function_class = SIM_CLASS(virtual_function, VIRTUAL_FUNCTION);
