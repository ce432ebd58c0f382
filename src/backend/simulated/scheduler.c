/* Schedulers: a mode and its times. Both can be set. */
#include "backend/simulated/classes.h"

struct sim_scheduler {
    struct geo_sysman_scheduler seam;
    bool needs_reload;
    struct {
        struct geo_sysman_schedule schedule;
    } now;
};

SIM_OP(scheduler, mode, struct geo_sysman_schedule *schedule)
{
    SIM_BEGIN(scheduler)
    *schedule = part->now.schedule;
    SIM_END;
}

SIM_OP(scheduler, set_mode, const struct geo_sysman_schedule *schedule, bool *needs_reload)
{
    SIM_BEGIN(scheduler)
    part->now.schedule = *schedule;
    *needs_reload = part->needs_reload;
    SIM_END;
}

static const struct geo_sysman_scheduler_ops ops = {
    .mode = scheduler_mode,
    .set_mode = scheduler_set_mode,
};

/* ---- keys ---- */

#define AT(field) offsetof(struct sim_scheduler, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_scheduler),
    {"engines", SIM_WORDS, AT(seam.properties.engines), .words = "zes_engine_type_flags_t",
     .help = "none"},
    {"modes", SIM_CHOICE, AT(seam.properties.supportedModes), .words = "zes_sched_mode_t",
     .help = "[\"timeslice\"]"},
    {"mode", SIM_WORD, AT(seam.defaults.mode), .words = "zes_sched_mode_t", .help = "timeslice"},
    {"watchdog_us", SIM_U64, AT(seam.defaults.watchdog_us), .help = "640000"},
    {"interval_us", SIM_U64, AT(seam.defaults.interval_us), .help = "5000"},
    {"yield_out_us", SIM_U64, AT(seam.defaults.yield_out_us), .help = "64000"},
    {"can_control", SIM_BOOL, AT(seam.properties.canControl), .help = "a mode can be set; false"},
    {"needs_reload", SIM_FLAG, AT(needs_reload),
     .help = "a new mode requires a reload of the driver; false"},
};
static const struct sim_scheduler defaults = {
    .seam = {.base = {.subdevice = -1},
             .properties = {.supportedModes = 1u << ZES_SCHED_MODE_TIMESLICE},
             .defaults = {.mode = ZES_SCHED_MODE_TIMESLICE,
                          .watchdog_us = 640000,
                          .interval_us = 5000,
                          .yield_out_us = 64000},
             .ops = &ops}};

static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_scheduler *part = item;
    part->now.schedule = part->seam.defaults;
    return (part->seam.properties.supportedModes & 1u << part->seam.defaults.mode) ||
           sim_wrong(reader, "\"mode\" is none of \"modes\"");
}

SIM_TABLE(scheduler, finish);
const struct sim_class sim_scheduler_class = SIM_CLASS(scheduler, SCHEDULER);
