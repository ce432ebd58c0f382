/* Firmware: of the machine (BIOS) and of its processors (microcode). Neither can be written here:
 * the BIOS is updated with the vendor's tools, microcode at boot. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"

#include <stdio.h>

struct firmware {
    struct geo_sysman_firmware firmware; /* first */
    struct geo_tree_path path;
};

static ze_result_t firmware_version(const struct geo_sysman_firmware *object,
                                    char version[ZES_STRING_PROPERTY_SIZE], struct geo_strbuf *why)
{
    const struct firmware *firmware = object->base.opaque;
    return geo_tree_text(&object->base.sysman->tree, firmware->path.text, version,
                         ZES_STRING_PROPERTY_SIZE, why);
}

static const struct geo_sysman_firmware_ops firmware_ops = {.version = firmware_version};

static void firmware_add(struct geo_finding *finding, const char *name, struct geo_tree_path path)
{
    if (!geo_tree_has(&finding->sysman->tree, path.text)) {
        return;
    }
    struct firmware *firmware = geo_finding_add(finding, sizeof(*firmware), -1, NULL, name);
    if (firmware) {
        firmware->firmware.base.opaque = firmware;
        firmware->firmware.ops = &firmware_ops;
        snprintf(firmware->firmware.properties.name, ZES_STRING_PROPERTY_SIZE, "%s", name);
        firmware->path = path;
    }
}

void geo_cpu_sysman_find_firmware(struct geo_finding *finding)
{
    firmware_add(finding, "BIOS", geo_tree_path("/sys/class/dmi/id/bios_version"));
    firmware_add(finding, "Microcode",
                 geo_tree_path("/sys/devices/system/cpu/cpu%d/microcode/version",
                               geo_finding_first_cpu(&finding->sysman->whole.cpus)));
}
