/* Overclocking domains: controls with a current value and a value that is pending until a reset,
 * and voltage-frequency curves. */
#include "backend/simulated/classes.h"

#define CONTROLS 12u
#define POINTS   64u

struct sim_point_of_curve {
    uint32_t values[2]; /* indexed by zes_vf_type_t */
};

struct sim_overclock {
    struct geo_sysman_overclock seam;
    struct sim_list controls; /* struct geo_sysman_control */
    struct sim_list points;   /* struct sim_point_of_curve, factory values */
    zes_pending_action_t action;
    struct {
        double pending[CONTROLS];
        struct sim_point_of_curve user[POINTS];
    } now;
    double current[CONTROLS]; /* a reset sets it to the pending value, so it is not part of `now` */
};

static uint32_t control_at(const struct sim_overclock *part, zes_overclock_control_t control)
{
    uint32_t i = 0;
    while (i + 1 < part->seam.control_count && part->seam.controls[i].control != control) {
        i++;
    }
    return i;
}

SIM_OP(overclock, control, zes_overclock_control_t control, struct geo_sysman_control_value *value)
{
    SIM_BEGIN(overclock)
    const uint32_t i = control_at(part, control);
    value->current = part->current[i];
    value->pending = part->now.pending[i];
    value->state = value->current != part->seam.controls[i].property.DefaultValue
                       ? ZES_CONTROL_STATE_STATE_ACTIVE
                       : ZES_CONTROL_STATE_STATE_UNSET;
    value->action =
        value->pending != value->current ? part->action : ZES_PENDING_ACTION_PENDING_NONE;
    SIM_END;
}

SIM_OP(overclock, set_control, zes_overclock_control_t control, double value,
       zes_pending_action_t *action)
{
    SIM_BEGIN(overclock)
    const uint32_t i = control_at(part, control);
    part->now.pending[i] = value;
    *action = ZES_PENDING_ACTION_PENDING_NONE;
    if (part->action == ZES_PENDING_ACTION_PENDING_NONE) {
        part->current[i] = value;
    } else if (value != part->current[i]) {
        *action = part->action;
    }
    SIM_END;
}

SIM_OP(overclock, point, zes_vf_type_t type, zes_vf_array_type_t curve, uint32_t index,
       uint32_t *value)
{
    SIM_BEGIN(overclock)
    const struct sim_point_of_curve *shipped = part->points.items;
    *value = (curve == ZES_VF_ARRAY_TYPE_DEFAULT_VF_ARRAY ? shipped : part->now.user)[index]
                 .values[type];
    SIM_END;
}

SIM_OP(overclock, set_point, zes_vf_type_t type, uint32_t index, uint32_t value)
{
    SIM_BEGIN(overclock)
    part->now.user[index].values[type] = value;
    SIM_END;
}

static const struct geo_sysman_overclock_ops ops = {
    .control = overclock_control,
    .set_control = overclock_set_control,
    .point = overclock_point,
    .set_point = overclock_set_point,
};

/* Returns the value of a control after a reset of this kind. */
static double control_after(const struct sim_overclock *part, uint32_t index,
                            enum sim_overclock_reset kind)
{
    const bool applies =
        kind == SIM_RESET_COLD ||
        (kind == SIM_RESET_WARM && part->action != ZES_PENDING_ACTION_PENDING_COLD_RESET);
    return kind == SIM_TO_SHIPPED ? part->seam.controls[index].property.DefaultValue
           : applies              ? part->now.pending[index]
                                  : part->current[index];
}

void sim_overclock_reset(struct sim_overclock *domains, uint32_t count,
                         enum sim_overclock_reset kind)
{
    for (uint32_t i = 0; i < count; i++) {
        struct sim_overclock *part = &domains[i];
        for (uint32_t k = 0; k < part->seam.control_count; k++) {
            part->current[k] = control_after(part, k, kind);
            if (kind == SIM_TO_SHIPPED || kind == SIM_TO_CURRENT) {
                part->now.pending[k] = part->current[k];
            }
        }
        if (kind == SIM_TO_SHIPPED && part->points.count) {
            memcpy(part->now.user, part->points.items,
                   part->points.count * sizeof(part->now.user[0]));
        }
    }
}

uint32_t sim_overclock_pending(struct sim_overclock *domains, uint32_t count, bool *active)
{
    zes_pending_action_t action = ZES_PENDING_ACTION_PENDING_NONE;
    *active = false;
    for (uint32_t i = 0; i < count; i++) {
        struct sim_overclock *part = &domains[i];
        for (uint32_t k = 0; k < part->seam.control_count; k++) {
            const double shipped = part->seam.controls[k].property.DefaultValue;
            *active = *active || part->current[k] != shipped;
            if (part->now.pending[k] != part->current[k] && part->action > action) {
                action = part->action;
            }
        }
    }
    return (uint32_t)action;
}

/* ---- keys ---- */

#define CONTROL(field) offsetof(struct geo_sysman_control, field)
static const struct sim_key control_keys[] = {
    {"control", SIM_WORD, CONTROL(control), .words = "zes_overclock_control_t", .required = true,
     .help = "control; each control once"},
    {"min", SIM_REAL, CONTROL(property.MinValue), .required = true,
     .help = "lowest value that can be set"},
    {"max", SIM_REAL, CONTROL(property.MaxValue), .required = true,
     .help = "highest value that can be set"},
    {"step", SIM_REAL, CONTROL(property.StepValue), .help = "0"},
    {"reference", SIM_REAL, CONTROL(property.RefValue), .help = "0"},
    {"default", SIM_REAL, CONTROL(property.DefaultValue),
     .help = "initial value, from `min` to `max`; 0"},
};
static bool control_finish(struct sim_reader *reader, void *item)
{
    const zes_control_property_t *can = &((const struct geo_sysman_control *)item)->property;
    return (can->MinValue <= can->DefaultValue && can->DefaultValue <= can->MaxValue) ||
           sim_wrong(reader, "\"default\" %.10g is not from %.10g to %.10g", can->DefaultValue,
                     can->MinValue, can->MaxValue);
}
static const struct sim_table control_table = {"controls of overclock", SIM_KEYS(control_keys),
                                               .bytes = sizeof(struct geo_sysman_control),
                                               .finish = control_finish};

#define POINT(type) offsetof(struct sim_point_of_curve, values[type])
static const struct sim_key point_keys[] = {
    {"mv", SIM_U32, POINT(ZES_VF_TYPE_VOLT), .required = true, .help = "voltage"},
    {"mhz", SIM_U32, POINT(ZES_VF_TYPE_FREQ), .required = true, .help = "frequency"},
};
static const struct sim_table point_table = {"points of overclock", SIM_KEYS(point_keys),
                                             .bytes = sizeof(struct sim_point_of_curve)};

#define AT(field) offsetof(struct sim_overclock, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_overclock),
    {"domain", SIM_WORD, AT(seam.properties.domainType), .words = "zes_overclock_domain_t",
     .required = true, .help = "domain that is overclocked"},
    {"controls", SIM_LIST, AT(controls), .size = CONTROLS, .table = &control_table, .help = "none"},
    {"action", SIM_WORD, AT(action), .words = "zes_pending_action_t",
     .help = "event that a new value waits for; pending_none"},
    {"program", SIM_WORD, AT(seam.properties.VFProgramType), .words = "zes_vf_program_type_t",
     .help = "program of the curve; `vf_arbitrary`"},
    {"points", SIM_LIST, AT(points), .size = POINTS, .table = &point_table,
     .help = "the initial curve; none"},
    {"min_mhz", SIM_REAL, AT(seam.curve.MinFreq), .help = "limits of the curve; 0"},
    {"max_mhz", SIM_REAL, AT(seam.curve.MaxFreq), .help = "0"},
    {"step_mhz", SIM_REAL, AT(seam.curve.StepFreq), .help = "0"},
    {"min_mv", SIM_REAL, AT(seam.curve.MinVolt), .help = "0"},
    {"max_mv", SIM_REAL, AT(seam.curve.MaxVolt), .help = "0"},
    {"step_mv", SIM_REAL, AT(seam.curve.StepVolt), .help = "0"},
};
static const struct sim_overclock defaults = {.seam = {.base = {.subdevice = -1}, .ops = &ops}};

static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_overclock *part = item;
    const struct geo_sysman_control *controls = part->controls.items;
    part->seam.controls = controls;
    part->seam.control_count = part->controls.count;
    for (uint32_t i = 0; i < part->controls.count; i++) {
        const uint32_t bit = (uint32_t)controls[i].control;
        if (part->seam.properties.AvailableControls & bit) {
            return sim_wrong(reader, "a control is there twice");
        }
        part->seam.properties.AvailableControls |= bit;
        part->current[i] = part->now.pending[i] = controls[i].property.DefaultValue;
    }
    part->seam.properties.NumberOfVFPoints = part->points.count;
    if (part->points.count) {
        memcpy(part->now.user, part->points.items, part->points.count * sizeof(part->now.user[0]));
    }
    return true;
}

SIM_TABLE(overclock, finish);
/* A reset of the device applies pending values, so there is nothing to restore. */
const struct sim_class sim_overclock_class = {
    .key = "overclock", .kind = GEO_SYSMAN_OVERCLOCK, .table = &sim_overclock_table};
