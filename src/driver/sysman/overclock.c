/* Finds, reads and sets overclocking domains, controls and curves. See overclock.h. */
#include "driver/sysman/overclock.h"

#include "driver/sysman/ask.h"

static const struct geo_sysman_overclock *domain_of(const struct geo_component *component)
{
    GEO_ASSERT(component->description->kind == GEO_SYSMAN_OVERCLOCK);
    return (const struct geo_sysman_overclock *)(const void *)component->description;
}

static uint32_t controls_of(const struct geo_sysman_overclock *domain)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < domain->control_count; i++) {
        bits |= (uint32_t)domain->controls[i].control;
    }
    return bits;
}

/* Returns which domains among `wanted` exist, and their controls. */
static ze_result_t domains_read(struct geo_sysman_root *root, uint32_t wanted, uint32_t *domains,
                                uint32_t *controls)
{
    const struct geo_components *list;
    *domains = *controls = 0;
    geo_sysman_lock();
    ze_result_t result = geo_components_find_locked(root, GEO_SYSMAN_OVERCLOCK, &list);
    for (size_t i = 0; result == ZE_RESULT_SUCCESS && i < list->count; i++) {
        const struct geo_sysman_overclock *domain = domain_of(list->items[i]);
        if ((uint32_t)domain->properties.domainType & wanted) {
            *domains |= (uint32_t)domain->properties.domainType;
            *controls |= controls_of(domain);
        }
    }
    geo_sysman_unlock();
    return result;
}

ze_result_t geo_overclock_domains(struct geo_sysman_root *root, uint32_t *domains)
{
    uint32_t found, controls;
    GEO_CHECK(domains_read(root, UINT32_MAX, &found, &controls));
    *domains = found;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_overclock_controls(struct geo_sysman_root *root, zes_overclock_domain_t domain,
                                   uint32_t *controls)
{
    uint32_t found, bits;
    GEO_CHECK(domains_read(root, (uint32_t)domain, &found, &bits));
    if (!found) {
        return geo_ask_unsupported(root->device->info->name, "such overclocking domain");
    }
    *controls = bits;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_overclock_find(const struct geo_sysman_overclock *domain,
                               zes_overclock_control_t control,
                               const struct geo_sysman_control **out)
{
    for (uint32_t i = 0; i < domain->control_count; i++) {
        if (domain->controls[i].control == control) {
            *out = &domain->controls[i];
            return ZE_RESULT_SUCCESS;
        }
    }
    return geo_ask_unsupported(domain->base.name, "such control");
}

ze_result_t geo_overclock_read(const struct geo_sysman_overclock *domain,
                               zes_overclock_control_t control,
                               struct geo_sysman_control_value *out)
{
    const struct geo_sysman_control *found = NULL;
    struct geo_sysman_control_value value = {0};
    GEO_CHECK(geo_overclock_find(domain, control, &found));
    GEO_ASK(domain, control, domain, control, &value);
    *out = value;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_overclock_set(const struct geo_sysman_overclock *domain,
                              zes_overclock_control_t control, double value,
                              zes_pending_action_t *action)
{
    const struct geo_sysman_control *found = NULL;
    zes_pending_action_t pending = ZES_PENDING_ACTION_PENDING_NONE;
    GEO_CHECK(geo_overclock_find(domain, control, &found));
    if (!(value >= found->property.MinValue && value <= found->property.MaxValue)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s: %g is out of range: it must be from %g to %g", domain->base.name,
                        value, found->property.MinValue, found->property.MaxValue);
    }
    GEO_ASK(domain, set_control, domain, control, value, &pending);
    *action = pending;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_overclock_check_point(const struct geo_sysman_overclock *domain, uint32_t index)
{
    if (domain->properties.NumberOfVFPoints == 0) {
        return geo_ask_unsupported(domain->base.name, "voltage-frequency curve");
    }
    return index < domain->properties.NumberOfVFPoints
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "the curve of %s has points 0 to %u: point %u does not exist",
                          domain->base.name, domain->properties.NumberOfVFPoints - 1, index);
}

ze_result_t geo_overclock_set_point(const struct geo_sysman_overclock *domain, zes_vf_type_t side,
                                    uint32_t index, uint32_t value)
{
    const zes_vf_property_t *curve = &domain->curve;
    const bool volts = side == ZES_VF_TYPE_VOLT;
    const double min = volts ? curve->MinVolt : curve->MinFreq;
    const double max = volts ? curve->MaxVolt : curve->MaxFreq;
    GEO_CHECK(geo_overclock_check_point(domain, index));
    if (domain->properties.VFProgramType ==
        (volts ? ZES_VF_PROGRAM_TYPE_VF_VOLT_FIXED : ZES_VF_PROGRAM_TYPE_VF_FREQ_FIXED)) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "the %s of the curve of %s are fixed",
                        volts ? "voltages" : "frequencies", domain->base.name);
    }
    if (max > 0 && (value < min || value > max)) { /* max 0: the range is unknown */
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s: %u %s is out of range: it must be from %g to %g", domain->base.name,
                        value, volts ? "mV" : "MHz", min, max);
    }
    GEO_ASK(domain, set_point, domain, side, index, value);
    return ZE_RESULT_SUCCESS;
}
