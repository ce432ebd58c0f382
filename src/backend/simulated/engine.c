/* Engine groups: the active time is the integral of the busy share. */
#include "backend/simulated/classes.h"

#define FUNCTIONS 63u /* maximum virtual functions */

struct sim_engine_function {
    const struct sim_script *busy;
};

struct sim_engine {
    struct geo_sysman_engine seam;
    const struct sim_script *busy;
    struct sim_list functions;
};

/* Computes the counters. One percent for one second is 10,000 microseconds. */
static zes_engine_stats_t stats_of(const struct sim_script *busy, double t)
{
    return (zes_engine_stats_t){.activeTime = sim_wrap(1e4 * sim_script_integral(busy, t), 64),
                                .timestamp = sim_clock_us(t)};
}

SIM_OP(engine, activity, uint32_t count, zes_engine_stats_t *stats)
{
    SIM_BEGIN(engine)
    const struct sim_engine_function *functions = part->functions.items;
    stats[0] = stats_of(part->busy, t);
    for (uint32_t i = 1; i < count; i++) {
        stats[i] = stats_of(functions[i - 1].busy, t);
    }
    SIM_END;
}

static const struct geo_sysman_engine_ops ops = {.activity = engine_activity};

/* ---- keys ---- */

static const struct sim_key function_keys[] = {
    {"busy_percent", SIM_RATE, offsetof(struct sim_engine_function, busy), .max = 100,
     .required = true, .help = "share of the time in which the virtual function is active"},
};
static const struct sim_table function_table = {"virtual_functions of an engine",
                                                SIM_KEYS(function_keys),
                                                .bytes = sizeof(struct sim_engine_function)};

#define AT(field) offsetof(struct sim_engine, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_engine),
    {"group", SIM_WORD, AT(seam.properties.type), .words = "zes_engine_group_t", .help = "all"},
    {"busy_percent", SIM_RATE, AT(busy), .max = 100, .required = true,
     .help = "share of the time in which the engine is active; programs read its integral"},
    {"virtual_functions", SIM_LIST, AT(functions), .size = FUNCTIONS, .table = &function_table,
     .help = "activity of each virtual function; none"},
};
static const struct sim_engine defaults = {.seam = {.base = {.subdevice = -1}, .ops = &ops}};

static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_engine *part = item;
    (void)reader;
    part->seam.virtual_functions = part->functions.count;
    return true;
}

SIM_TABLE(engine, finish);
const struct sim_class sim_engine_class = {
    .key = "engine", .kind = GEO_SYSMAN_ENGINE, .table = &sim_engine_table};
