/* Fans that the board's chips measure and drive (/sys/class/hwmon), except those of other devices
 * (graphics cards, power supplies).
 *
 *     speed      RPM as measured; percent as driven, if the chip drives the fan
 *     DEFAULT    the chip or the firmware decides
 *     FIXED      in percent; in RPM if the chip regulates the speed (fanN_target)
 *
 * Speed tables are not supported, because the tables of chips differ too much. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"

#include <stdio.h>
#include <string.h>

#define DRIVE_MAX  255 /* value of a fan that is driven fully */
#define PERCENT    100
#define BY_HAND    1 /* values of "pwmN_enable": manual and automatic control */
#define BY_CHIP    2
#define FAN_NUMBER 64u

struct fan {
    struct geo_sysman_fan fan; /* first */
    struct geo_tree_path chip;
    unsigned number;
    bool driven; /* the chip has pwmN */
    int64_t automatic;
};

/* Return the path of a measured value ("_input"), or of a driving value ("", "_enable"). */
static struct geo_tree_path measured(const struct fan *fan, const char *what)
{
    return geo_tree_path("%s/fan%u%s", fan->chip.text, fan->number, what);
}

static struct geo_tree_path driven(const struct fan *fan, const char *what)
{
    return geo_tree_path("%s/pwm%u%s", fan->chip.text, fan->number, what);
}

static const struct geo_tree *tree_of(const struct fan *fan)
{
    return &fan->fan.base.sysman->tree;
}

/* ---- reading ---- */

static ze_result_t drive_read(const struct fan *fan, int32_t *percent, struct geo_strbuf *why)
{
    int64_t drive;
    if (!fan->driven) {
        return geo_finding_unsupported(why, "the fan is not driven by a chip that tells how");
    }
    ze_result_t result = geo_tree_number(tree_of(fan), driven(fan, "").text, &drive, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (drive < 0 || drive > DRIVE_MAX) {
        geo_strbuf_printf(why,
                          "%s: the chip reports the drive value %lld, which is not from 0 to 255",
                          fan->fan.base.name, (long long)drive);
        return ZE_RESULT_ERROR_UNKNOWN;
    }
    *percent = (int32_t)((drive * PERCENT + DRIVE_MAX / 2) / DRIVE_MAX);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t fan_speed(const struct geo_sysman_fan *object, zes_fan_speed_units_t units,
                             int32_t *speed, struct geo_strbuf *why)
{
    const struct fan *fan = object->base.opaque;
    int64_t rpm;
    if (units == ZES_FAN_SPEED_UNITS_PERCENT) {
        return drive_read(fan, speed, why);
    }
    ze_result_t result = geo_tree_number(tree_of(fan), measured(fan, "_input").text, &rpm, why);
    if (result == ZE_RESULT_SUCCESS) {
        *speed = rpm < 0 ? 0 : rpm > INT32_MAX ? INT32_MAX : (int32_t)rpm;
    }
    return result;
}

static ze_result_t fan_config(const struct geo_sysman_fan *object, zes_fan_config_t *config,
                              struct geo_strbuf *why)
{
    const struct fan *fan = object->base.opaque;
    int64_t enable = BY_CHIP;
    int32_t percent = -1;
    ze_result_t result =
        geo_tree_number_or(tree_of(fan), driven(fan, "_enable").text, BY_CHIP, &enable, why);
    bool fixed = enable == BY_HAND || enable == 0; /* 0: driven fully */
    if (result == ZE_RESULT_SUCCESS && fixed) {
        result = drive_read(fan, &percent, why);
    }
    if (result == ZE_RESULT_SUCCESS) {
        config->mode = fixed ? ZES_FAN_SPEED_MODE_FIXED : ZES_FAN_SPEED_MODE_DEFAULT;
        config->speedFixed = (zes_fan_speed_t){percent, ZES_FAN_SPEED_UNITS_PERCENT};
        config->speedTable.numPoints = 0;
    }
    return result;
}

/* ---- setting ---- */

static ze_result_t fixed_set(const struct fan *fan, const zes_fan_speed_t *speed,
                             struct geo_strbuf *why)
{
    const struct geo_tree *tree = tree_of(fan);
    if (speed->units == ZES_FAN_SPEED_UNITS_RPM) {
        return geo_tree_has(tree, measured(fan, "_target").text)
                   ? geo_tree_write_number(tree, measured(fan, "_target").text, speed->speed, why)
                   : geo_finding_unsupported(why, "the chip holds no speed in RPM");
    }
    if (speed->speed < 0 || speed->speed > PERCENT) {
        geo_strbuf_printf(why, "the fan speed %d is not a percentage: it must be from 0 to 100",
                          (int)speed->speed);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    ze_result_t result = geo_tree_write_number(tree, driven(fan, "_enable").text, BY_HAND, why);
    return result == ZE_RESULT_SUCCESS
               ? geo_tree_write_number(tree, driven(fan, "").text,
                                       (speed->speed * DRIVE_MAX + PERCENT / 2) / PERCENT, why)
               : result;
}

static ze_result_t fan_set_config(const struct geo_sysman_fan *object,
                                  const zes_fan_config_t *config, struct geo_strbuf *why)
{
    const struct fan *fan = object->base.opaque;
    if (!fan->driven || !geo_tree_has(tree_of(fan), driven(fan, "_enable").text)) {
        return geo_finding_unsupported(why, "the fan is not driven by a chip that can be told how");
    }
    switch (config->mode) {
    case ZES_FAN_SPEED_MODE_DEFAULT:
        return geo_tree_write_number(tree_of(fan), driven(fan, "_enable").text, fan->automatic,
                                     why);
    case ZES_FAN_SPEED_MODE_FIXED:
        return fixed_set(fan, &config->speedFixed, why);
    default:
        return geo_finding_unsupported(why, "the fan has no table");
    }
}

static const struct geo_sysman_fan_ops fan_ops = {
    .config = fan_config,
    .set_config = fan_set_config,
    .speed = fan_speed,
};

/* ---- finding ---- */

static void fan_describe(struct fan *fan)
{
    zes_fan_properties_t *properties = &fan->fan.properties;
    const struct geo_tree *tree = tree_of(fan);
    const struct geo_tree_path enable = driven(fan, "_enable");
    int64_t most = geo_tree_known(tree, measured(fan, "_max").text, -1);
    int64_t now = geo_tree_known(tree, enable.text, BY_CHIP);
    fan->driven = geo_tree_has(tree, driven(fan, "").text);
    fan->automatic = now >= BY_CHIP ? now : BY_CHIP;
    properties->canControl = fan->driven && geo_tree_settable(tree, enable.text) &&
                             geo_tree_settable(tree, driven(fan, "").text);
    properties->supportedModes = 1u << ZES_FAN_SPEED_MODE_DEFAULT;
    properties->supportedUnits = 1u << ZES_FAN_SPEED_UNITS_RPM;
    if (fan->driven && geo_tree_has(tree, enable.text)) {
        properties->supportedModes |= 1u << ZES_FAN_SPEED_MODE_FIXED;
    }
    if (fan->driven) {
        properties->supportedUnits |= 1u << ZES_FAN_SPEED_UNITS_PERCENT;
    }
    properties->maxRPM = most > 0 && most <= INT32_MAX ? (int32_t)most : -1;
    properties->maxPoints = 0;
    fan->fan.ops = &fan_ops;
}

/* Returns whether the chip belongs to a graphics card or to a power supply. A power supply is known
 * by the label of its input voltage. */
static bool chip_is_anothers(const struct geo_tree *tree, const char *chip)
{
    static const char *const others[] = {"amdgpu", "nouveau", "i915", "xe", "nvidia"};
    char name[64] = "", label[32] = "";
    geo_tree_text_known(tree, geo_tree_path("%s/name", chip).text, name, sizeof(name));
    geo_tree_text_known(tree, geo_tree_path("%s/in1_label", chip).text, label, sizeof(label));
    bool other = strncmp(label, "vin", 3) == 0;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        other = other || strcmp(name, others[i]) == 0;
    }
    return other;
}

static void chip_find(struct geo_finding *finding, const char *name)
{
    struct geo_tree_path chip = geo_tree_path("/sys/class/hwmon/%s", name);
    struct geo_tree_names files = geo_finding_names(finding, chip.text, "fan");
    if (files.count == 0 || chip_is_anothers(&finding->sysman->tree, chip.text)) {
        return;
    }
    for (uint32_t i = 0; i < files.count; i++) {
        unsigned number;
        char input[32], label[64];
        if (sscanf(files.names[i], "fan%u", &number) != 1 || number > FAN_NUMBER) {
            continue;
        }
        snprintf(input, sizeof(input), "fan%u_input", number);
        if (strcmp(files.names[i], input) != 0) {
            continue;
        }
        snprintf(label, sizeof(label), "%s/fan%u", name, number);
        struct fan *fan = geo_finding_add(finding, sizeof(*fan), -1, NULL, label);
        if (fan) {
            fan->fan.base.opaque = fan;
            fan->chip = chip;
            fan->number = number;
            fan_describe(fan);
        }
    }
}

void geo_cpu_sysman_find_fan(struct geo_finding *finding)
{
    struct geo_tree_names chips = geo_finding_names(finding, "/sys/class/hwmon", "hwmon");
    for (uint32_t i = 0; i < chips.count; i++) {
        chip_find(finding, chips.names[i]);
    }
}
