/* Temperature: the sensors in and near the processors (/sys/class/hwmon).
 *
 *     GLOBAL   a package: coretemp "Package id N"; k10temp, zenpower "Tdie", else "Tctl", which
 *              some processors raise by a constant; apm_xgene "SoC Temperature"
 *     GPU      its cores, the hottest at present (coretemp "Core N", k10temp "TccdN")
 *     MEMORY   the memory modules, the hottest (jc42, spd5118)
 *
 * Without such sensors, thermal zones that name a package are GLOBAL. The maximum temperature is
 * the sensor's critical value, else its maximum, else -1. */
#include "backend/cpu/sysman/classes.h"

#include "backend/cpu/sysman/finding.h"
#include "base/room.h"

#include <stdio.h>
#include <string.h>

#define MILLI   1000.0
#define SENSORS 512u /* maximum per component */

struct temperature {
    struct geo_sysman_temperature temperature; /* first */
    struct geo_tree_path *inputs;              /* paths of values in thousandths of a degree */
    uint32_t count;
};

/* Returns the hottest of the sensors that answer. The sensor of an offline core disappears, and
 * others are unavailable at times. */
static ze_result_t temperature_state(const struct geo_sysman_temperature *object, double *celsius,
                                     struct geo_strbuf *why)
{
    const struct temperature *temperature = object->base.opaque;
    const struct geo_tree *tree = &object->base.sysman->tree;
    int64_t hottest = INT64_MIN, milli;
    uint32_t silent = 0;
    for (uint32_t i = 0; i < temperature->count; i++) {
        const char *input = temperature->inputs[i].text;
        ze_result_t result = geo_tree_number(tree, input, &milli, NULL);
        bool gone =
            result == ZE_RESULT_ERROR_DEVICE_LOST || result == ZE_RESULT_ERROR_NOT_AVAILABLE;
        silent += gone;
        if (result != ZE_RESULT_SUCCESS && (!gone || silent == temperature->count)) {
            result = geo_tree_number(tree, input, &milli, why); /* read again for the reason */
            if (result != ZE_RESULT_SUCCESS) {
                return result;
            }
        }
        hottest = result == ZE_RESULT_SUCCESS && milli > hottest ? milli : hottest;
    }
    *celsius = (double)hottest / MILLI;
    return ZE_RESULT_SUCCESS;
}

static const struct geo_sysman_temperature_ops temperature_ops = {.state = temperature_state};

/* ---- finding ---- */

/* The sensors of a component while they are collected. */
struct sensors {
    struct geo_tree_path *inputs; /* [SENSORS] */
    uint32_t count;
    int64_t highest; /* the lowest of their limits; -1: unknown */
};

static bool sensors_init(struct geo_finding *finding, struct sensors *sensors)
{
    *sensors = (struct sensors){.highest = -1};
    sensors->inputs = geo_arena_new_array(&finding->scratch, struct geo_tree_path, SENSORS);
    finding->list->failed = finding->list->failed || !sensors->inputs;
    return sensors->inputs != NULL;
}

static void sensors_note(struct sensors *sensors, struct geo_tree_path input, int64_t highest)
{
    if (sensors->count < SENSORS) {
        sensors->inputs[sensors->count++] = input;
        if (highest > 0 && (sensors->highest < 0 || highest < sensors->highest)) {
            sensors->highest = highest;
        }
    }
}

static void sensors_add(struct geo_finding *finding, const struct sensors *sensors,
                        int32_t subdevice, zes_temp_sensors_t type, const char *name)
{
    if (sensors->count == 0) {
        return;
    }
    size_t bytes = sensors->count * sizeof(struct geo_tree_path);
    struct geo_tree_path *inputs = geo_finding_memory(finding, bytes);
    struct temperature *temperature =
        inputs ? geo_finding_add(finding, sizeof(*temperature), subdevice, NULL, name) : NULL;
    if (temperature) {
        zes_temp_properties_t *properties = &temperature->temperature.properties;
        temperature->temperature.base.opaque = temperature;
        temperature->inputs = memcpy(inputs, sensors->inputs, bytes);
        temperature->count = sensors->count;
        properties->type = type;
        properties->maxTemperature = sensors->highest > 0 ? (double)sensors->highest / MILLI : -1;
        properties->isCriticalTempSupported = sensors->highest > 0;
        properties->isThreshold1Supported = true; /* implemented by comparing */
        properties->isThreshold2Supported = true;
        temperature->temperature.ops = &temperature_ops;
    }
}

static int64_t highest_read(const struct geo_tree *tree, const char *chip, const char *sensor)
{
    int64_t critical = geo_tree_known(tree, geo_tree_path("%s/%s_crit", chip, sensor).text, -1);
    return critical > 0 ? critical
                        : geo_tree_known(tree, geo_tree_path("%s/%s_max", chip, sensor).text, -1);
}

/* ---- processors ---- */

struct chip {
    struct geo_tree_path path;
    char name[64];
    struct geo_tree_names files; /* "temp1_input" and others */
};

/* Returns the sensor of a file: "temp7_input" belongs to "temp7". */
static bool sensor_of(const char *file, char *sensor, size_t size)
{
    size_t length = strlen(file);
    if (length < 6 || length - 6 >= size || strcmp(file + length - 6, "_input") != 0) {
        return false;
    }
    memcpy(sensor, file, length - 6);
    sensor[length - 6] = '\0';
    return true;
}

/* Reads a sensor's label. On processors before Zen, k10temp does not label its first sensor. */
static void label_read(const struct geo_tree *tree, const struct chip *chip, const char *sensor,
                       char label[64])
{
    if (!geo_tree_text_known(tree, geo_tree_path("%s/%s_label", chip->path.text, sensor).text,
                             label, 64)) {
        bool first = strcmp(chip->name, "k10temp") == 0 && strcmp(sensor, "temp1") == 0;
        snprintf(label, 64, "%s", first ? "Tctl" : "");
    }
}

/* Finds the CPUs that a chip measures: those of the package that it names, or of its node. */
static bool chip_place(const struct geo_sysman *sysman, const struct chip *chip, int package,
                       int32_t *subdevice)
{
    cpu_set_t cpus;
    *subdevice = -1;
    if (package >= 0) {
        GEO_ROOM(struct geo_sysman_packages, packages, 1);
        if (!packages) {
            geo_tree_starve();
            return false;
        }
        geo_finding_packages(sysman, packages);
        geo_finding_package_cpus(packages, package, -1, &cpus);
        return geo_finding_place(sysman, &cpus, subdevice) ||
               packages->package[geo_finding_first_cpu(&sysman->whole.cpus)] < 0;
    }
    int64_t node = geo_tree_known(&sysman->tree,
                                  geo_tree_path("%s/device/numa_node", chip->path.text).text, -1);
    return node < 0 ||
           !geo_finding_cpus_read(
               sysman, geo_tree_path("/sys/devices/system/node/node%d/cpulist", (int)node).text,
               &cpus) ||
           geo_finding_place(sysman, &cpus, subdevice);
}

/* Sorts a sensor by its label: package, cores, or neither. */
static void sensor_sort(const char *label, int *package, struct sensors *whole,
                        struct sensors *cores, struct geo_tree_path input, int64_t highest)
{
    int number;
    if (sscanf(label, "Package id %d", package) == 1 ||
        sscanf(label, "Physical id %d", package) == 1 || /* before Linux 4.13 */
        strcmp(label, "Tdie") == 0 || strcmp(label, "SoC Temperature") == 0) {
        whole->count = 0; /* replaces "Tctl", which was used until now */
        sensors_note(whole, input, highest);
    } else if (strcmp(label, "Tctl") == 0 && whole->count == 0) {
        sensors_note(whole, input, highest);
    } else if (sscanf(label, "Core %d", &number) == 1 || sscanf(label, "Tccd%d", &number) == 1) {
        sensors_note(cores, input, highest);
    }
}

static void processor_find(struct geo_finding *finding, const struct chip *chip)
{
    const struct geo_tree *tree = &finding->sysman->tree;
    struct sensors whole, cores;
    int package = -1;
    int32_t subdevice;
    if (!sensors_init(finding, &whole) || !sensors_init(finding, &cores)) {
        return;
    }
    for (uint32_t i = 0; i < chip->files.count; i++) {
        char sensor[64], label[64];
        if (sensor_of(chip->files.names[i], sensor, sizeof(sensor))) {
            label_read(tree, chip, sensor, label);
            sensor_sort(label, &package, &whole, &cores,
                        geo_tree_path("%s/%s_input", chip->path.text, sensor),
                        highest_read(tree, chip->path.text, sensor));
        }
    }
    if (chip_place(finding->sysman, chip, package, &subdevice)) {
        sensors_add(finding, &whole, subdevice, ZES_TEMP_SENSORS_GLOBAL, chip->path.text);
        sensors_add(finding, &cores, subdevice, ZES_TEMP_SENSORS_GPU, chip->path.text);
    }
}

/* ---- others ---- */

static bool name_in(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

static void module_note(const struct geo_tree *tree, const struct chip *chip,
                        struct sensors *modules)
{
    struct geo_tree_path input = geo_tree_path("%s/temp1_input", chip->path.text);
    if (geo_tree_has(tree, input.text)) {
        sensors_note(modules, input, highest_read(tree, chip->path.text, "temp1"));
    }
}

/* Returns the temperature of a zone's trip point "critical" in thousandths of a degree Celsius, or
 * -1 if it has none. */
static int64_t zone_highest(const struct geo_tree *tree, const char *zone)
{
    for (unsigned i = 0; i < 16; i++) {
        char type[32];
        if (geo_tree_text_known(tree, geo_tree_path("%s/trip_point_%u_type", zone, i).text, type,
                                sizeof(type)) &&
            strcmp(type, "critical") == 0) {
            return geo_tree_known(tree, geo_tree_path("%s/trip_point_%u_temp", zone, i).text, -1);
        }
    }
    return -1;
}

static bool zone_is_package(const struct geo_tree *tree, const char *zone)
{
    static const char *const types[] = {"x86_pkg_temp", "cpu-thermal", "cpu_thermal", NULL};
    char type[32];
    return geo_tree_text_known(tree, geo_tree_path("%s/type", zone).text, type, sizeof(type)) &&
           name_in(type, types) && geo_tree_has(tree, geo_tree_path("%s/temp", zone).text);
}

static void zones_find(struct geo_finding *finding)
{
    const struct geo_tree *tree = &finding->sysman->tree;
    struct geo_tree_names zones = geo_finding_names(finding, "/sys/class/thermal", "thermal_zone");
    for (uint32_t i = 0; i < zones.count; i++) {
        struct geo_tree_path zone = geo_tree_path("/sys/class/thermal/%s", zones.names[i]);
        struct sensors sensors;
        if (zone_is_package(tree, zone.text) && sensors_init(finding, &sensors)) {
            sensors_note(&sensors, geo_tree_path("%s/temp", zone.text),
                         zone_highest(tree, zone.text));
            sensors_add(finding, &sensors, -1, ZES_TEMP_SENSORS_GLOBAL, zone.text);
        }
    }
}

static bool chip_read(struct geo_finding *finding, const char *name, struct chip *chip)
{
    chip->path = geo_tree_path("/sys/class/hwmon/%s", name);
    chip->files = geo_finding_names(finding, chip->path.text, "temp");
    return geo_tree_text_known(&finding->sysman->tree,
                               geo_tree_path("%s/name", chip->path.text).text, chip->name,
                               sizeof(chip->name));
}

void geo_cpu_sysman_find_temperature(struct geo_finding *finding)
{
    static const char *const processors[] = {"coretemp", "k10temp", "zenpower", "apm_xgene", NULL};
    static const char *const memories[] = {"jc42", "spd5118", NULL};
    struct geo_tree_names chips = geo_finding_names(finding, "/sys/class/hwmon", "hwmon");
    struct sensors modules;
    struct chip chip;
    if (!sensors_init(finding, &modules)) {
        return;
    }
    for (uint32_t i = 0; i < chips.count; i++) {
        if (!chip_read(finding, chips.names[i], &chip)) {
            continue;
        }
        if (name_in(chip.name, processors)) {
            processor_find(finding, &chip);
        } else if (name_in(chip.name, memories)) {
            module_note(&finding->sysman->tree, &chip, &modules);
        }
    }
    if (finding->list->count == 0) {
        zones_find(finding);
    }
    sensors_add(finding, &modules, -1, ZES_TEMP_SENSORS_MEMORY, "memory-modules");
}
