"""Generates build-time C for tools: words for enumerators of sysman and results, by their names."""

from . import ctext
from .tool_describe import c_string, short_values

ENUMS = ["zes_engine_group_t", "zes_engine_type_flags_t", "zes_fan_speed_mode_t", "zes_freq_domain_t", "zes_freq_throttle_reason_flags_t",
         "zes_mem_health_t", "zes_mem_loc_t", "zes_mem_type_t", "zes_power_domain_t", "zes_power_level_t", "zes_psu_voltage_status_t",
         "zes_fabric_port_status_t", "zes_pci_link_status_t", "zes_ras_error_cat_t", "zes_ras_error_category_exp_t",
         "zes_ras_error_type_t", "zes_temp_sensors_t", "ze_result_t"]


def words_source(registry):
    lines = [ctext.banner("sysman_words.c", "").rstrip(), '#include "tools/zetop/words.h"', "", "#include <level_zero/zes_api.h>", ""]
    for name in ENUMS:
        values = short_values(registry.get(name))
        lines.append(f"static const struct word list_{name}[] = {{")
        lines += [f"    {{(uint32_t){value}, {c_string(short.lower())}}}," for short, value in values]
        lines += ["};", f"const struct words words_{name} = {{{len(values)}, list_{name}}};", ""]
    return "\n".join(lines)


def generate(registry):
    return {"tools/sysman_words.c": words_source(registry)}
