/* Hardware errors: corrected and uncorrected errors that the memory controllers count. They belong
 * to the machine, not to a sub-device. Clearing one kind clears both, because the system has one
 * switch for the counts of a controller. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/edac.h"
#include "backend/cpu/sysman/finding.h"

static const zes_ras_error_category_exp_t categories[] = {
    ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS,
};

static ze_result_t ras_counters(const struct geo_sysman_ras *ras, uint64_t *counters,
                                struct geo_strbuf *why)
{
    return geo_edac_count(&ras->base.sysman->tree,
                          ras->properties.type == ZES_RAS_ERROR_TYPE_CORRECTABLE
                              ? GEO_EDAC_CORRECTED
                              : GEO_EDAC_UNCORRECTED,
                          counters, why);
}

static ze_result_t ras_clear(const struct geo_sysman_ras *ras, uint32_t index,
                             struct geo_strbuf *why)
{
    (void)index; /* there is only one category */
    return geo_edac_clear(&ras->base.sysman->tree, why);
}

static const struct geo_sysman_ras_ops ras_ops = {
    .counters = ras_counters,
    .clear = ras_clear,
};

static void ras_add(struct geo_finding *finding, zes_ras_error_type_t type, const char *name)
{
    struct geo_sysman_ras *ras = geo_finding_add(finding, sizeof(*ras), -1, NULL, name);
    if (ras) {
        ras->properties.type = type;
        ras->categories = categories;
        ras->category_count = 1;
        ras->ops = &ras_ops;
    }
}

void geo_cpu_sysman_find_ras(struct geo_finding *finding)
{
    if (geo_edac_controllers(&finding->sysman->tree) != 0) {
        ras_add(finding, ZES_RAS_ERROR_TYPE_CORRECTABLE, "memory-corrected");
        ras_add(finding, ZES_RAS_ERROR_TYPE_UNCORRECTABLE, "memory-uncorrected");
    }
}
