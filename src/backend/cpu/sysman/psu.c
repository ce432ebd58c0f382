/* Power supplies: the mains supplies that the system reports (/sys/class/power_supply). Devices
 * with their own battery are ignored. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"

#include <string.h>

#define UA_PER_MA 1000
#define DECI      10 /* the system's unit: tenths of a degree */

struct psu {
    struct geo_sysman_psu psu; /* first */
    struct geo_tree_path path;
};

static int32_t number_fit(int64_t number)
{
    return number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : (int32_t)number;
}

static int32_t current_fit(int64_t microamperes)
{
    return microamperes < 0 ? -1 : number_fit(microamperes / UA_PER_MA);
}

static zes_psu_voltage_status_t voltage_of(const char *health)
{
    return strcmp(health, "Good") == 0            ? ZES_PSU_VOLTAGE_STATUS_NORMAL
           : strcmp(health, "Over voltage") == 0  ? ZES_PSU_VOLTAGE_STATUS_OVER
           : strcmp(health, "Under voltage") == 0 ? ZES_PSU_VOLTAGE_STATUS_UNDER
                                                  : ZES_PSU_VOLTAGE_STATUS_UNKNOWN;
}

static ze_result_t psu_state(const struct geo_sysman_psu *object, zes_psu_state_t *state,
                             struct geo_strbuf *why)
{
    const struct psu *psu = object->base.opaque;
    const struct geo_tree *tree = &object->base.sysman->tree;
    char health[32] = "";
    int64_t online, current, temperature;
    ze_result_t result =
        geo_tree_number(tree, geo_tree_path("%s/online", psu->path.text).text, &online, why);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_tree_number_or(tree, geo_tree_path("%s/current_now", psu->path.text).text, -1,
                                    &current, why);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_tree_number_or(tree, geo_tree_path("%s/temp", psu->path.text).text, -DECI,
                                    &temperature, why);
    }
    if (result == ZE_RESULT_SUCCESS) {
        geo_tree_text_known(tree, geo_tree_path("%s/health", psu->path.text).text, health,
                            sizeof(health));
        state->voltStatus = voltage_of(health);
        state->fanFailed = false;
        state->temperature = number_fit(temperature / DECI);
        state->current = current_fit(current);
    }
    return result;
}

static const struct geo_sysman_psu_ops psu_ops = {.state = psu_state};

static bool supplies_the_machine(const struct geo_tree *tree, const char *path)
{
    char type[32] = "", scope[32] = "";
    geo_tree_text_known(tree, geo_tree_path("%s/type", path).text, type, sizeof(type));
    geo_tree_text_known(tree, geo_tree_path("%s/scope", path).text, scope, sizeof(scope));
    return strcmp(type, "Mains") == 0 && strcmp(scope, "Device") != 0;
}

void geo_cpu_sysman_find_psu(struct geo_finding *finding)
{
    const struct geo_tree *tree = &finding->sysman->tree;
    struct geo_tree_names names = geo_finding_names(finding, "/sys/class/power_supply", "");
    for (uint32_t i = 0; i < names.count; i++) {
        struct geo_tree_path path = geo_tree_path("/sys/class/power_supply/%s", names.names[i]);
        struct psu *psu = supplies_the_machine(tree, path.text)
                              ? geo_finding_add(finding, sizeof(*psu), -1, NULL, names.names[i])
                              : NULL;
        if (psu) {
            psu->psu.base.opaque = psu;
            psu->path = path;
            psu->psu.properties.ampLimit = current_fit(
                geo_tree_known(tree, geo_tree_path("%s/current_max", path.text).text, -1));
            psu->psu.ops = &psu_ops;
        }
    }
}
