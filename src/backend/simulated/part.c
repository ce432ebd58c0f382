/* Common code of the component operations. See part.h. */
#include "backend/simulated/part.h"

#include <math.h>

static bool fault_is_on(const struct geo_sysman *sysman, const struct sim_fault *fault, double t,
                        bool reset)
{
    const bool mended = fault->until_reset && (reset || sysman->reset_s >= fault->at_s);
    return t >= fault->at_s && (fault->until_s == 0 || t < fault->until_s) && !mended;
}

/* Returns the result of an active fault. component NULL: only faults of the whole device. */
static ze_result_t faults_check(const struct geo_sysman *sysman, const char *component, bool reset,
                                double t, struct geo_strbuf *why)
{
    const struct sim_fault *faults = sysman->whole.faults.items;
    for (uint32_t i = 0; i < sysman->whole.faults.count; i++) {
        const struct sim_fault *fault = &faults[i];
        const bool meant =
            !fault->component || (component && strcmp(fault->component, component) == 0);
        if (meant && fault_is_on(sysman, fault, t, reset)) {
            geo_strbuf_printf(why, "%s", fault->text ? fault->text : "a fault of the description");
            return fault->result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t enter(struct geo_sysman *sysman, const char *component, bool reset, double *t,
                         struct geo_strbuf *why)
{
    sim_lock();
    *t = sim_clock_now_s();
    const ze_result_t result = faults_check(sysman, component, reset, *t, why);
    if (result != ZE_RESULT_SUCCESS) {
        sim_unlock();
    }
    return result;
}

ze_result_t sim_enter_part(const struct geo_sysman_component *part, double *t,
                           struct geo_strbuf *why)
{
    return enter(part->sysman, part->name, false, t, why);
}

ze_result_t sim_enter_device(struct geo_sysman *sysman, bool reset, double *t,
                             struct geo_strbuf *why)
{
    return enter(sysman, NULL, reset, t, why);
}

ze_result_t sim_leave_part(ze_result_t result)
{
    sim_unlock();
    return result;
}

ze_result_t sim_leave_missing(const char *key, struct geo_strbuf *why)
{
    sim_unlock();
    geo_strbuf_printf(why, "the description has no \"%s\"", key);
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* ---- numbers ---- */

double sim_value(const struct sim_script *script, double t, double fallback)
{
    return script ? sim_script_value(script, t) : fallback;
}

uint64_t sim_u64(const struct sim_script *script, double t)
{
    return script ? sim_wrap(sim_script_value(script, t), 64) : 0;
}

int32_t sim_i32(double value)
{
    return (int32_t)round(sim_clamp(value, INT32_MIN, INT32_MAX));
}

uint32_t sim_u32(double value)
{
    return (uint32_t)sim_clamp(value, 0, UINT32_MAX);
}

double sim_meter_read(const struct sim_meter *meter, const struct sim_script *rate, double t)
{
    if (!rate || meter->stopped) {
        return meter->base;
    }
    return meter->base + sim_script_integral(rate, t) - sim_script_integral(rate, meter->since);
}

void sim_meter_stop(struct sim_meter *meter, const struct sim_script *rate, double t, bool stop)
{
    meter->base = sim_meter_read(meter, rate, t);
    meter->since = t;
    meter->stopped = stop;
}
