/* Frequency: the policies of the system's frequency scaling (/sys/devices/system/cpu/cpufreq), put
 * together for the device, or for each of its parts:
 *
 *   min, max of the properties   the lowest and the highest that any of its CPUs can have
 *   range                        the lowest and the highest that any may have now
 *   actual                       the mean over its CPUs
 *   request                      where a program sets it (governor "userspace") the mean, else -1
 *   tdp                          what the firmware allows at present, the least of all; or -1
 *   efficient                    below which power falls in proportion only, the largest of all;
 *                                or -1
 *   clocks                       those that the system lists; else those that it names: lowest,
 *                                base, highest
 *   throttle time                of the CPU that was throttled for longest
 *
 * Voltage is not told. A machine without scaling, as most virtual ones, has no such component. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"
#include "backend/cpu/sysman/throttle.h"

#include <stdlib.h>
#include <string.h>

#define KHZ_PER_MHZ 1000.0
#define CLOCKS      256u /* of one policy */
#define AT_LIMIT    0.99 /* of what is allowed: held there */

/* CPUs that have their frequency together; here: those of the unit. */
struct policy {
    struct geo_tree_path path;
    uint32_t cpus;
    uint32_t first_cpu;
    double min, max; /* MHz, of the hardware */
};

struct frequency {
    struct geo_sysman_frequency frequency; /* first */
    const struct geo_sysman_unit *unit;
    struct policy *policies;
    uint32_t policy_count;
    _Atomic uint64_t throttles, throttled_ms; /* as last seen */
};

static const struct geo_tree *tree_of(const struct frequency *frequency)
{
    return &frequency->frequency.base.sysman->tree;
}

static struct geo_tree_path policy_file(const struct policy *policy, const char *name)
{
    return geo_path("%s/%s", policy->path.text, name);
}

static ze_result_t policy_mhz(const struct frequency *frequency, const struct policy *policy,
                              const char *name, double *mhz, struct geo_strbuf *why)
{
    int64_t khz;
    ze_result_t result =
        geo_tree_number(tree_of(frequency), policy_file(policy, name).text, &khz, why);
    if (result == ZE_RESULT_SUCCESS && khz < 0) {
        geo_strbuf_printf(why, "%s/%s: a negative frequency", policy->path.text, name);
        result = ZE_RESULT_ERROR_UNKNOWN;
    }
    *mhz = result == ZE_RESULT_SUCCESS ? (double)khz / KHZ_PER_MHZ : -1;
    return result;
}

/* ---- the range ---- */

static ze_result_t frequency_range(const struct geo_sysman_frequency *object,
                                   zes_freq_range_t *range, struct geo_strbuf *why)
{
    const struct frequency *frequency = object->base.opaque;
    zes_freq_range_t all = {0};
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct policy *policy = &frequency->policies[i];
        double min, max;
        ze_result_t result = policy_mhz(frequency, policy, "scaling_min_freq", &min, why);
        if (result == ZE_RESULT_SUCCESS) {
            result = policy_mhz(frequency, policy, "scaling_max_freq", &max, why);
        }
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
        all.min = i == 0 || min < all.min ? min : all.min;
        all.max = i == 0 || max > all.max ? max : all.max;
    }
    *range = all;
    return ZE_RESULT_SUCCESS;
}

static int64_t khz_within(const struct policy *policy, double mhz, double hardware)
{
    double value = mhz < 0 ? hardware : mhz;
    value = value < policy->min ? policy->min : value > policy->max ? policy->max : value;
    return (int64_t)(value * KHZ_PER_MHZ + 0.5);
}

/* The system refuses a lowest above the highest, also in between. */
static ze_result_t policy_set(const struct frequency *frequency, const struct policy *policy,
                              const zes_freq_range_t *range, struct geo_strbuf *why)
{
    const struct geo_tree *tree = tree_of(frequency);
    const struct geo_tree_path low = policy_file(policy, "scaling_min_freq"),
                               high = policy_file(policy, "scaling_max_freq");
    int64_t min = khz_within(policy, range->min, policy->min),
            max = khz_within(policy, range->max, policy->max), now;
    ze_result_t result = geo_tree_number(tree, high.text, &now, why);
    bool up = min > now;
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_tree_write_number(tree, up ? high.text : low.text, up ? max : min, why);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_tree_write_number(tree, up ? low.text : high.text, up ? min : max, why);
    }
    return result;
}

static ze_result_t frequency_set_range(const struct geo_sysman_frequency *object,
                                       const zes_freq_range_t *range, struct geo_strbuf *why)
{
    const struct frequency *frequency = object->base.opaque;
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < frequency->policy_count && result == ZE_RESULT_SUCCESS; i++) {
        result = policy_set(frequency, &frequency->policies[i], range, why);
    }
    return result;
}

/* ---- the state ---- */

static ze_result_t actual_read(const struct frequency *frequency, double *actual,
                               struct geo_strbuf *why)
{
    double sum = 0;
    uint32_t cpus = 0;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct policy *policy = &frequency->policies[i];
        double mhz;
        ze_result_t result = policy_mhz(frequency, policy, "scaling_cur_freq", &mhz, why);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
        sum += mhz * policy->cpus;
        cpus += policy->cpus;
    }
    *actual = sum / cpus;
    return ZE_RESULT_SUCCESS;
}

/* Only where a program sets it is it a number ("<unsupported>" else). */
static double request_read(const struct frequency *frequency)
{
    double sum = 0;
    uint32_t cpus = 0;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct policy *policy = &frequency->policies[i];
        int64_t khz =
            geo_tree_known(tree_of(frequency), policy_file(policy, "scaling_setspeed").text, -1);
        if (khz < 0) {
            return -1;
        }
        sum += (double)khz / KHZ_PER_MHZ * policy->cpus;
        cpus += policy->cpus;
    }
    return sum / cpus;
}

static double firmware_limit_read(const struct frequency *frequency)
{
    int64_t least = -1;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        int64_t khz = geo_tree_known(tree_of(frequency),
                                     policy_file(&frequency->policies[i], "bios_limit").text, -1);
        if (khz < 0) {
            return -1;
        }
        least = i == 0 || khz < least ? khz : least;
    }
    return (double)least / KHZ_PER_MHZ;
}

/* In kHz by the policy, or in MHz by the firmware's table. */
static double efficient_read(const struct frequency *frequency)
{
    double most = -1;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct policy *policy = &frequency->policies[i];
        int64_t khz = geo_tree_known(
            tree_of(frequency), policy_file(policy, "amd_pstate_lowest_nonlinear_freq").text, -1);
        double mhz =
            khz > 0 ? (double)khz / KHZ_PER_MHZ
                    : (double)geo_tree_known(tree_of(frequency),
                                             geo_path("/sys/devices/system/cpu/cpu%u/acpi_cppc/"
                                                      "lowest_nonlinear_freq",
                                                      policy->first_cpu)
                                                 .text,
                                             -1);
        most = mhz > 0 && mhz > most ? mhz : most;
    }
    return most;
}

/* Heat: a CPU was throttled since this was asked last. A range: it was narrowed, and the CPUs are
 * held at its end. */
static zes_freq_throttle_reason_flags_t reasons_find(struct frequency *frequency, double actual)
{
    zes_freq_throttle_reason_flags_t reasons = 0;
    struct geo_sysman_throttle throttle;
    zes_freq_range_t range;
    struct geo_strbuf unheard;
    geo_strbuf_init(&unheard, 1);
    if (geo_sysman_throttle_read(frequency->frequency.base.sysman, &frequency->unit->cpus,
                                 &throttle)) {
        uint64_t before = atomic_load(&frequency->throttles);
        if (geo_sysman_monotonic(&frequency->throttles, throttle.count) > before) {
            reasons |= ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT;
        }
    }
    if (frequency_range(&frequency->frequency, &range, &unheard) == ZE_RESULT_SUCCESS &&
        range.max < frequency->frequency.properties.max && actual >= range.max * AT_LIMIT) {
        reasons |= ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE;
    }
    geo_strbuf_finish(&unheard);
    return reasons;
}

static ze_result_t frequency_state(const struct geo_sysman_frequency *object,
                                   zes_freq_state_t *state, struct geo_strbuf *why)
{
    struct frequency *frequency = object->base.opaque;
    double actual;
    ze_result_t result = actual_read(frequency, &actual, why);
    if (result == ZE_RESULT_SUCCESS) {
        state->currentVoltage = -1;
        state->request = request_read(frequency);
        state->tdp = firmware_limit_read(frequency);
        state->efficient = efficient_read(frequency);
        state->actual = actual;
        state->throttleReasons = reasons_find(frequency, actual);
    }
    return result;
}

static ze_result_t frequency_throttle_time(const struct geo_sysman_frequency *object,
                                           zes_freq_throttle_time_t *time, struct geo_strbuf *why)
{
    struct frequency *frequency = object->base.opaque;
    struct geo_sysman_throttle throttle;
    if (!geo_sysman_throttle_read(object->base.sysman, &frequency->unit->cpus, &throttle) ||
        !throttle.timed) {
        return geo_finding_unsupported(why, "the system does not tell how long CPUs are throttled");
    }
    time->timestamp = geo_sysman_clock_us();
    time->throttleTime = geo_sysman_monotonic(&frequency->throttled_ms, throttle.ms) * 1000;
    return ZE_RESULT_SUCCESS;
}

static const struct geo_sysman_frequency_ops frequency_ops = {
    .range = frequency_range,
    .set_range = frequency_set_range,
    .state = frequency_state,
    .throttle_time = frequency_throttle_time,
};

/* ---- clocks ---- */

static int doubles_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t doubles_unique(double *values, uint32_t count)
{
    qsort(values, count, sizeof(values[0]), doubles_compare);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || values[i] > values[kept - 1]) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static uint32_t listed_read(const struct frequency *frequency, const struct policy *policy,
                            double *clocks)
{
    char text[4096];
    size_t length;
    uint32_t count = 0;
    if (geo_tree_bytes(tree_of(frequency),
                       policy_file(policy, "scaling_available_frequencies").text, text,
                       sizeof(text) - 1, &length, NULL) != ZE_RESULT_SUCCESS) {
        return 0;
    }
    text[length] = '\0';
    for (char *at = text, *end; count < CLOCKS; at = end) {
        unsigned long long khz = strtoull(at, &end, 10);
        if (end == at) {
            break;
        }
        double mhz = (double)khz / KHZ_PER_MHZ;
        if (mhz >= policy->min && mhz <= policy->max) {
            clocks[count++] = mhz;
        }
    }
    return count;
}

static uint32_t named_read(const struct frequency *frequency, const struct policy *policy,
                           double *clocks)
{
    double base =
        (double)geo_tree_known(tree_of(frequency), policy_file(policy, "base_frequency").text, -1) /
        KHZ_PER_MHZ;
    clocks[0] = policy->min;
    clocks[1] = policy->max;
    clocks[2] = base >= policy->min && base <= policy->max ? base : policy->max;
    return 3;
}

/* Policies of one machine have few different lists: together they stay short. */
static void clocks_fill(struct geo_finding *finding, struct frequency *frequency)
{
    double *all = geo_arena_new_array(&finding->scratch, double, 2 * CLOCKS);
    uint32_t count = 0;
    for (uint32_t i = 0; all && i < frequency->policy_count; i++) {
        const struct policy *policy = &frequency->policies[i];
        uint32_t more = listed_read(frequency, policy, all + count);
        more = more ? more : named_read(frequency, policy, all + count);
        count = doubles_unique(all, count + more);
        count = count > CLOCKS ? CLOCKS : count;
    }
    double *clocks = all ? geo_finding_memory(finding, (count + !count) * sizeof(double)) : NULL;
    finding->failed = !clocks;
    if (clocks) {
        memcpy(clocks, all, count * sizeof(double));
        frequency->frequency.clocks = clocks;
        frequency->frequency.clock_count = count;
    }
}

/* ---- finding ---- */

/* False: it has none of the unit's CPUs, or says not what they can do. */
static bool policy_read(const struct geo_sysman *sysman, const struct geo_sysman_unit *unit,
                        const char *name, struct policy *policy)
{
    const struct geo_tree *tree = &sysman->tree;
    cpu_set_t cpus;
    policy->path = geo_path("/sys/devices/system/cpu/cpufreq/%s", name);
    if (!geo_sysman_cpus_read(sysman, policy_file(policy, "affected_cpus").text, &cpus)) {
        return false;
    }
    CPU_AND(&cpus, &cpus, &unit->cpus);
    policy->cpus = (uint32_t)CPU_COUNT(&cpus);
    policy->first_cpu = (uint32_t)geo_sysman_first_cpu(&cpus);
    policy->min = (double)geo_tree_known(tree, policy_file(policy, "cpuinfo_min_freq").text, -1) /
                  KHZ_PER_MHZ;
    policy->max = (double)geo_tree_known(tree, policy_file(policy, "cpuinfo_max_freq").text, -1) /
                  KHZ_PER_MHZ;
    return policy->cpus != 0 && policy->min >= 0 && policy->max >= policy->min && policy->max > 0 &&
           geo_tree_has(tree, policy_file(policy, "scaling_cur_freq").text);
}

static void properties_fill(struct frequency *frequency)
{
    zes_freq_properties_t *properties = &frequency->frequency.properties;
    struct geo_sysman_throttle throttle;
    properties->type = ZES_FREQ_DOMAIN_GPU;
    properties->canControl = true;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct policy *policy = &frequency->policies[i];
        properties->min = i == 0 || policy->min < properties->min ? policy->min : properties->min;
        properties->max = policy->max > properties->max ? policy->max : properties->max;
        properties->canControl =
            properties->canControl &&
            geo_tree_writable(tree_of(frequency), policy_file(policy, "scaling_min_freq").text) &&
            geo_tree_writable(tree_of(frequency), policy_file(policy, "scaling_max_freq").text);
    }
    properties->isThrottleEventSupported = geo_sysman_throttle_read(
        frequency->frequency.base.sysman, &frequency->unit->cpus, &throttle);
    if (properties->isThrottleEventSupported) {
        atomic_store(&frequency->throttles, throttle.count);
    }
}

static void unit_find(struct geo_finding *finding, const struct geo_sysman_unit *unit,
                      const struct geo_tree_names *names)
{
    struct policy *policies =
        geo_finding_memory(finding, (names->count + 1) * sizeof(struct policy));
    uint32_t count = 0;
    for (uint32_t i = 0; policies && i < names->count; i++) {
        count += policy_read(finding->sysman, unit, names->names[i], &policies[count]);
    }
    if (count == 0) {
        return;
    }
    struct frequency *frequency =
        geo_finding_add(finding, sizeof(*frequency), unit->subdevice, NULL, "cpufreq");
    if (frequency) {
        frequency->frequency.base.opaque = frequency;
        frequency->frequency.ops = &frequency_ops;
        frequency->unit = unit;
        frequency->policies = policies;
        frequency->policy_count = count;
        properties_fill(frequency);
        clocks_fill(finding, frequency);
    }
}

void geo_cpu_sysman_find_frequency(struct geo_finding *finding)
{
    struct geo_tree_names names =
        geo_finding_names(finding, "/sys/devices/system/cpu/cpufreq", "policy");
    uint32_t count;
    const struct geo_sysman_unit *units = geo_sysman_units(finding->sysman, &count);
    for (uint32_t i = 0; names.count != 0 && i < count; i++) {
        unit_find(finding, &units[i], &names);
    }
}
