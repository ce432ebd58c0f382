/* Common code of the component operations. An operation runs under the lock at one simulated time,
 * and fails if a fault is active. */
#ifndef GEO_BACKEND_SIMULATED_PART_H
#define GEO_BACKEND_SIMULATED_PART_H

#include "backend/simulated/device.h"

#include <string.h>

/* Takes the lock and returns the time. If a fault is active, returns its result without the
 * lock. */
ze_result_t sim_enter_part(const struct geo_sysman_component *part, double *t,
                           struct geo_strbuf *why);
/* Takes the lock and returns the time, as sim_enter_part does, for a call on the whole device. With
 * `reset`, faults that a reset ends are ignored. */
ze_result_t sim_enter_device(struct geo_sysman *sysman, bool reset, double *t,
                             struct geo_strbuf *why);
/* Releases the lock and returns `result`. */
ze_result_t sim_leave_part(ze_result_t result);
/* Releases the lock and returns UNSUPPORTED_FEATURE, with the missing key in `why`. */
ze_result_t sim_leave_missing(const char *key, struct geo_strbuf *why);

/* An operation of a class, and its first lines. They define `part`, the component, and `t`, the
 * time. */
#define SIM_OP(kind, name, ...)                                                                    \
    static ze_result_t kind##_##name(const struct geo_sysman_##kind *seam, __VA_ARGS__,            \
                                     struct geo_strbuf *why)
#define SIM_BEGIN(kind)                                                                            \
    double t;                                                                                      \
    struct sim_##kind *const part = (struct sim_##kind *)(uintptr_t)seam;                          \
    const ze_result_t fault_ = sim_enter_part(&seam->base, &t, why);                               \
    (void)part;                                                                                    \
    if (fault_ != ZE_RESULT_SUCCESS) {                                                             \
        return fault_;                                                                             \
    }
#define SIM_END return sim_leave_part(ZE_RESULT_SUCCESS)

/* ---- numbers ---- */

/* Returns the script's value, or the fallback without a script. */
double sim_value(const struct sim_script *script, double t, double fallback);
uint64_t sim_u64(const struct sim_script *script, double t);
int32_t sim_i32(double value);
uint32_t sim_u32(double value);
static inline double sim_clamp(double value, double min, double max)
{
    return !(value > min) ? min : value > max ? max : value; /* min for NaN */
}

/* An integral of a script that can be stopped and resumed. `base` is its value at the last
 * change. */
struct sim_meter {
    double base, since;
    bool stopped;
};
double sim_meter_read(const struct sim_meter *meter, const struct sim_script *rate, double t);
void sim_meter_stop(struct sim_meter *meter, const struct sim_script *rate, double t, bool stop);

/* ---- tables ---- */

/* Keys of every component. `type` is struct sim_power and the like, with the member `seam`. */
#define SIM_COMPONENT_KEYS(type)                                                                   \
    {"name", SIM_TEXT, offsetof(type, seam.base.name),                                             \
     .help = "for messages and faults; its class and number, as `fan-0`"},                         \
        {"tile",                                                                                   \
         SIM_I32,                                                                                  \
         offsetof(type, seam.base.subdevice),                                                      \
         .min = -1,                                                                                \
         .max = SIM_TILES - 1,                                                                     \
         .help = "the tile that it is a part of; -1: the whole device"}

/* Defines the table of a file's class from `keys`, `defaults`, and a finish function or NULL. */
#define SIM_TABLE(kind, function)                                                                  \
    const struct sim_table sim_##kind##_table = {#kind, SIM_KEYS(keys),                            \
                                                 .bytes = sizeof(struct sim_##kind),               \
                                                 .defaults = &defaults, .finish = (function)}

#endif
