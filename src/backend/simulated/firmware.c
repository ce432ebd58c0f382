/* Firmware: a version that flashing changes, and a log. */
#include "backend/simulated/classes.h"

struct sim_firmware {
    struct geo_sysman_firmware seam;
    const char *flashed_version, *log;
    const struct sim_script *progress;
    struct {
        char version[ZES_STRING_PROPERTY_SIZE], security[ZES_STRING_PROPERTY_SIZE];
    } now;
};

SIM_OP(firmware, version, char version[ZES_STRING_PROPERTY_SIZE])
{
    SIM_BEGIN(firmware)
    memcpy(version, part->now.version, ZES_STRING_PROPERTY_SIZE);
    SIM_END;
}

SIM_OP(firmware, flash, const void *image, size_t bytes)
{
    (void)image; /* the contents of the image are ignored */
    (void)bytes;
    SIM_BEGIN(firmware)
    if (part->flashed_version) {
        strncpy(part->now.version, part->flashed_version, ZES_STRING_PROPERTY_SIZE - 1);
    }
    SIM_END;
}

SIM_OP(firmware, flash_progress, uint32_t *percent)
{
    SIM_BEGIN(firmware)
    *percent = sim_u32(sim_clamp(sim_value(part->progress, t, 100), 0, 100));
    SIM_END;
}

SIM_OP(firmware, console_log, struct geo_strbuf *log)
{
    SIM_BEGIN(firmware)
    if (!part->log) {
        return sim_leave_missing("log", why);
    }
    geo_strbuf_add(log, part->log, strlen(part->log));
    SIM_END;
}

SIM_OP(firmware, security_version, char version[ZES_STRING_PROPERTY_SIZE])
{
    SIM_BEGIN(firmware)
    if (!part->now.security[0]) {
        return sim_leave_missing("security_version", why);
    }
    memcpy(version, part->now.security, ZES_STRING_PROPERTY_SIZE);
    SIM_END;
}

static ze_result_t firmware_fix_security_version(const struct geo_sysman_firmware *seam,
                                                 struct geo_strbuf *why)
{
    SIM_BEGIN(firmware)
    if (!part->now.security[0]) {
        return sim_leave_missing("security_version", why);
    }
    SIM_END;
}

static const struct geo_sysman_firmware_ops ops = {
    .version = firmware_version,
    .flash = firmware_flash,
    .flash_progress = firmware_flash_progress,
    .console_log = firmware_console_log,
    .security_version = firmware_security_version,
    .fix_security_version = firmware_fix_security_version,
};

#define AT(field) offsetof(struct sim_firmware, field)
#define CHARS     .size = ZES_STRING_PROPERTY_SIZE
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_firmware),
    {"firmware", SIM_CHARS, AT(seam.properties.name), CHARS, .required = true,
     .help = "name of the firmware"},
    {"version", SIM_CHARS, AT(now.version), CHARS, .help = "unknown"},
    {"flashed_version", SIM_TEXT, AT(flashed_version),
     .help = "version after a flash; the same as before"},
    {"flash_percent", SIM_SCRIPT, AT(progress), .max = 100, .help = "progress of a flash; 100"},
    {"security_version", SIM_CHARS, AT(now.security), CHARS, .help = "none"},
    {"log", SIM_TEXT, AT(log), .help = "text of the console; none"},
    {"can_control", SIM_BOOL, AT(seam.properties.canControl),
     .help = "the firmware can be flashed; false"},
};
static const struct sim_firmware defaults = {.seam = {.base = {.subdevice = -1}, .ops = &ops},
                                             .now = {.version = "unknown"}};

SIM_TABLE(firmware, NULL);
const struct sim_class sim_firmware_class = SIM_CLASS(firmware, FIRMWARE);
