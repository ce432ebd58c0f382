/* Frequency: the policies of the system's frequency scaling (/sys/devices/system/cpu/cpufreq),
 * combined for the device or for each sub-device:
 *
 *     min, max of the properties   the lowest and highest frequency that any of its CPUs supports
 *     range                        the lowest of its CPUs' current minima, and the highest of their
 *                                  current maxima
 *     actual                       the mean of its CPUs' current frequencies
 *     request                      the mean of the frequencies that programs requested (governor
 *                                  "userspace"), else -1
 *     tdp                          the lowest current limit of the firmware, or -1
 *     efficient                    the lowest nonlinear frequency: going below it saves no energy,
 *                                  since power falls only as much as speed. The highest of all
 *                                  CPUs, from AMD's driver or ACPI's table, or -1
 *     clocks                       the frequencies that the system lists; if it lists none, the
 *                                  lowest, base and highest
 *     throttle time                of the CPU that was throttled longest
 *
 * The voltage is unknown. Machines without frequency scaling, such as most virtual machines, have
 * no such component. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/policy.h"
#include "backend/cpu/sysman/throttle.h"

#include <string.h>

#define AT_LIMIT 0.99 /* fraction of the allowed maximum that counts as held at the limit */

struct frequency {
    struct geo_sysman_frequency frequency; /* first */
    const struct geo_sysman_unit *unit;
    struct geo_policy *policies;
    uint32_t policy_count;
    double efficient;                         /* in MHz; constant */
    _Atomic uint64_t throttles, throttled_ms; /* at the last query */
};

static const struct geo_tree *tree_of(const struct frequency *frequency)
{
    return &frequency->frequency.base.sysman->tree;
}

/* ---- policies of offline CPUs ---- */

/* Reads a required frequency of a policy. A policy whose CPUs are all offline answers EBUSY; *rests
 * is set then, and the other policies determine the result. */
static ze_result_t policy_ask(const struct frequency *frequency, const struct geo_policy *policy,
                              const char *name, double *mhz, bool *rests, struct geo_strbuf *why)
{
    ze_result_t result = geo_policy_mhz(tree_of(frequency), policy, name, mhz, NULL);
    *rests = result == ZE_RESULT_ERROR_NOT_AVAILABLE;
    return result == ZE_RESULT_SUCCESS || *rests
               ? ZE_RESULT_SUCCESS
               : geo_policy_mhz(tree_of(frequency), policy, name, mhz, why);
}

static bool policy_rests(const struct frequency *frequency, const struct geo_policy *policy)
{
    double mhz;
    return geo_policy_mhz(tree_of(frequency), policy, "scaling_max_freq", &mhz, NULL) ==
           ZE_RESULT_ERROR_NOT_AVAILABLE;
}

static ze_result_t all_rest(const struct frequency *frequency, struct geo_strbuf *why)
{
    geo_strbuf_printf(why, "%s and its siblings cannot be read: all their CPUs are switched off",
                      frequency->policies[0].path.text);
    return ZE_RESULT_ERROR_NOT_AVAILABLE;
}

/* ---- the range ---- */

static ze_result_t frequency_range(const struct geo_sysman_frequency *object,
                                   zes_freq_range_t *range, struct geo_strbuf *why)
{
    const struct frequency *frequency = object->base.opaque;
    zes_freq_range_t all = {-1, -1};
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct geo_policy *policy = &frequency->policies[i];
        double min, max;
        bool rests;
        ze_result_t result = policy_ask(frequency, policy, "scaling_min_freq", &min, &rests, why);
        if (result == ZE_RESULT_SUCCESS && !rests) {
            result = policy_ask(frequency, policy, "scaling_max_freq", &max, &rests, why);
        }
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
        if (!rests) {
            all.min = all.min < 0 || min < all.min ? min : all.min;
            all.max = max > all.max ? max : all.max;
        }
    }
    if (all.max < 0) {
        return all_rest(frequency, why);
    }
    *range = all;
    return ZE_RESULT_SUCCESS;
}

static int64_t khz_within(const struct geo_policy *policy, double mhz, double hardware)
{
    double value = mhz < 0 ? hardware : mhz;
    value = value < policy->min ? policy->min : value > policy->max ? policy->max : value;
    return (int64_t)(value * GEO_POLICY_PER_MHZ + 0.5);
}

/* Sets a policy's range in the order that keeps the minimum below the maximum at any time, because
 * the system refuses anything else. */
static ze_result_t policy_set(const struct frequency *frequency, const struct geo_policy *policy,
                              const zes_freq_range_t *range, struct geo_strbuf *why)
{
    const struct geo_tree *tree = tree_of(frequency);
    const struct geo_tree_path low = geo_policy_file(policy, "scaling_min_freq"),
                               high = geo_policy_file(policy, "scaling_max_freq");
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
    uint32_t set = 0;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct geo_policy *policy = &frequency->policies[i];
        if (policy_rests(frequency, policy)) {
            continue;
        }
        ze_result_t result = policy_set(frequency, policy, range, why);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
        set++;
    }
    return set ? ZE_RESULT_SUCCESS : all_rest(frequency, why);
}

/* ---- the state ---- */

static ze_result_t actual_read(const struct frequency *frequency, double *actual,
                               struct geo_strbuf *why)
{
    double sum = 0;
    uint32_t cpus = 0;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct geo_policy *policy = &frequency->policies[i];
        double mhz;
        bool rests;
        ze_result_t result = policy_ask(frequency, policy, "scaling_cur_freq", &mhz, &rests, why);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
        sum += rests ? 0 : mhz * policy->cpus;
        cpus += rests ? 0 : policy->cpus;
    }
    if (cpus == 0) {
        return all_rest(frequency, why);
    }
    *actual = sum / cpus;
    return ZE_RESULT_SUCCESS;
}

/* Reads the requested frequency. It is a number only if a program sets it, else "<unsupported>". */
static double request_read(const struct frequency *frequency)
{
    double sum = 0;
    uint32_t cpus = 0;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct geo_policy *policy = &frequency->policies[i];
        double mhz = geo_policy_known(tree_of(frequency), policy, "scaling_setspeed");
        if (mhz >= 0) {
            sum += mhz * policy->cpus;
            cpus += policy->cpus;
        } else if (!policy_rests(frequency, policy)) {
            return -1;
        }
    }
    return cpus ? sum / cpus : -1;
}

static double firmware_limit_read(const struct frequency *frequency)
{
    double least = -1;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct geo_policy *policy = &frequency->policies[i];
        double mhz = geo_policy_known(tree_of(frequency), policy, "bios_limit");
        if (mhz >= 0) {
            least = least < 0 || mhz < least ? mhz : least;
        } else if (!policy_rests(frequency, policy)) {
            return -1;
        }
    }
    return least;
}

static double table_known(const struct frequency *frequency, const struct geo_policy *policy,
                          const char *name)
{
    struct geo_tree_path path =
        geo_tree_path("/sys/devices/system/cpu/cpu%u/acpi_cppc/%s", policy->first_cpu, name);
    return (double)geo_tree_known(tree_of(frequency), path.text, -1);
}

/* Returns the most efficient frequency in MHz from the firmware's performance table (ACPI CPPC).
 * The table has its own scale. The lowest and the nominal value are known in both units, and the
 * values between are interpolated, as the system's driver does. Much firmware reports no
 * frequencies (0). */
static double table_efficient_read(const struct frequency *frequency,
                                   const struct geo_policy *policy)
{
    const double wanted = table_known(frequency, policy, "lowest_nonlinear_perf"),
                 low = table_known(frequency, policy, "lowest_perf"),
                 high = table_known(frequency, policy, "nominal_perf"),
                 low_mhz = table_known(frequency, policy, "lowest_freq"),
                 high_mhz = table_known(frequency, policy, "nominal_freq");
    if (low < 0 || wanted < low || high <= low || low_mhz <= 0 || high_mhz <= low_mhz) {
        return -1;
    }
    return low_mhz + (wanted - low) * (high_mhz - low_mhz) / (high - low);
}

static double efficient_read(const struct frequency *frequency)
{
    double most = -1;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct geo_policy *policy = &frequency->policies[i];
        double mhz =
            geo_policy_known(tree_of(frequency), policy, "amd_pstate_lowest_nonlinear_freq");
        mhz = mhz > 0 ? mhz : table_efficient_read(frequency, policy);
        most = mhz > 0 && mhz > most ? mhz : most;
    }
    return most;
}

/* Determines why the frequency is limited. Thermal: a CPU was throttled since the last query.
 * Range: the range was narrowed, and the CPUs are at its upper end. */
static zes_freq_throttle_reason_flags_t reasons_find(struct frequency *frequency, double actual)
{
    zes_freq_throttle_reason_flags_t reasons = 0;
    double highest = -1;
    uint64_t count, before = atomic_load(&frequency->throttles);
    if (geo_throttle_count(frequency->frequency.base.sysman, &frequency->unit->cpus, &count) &&
        geo_finding_monotonic(&frequency->throttles, count) > before) {
        reasons |= ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT;
    }
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        double mhz =
            geo_policy_known(tree_of(frequency), &frequency->policies[i], "scaling_max_freq");
        highest = mhz > highest ? mhz : highest;
    }
    if (highest > 0 && highest < frequency->frequency.properties.max &&
        actual >= highest * AT_LIMIT) {
        reasons |= ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE;
    }
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
        state->efficient = frequency->efficient;
        state->actual = actual;
        state->throttleReasons = reasons_find(frequency, actual);
    }
    return result;
}

static ze_result_t frequency_throttle_time(const struct geo_sysman_frequency *object,
                                           zes_freq_throttle_time_t *time, struct geo_strbuf *why)
{
    struct frequency *frequency = object->base.opaque;
    uint64_t ms;
    if (!geo_throttle_time(object->base.sysman, &frequency->unit->cpus, &ms)) {
        return geo_finding_unsupported(why, "the system does not tell how long CPUs are throttled");
    }
    time->timestamp = geo_backend_clock_us();
    time->throttleTime = geo_finding_monotonic(&frequency->throttled_ms, ms) * 1000;
    return ZE_RESULT_SUCCESS;
}

static const struct geo_sysman_frequency_ops frequency_ops = {
    .range = frequency_range,
    .set_range = frequency_set_range,
    .state = frequency_state,
    .throttle_time = frequency_throttle_time,
};

/* ---- finding ---- */

static void clocks_fill(struct geo_finding *finding, struct frequency *frequency)
{
    double *all = geo_arena_new_array(&finding->scratch, double, 2 * GEO_POLICY_CLOCKS);
    uint32_t count = all ? geo_policy_clocks(tree_of(frequency), frequency->policies,
                                             frequency->policy_count, all)
                         : 0;
    double *clocks = all ? geo_finding_memory(finding, count * sizeof(double)) : NULL;
    finding->list->failed = !clocks;
    if (clocks) {
        frequency->frequency.clocks = memcpy(clocks, all, count * sizeof(double));
        frequency->frequency.clock_count = count;
    }
}

static void properties_fill(struct frequency *frequency)
{
    zes_freq_properties_t *properties = &frequency->frequency.properties;
    properties->type = ZES_FREQ_DOMAIN_GPU;
    properties->canControl = true;
    for (uint32_t i = 0; i < frequency->policy_count; i++) {
        const struct geo_policy *policy = &frequency->policies[i];
        properties->min = i == 0 || policy->min < properties->min ? policy->min : properties->min;
        properties->max = policy->max > properties->max ? policy->max : properties->max;
        properties->canControl =
            properties->canControl &&
            geo_tree_settable(tree_of(frequency),
                              geo_policy_file(policy, "scaling_min_freq").text) &&
            geo_tree_settable(tree_of(frequency), geo_policy_file(policy, "scaling_max_freq").text);
    }
    uint64_t count;
    properties->isThrottleEventSupported =
        geo_throttle_count(frequency->frequency.base.sysman, &frequency->unit->cpus, &count);
    if (properties->isThrottleEventSupported) {
        atomic_store(&frequency->throttles, count);
    }
    frequency->efficient = efficient_read(frequency);
}

/* Adds the component of a unit that has policies. `room` is scratch space for names->count
 * policies. */
static void unit_find(struct geo_finding *finding, const struct geo_sysman_unit *unit,
                      const struct geo_tree_names *names, struct geo_policy *room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        count += geo_policy_read(finding->sysman, unit, names->names[i], &room[count]);
    }
    struct geo_policy *policies =
        count ? geo_finding_memory(finding, count * sizeof(*policies)) : NULL;
    struct frequency *frequency =
        policies ? geo_finding_add(finding, sizeof(*frequency), unit->subdevice, NULL, "cpufreq")
                 : NULL;
    if (frequency) {
        frequency->frequency.base.opaque = frequency;
        frequency->frequency.ops = &frequency_ops;
        frequency->unit = unit;
        frequency->policies = memcpy(policies, room, count * sizeof(*policies));
        frequency->policy_count = count;
        properties_fill(frequency);
        clocks_fill(finding, frequency);
    }
}

void geo_cpu_sysman_find_frequency(struct geo_finding *finding)
{
    struct geo_tree_names names = geo_finding_names(finding, GEO_POLICY_FOLDER, "policy");
    uint32_t count;
    if (names.count == 0) {
        names = geo_finding_names(finding, GEO_POLICY_OLD_FOLDER, "cpu");
    }
    const struct geo_sysman_unit *units = geo_finding_units(finding->sysman, &count);
    struct geo_policy *room =
        names.count ? geo_arena_new_array(&finding->scratch, struct geo_policy, names.count) : NULL;
    finding->list->failed = finding->list->failed || (names.count != 0 && !room);
    for (uint32_t i = 0; room && i < count; i++) {
        unit_find(finding, &units[i], &names, room);
    }
}
