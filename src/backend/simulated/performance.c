/* Performance factors: from a script until a factor is set. */
#include "backend/simulated/classes.h"

struct sim_performance {
    struct geo_sysman_performance seam;
    const struct sim_script *factor;
    struct {
        bool set;
        double factor;
    } now;
};

SIM_OP(performance, factor, double *factor)
{
    SIM_BEGIN(performance)
    *factor =
        part->now.set ? part->now.factor : sim_clamp(sim_script_value(part->factor, t), 0, 100);
    SIM_END;
}

SIM_OP(performance, set_factor, double factor)
{
    SIM_BEGIN(performance)
    part->now.set = true;
    part->now.factor = factor;
    SIM_END;
}

static const struct geo_sysman_performance_ops ops = {
    .factor = performance_factor,
    .set_factor = performance_set_factor,
};

#define AT(field) offsetof(struct sim_performance, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_performance),
    {"engines", SIM_WORDS, AT(seam.properties.engines), .words = "zes_engine_type_flags_t",
     .help = "none"},
    {"factor", SIM_SCRIPT, AT(factor), .max = 100, .required = true,
     .help = "factor until one is set: 0 favours memory, 100 compute"},
};
static const struct sim_performance defaults = {.seam = {.base = {.subdevice = -1}, .ops = &ops}};

SIM_TABLE(performance, NULL);
const struct sim_class sim_performance_class = SIM_CLASS(performance, PERFORMANCE);
