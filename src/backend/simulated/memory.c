/* Memory modules: used size, traffic as the integral of rates, and retired pages. */
#include "backend/simulated/classes.h"

struct sim_memory {
    struct geo_sysman_memory seam;
    uint64_t size_bytes, max_bandwidth;
    uint32_t max_pages;
    const struct sim_script *used_bytes, *health, *read_rate, *write_rate, *pages;
};

SIM_OP(memory, state, zes_mem_state_t *state)
{
    SIM_BEGIN(memory)
    if (!part->used_bytes) {
        return sim_leave_missing("used_bytes", why);
    }
    const double size = (double)part->size_bytes;
    state->size = part->size_bytes;
    state->free =
        part->size_bytes - (uint64_t)sim_clamp(sim_script_value(part->used_bytes, t), 0, size);
    state->health = (zes_mem_health_t)sim_u32(sim_value(part->health, t, ZES_MEM_HEALTH_OK));
    SIM_END;
}

SIM_OP(memory, bandwidth, zes_mem_bandwidth_t *bandwidth)
{
    SIM_BEGIN(memory)
    if (!part->read_rate || !part->write_rate) {
        return sim_leave_missing(part->read_rate ? "write_bytes_per_s" : "read_bytes_per_s", why);
    }
    const uint32_t bits = part->seam.counter_bits;
    bandwidth->readCounter = sim_wrap(sim_script_integral(part->read_rate, t), bits);
    bandwidth->writeCounter = sim_wrap(sim_script_integral(part->write_rate, t), bits);
    bandwidth->maxBandwidth = part->max_bandwidth;
    bandwidth->timestamp = sim_clock_us(t);
    SIM_END;
}

SIM_OP(memory, pages_offline, uint32_t *pages, uint32_t *max_pages)
{
    SIM_BEGIN(memory)
    if (!part->pages) {
        return sim_leave_missing("pages_offline", why);
    }
    *pages = sim_u32(sim_script_value(part->pages, t));
    *max_pages = part->max_pages;
    SIM_END;
}

static const struct geo_sysman_memory_ops ops = {
    .state = memory_state,
    .bandwidth = memory_bandwidth,
    .pages_offline = memory_pages_offline,
};

#define AT(field) offsetof(struct sim_memory, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_memory),
    {"type", SIM_WORD, AT(seam.properties.type), .words = "zes_mem_type_t", .help = "hbm"},
    {"location", SIM_WORD, AT(seam.properties.location), .words = "zes_mem_loc_t",
     .help = "device"},
    {"size_bytes", SIM_U64, AT(size_bytes), .required = true, .help = "size of the module"},
    {"bus_width_bits", SIM_I32, AT(seam.properties.busWidth), .help = "-1: unknown"},
    {"channels", SIM_I32, AT(seam.properties.numChannels), .help = "-1: unknown"},
    {"used_bytes", SIM_SCRIPT, AT(used_bytes), .max = 0x1p53, .help = "memory in use"},
    {"health", SIM_SCRIPT, AT(health), .words = "zes_mem_health_t", .help = "ok"},
    {"read_bytes_per_s", SIM_RATE, AT(read_rate), .max = 1e18,
     .help = "rate; programs read its integral"},
    {"write_bytes_per_s", SIM_RATE, AT(write_rate), .max = 1e18,
     .help = "rate; programs read its integral"},
    {"max_bytes_per_s", SIM_U64, AT(max_bandwidth), .help = "0"},
    {"counter_bits", SIM_U32, AT(seam.counter_bits), .min = 1, .max = 64,
     .help = "width of the traffic's counters; 64"},
    {"pages_offline", SIM_SCRIPT, AT(pages), .max = UINT32_MAX, .help = "pages taken out of use"},
    {"max_pages_offline", SIM_U32, AT(max_pages), .help = "0"},
};
static const struct sim_memory defaults = {.seam = {.base = {.subdevice = -1},
                                                    .properties = {.type = ZES_MEM_TYPE_HBM,
                                                                   .location = ZES_MEM_LOC_DEVICE,
                                                                   .busWidth = -1,
                                                                   .numChannels = -1},
                                                    .counter_bits = 64,
                                                    .ops = &ops}};

static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_memory *part = item;
    (void)reader;
    part->seam.properties.physicalSize = part->size_bytes;
    return true;
}

SIM_TABLE(memory, finish);
const struct sim_class sim_memory_class = {
    .key = "memory", .kind = GEO_SYSMAN_MEMORY, .table = &sim_memory_table};
