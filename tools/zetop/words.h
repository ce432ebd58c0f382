/* Words for enumerators: their names in lower case, without what all of an enumeration share. The
 * lists are generated from the registry (scripts/gen/tool_words.py). */
#ifndef ZETOP_WORDS_H
#define ZETOP_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct word {
    uint32_t value;
    const char *text;
};

struct words {
    size_t count;
    const struct word *list;
};

extern const struct words words_ze_result_t;
extern const struct words words_zes_engine_group_t;
extern const struct words words_zes_engine_type_flags_t;
extern const struct words words_zes_fabric_port_status_t;
extern const struct words words_zes_fan_speed_mode_t;
extern const struct words words_zes_freq_domain_t;
extern const struct words words_zes_freq_throttle_reason_flags_t;
extern const struct words words_zes_mem_health_t;
extern const struct words words_zes_mem_loc_t;
extern const struct words words_zes_mem_type_t;
extern const struct words words_zes_pci_link_status_t;
extern const struct words words_zes_power_domain_t;
extern const struct words words_zes_power_level_t;
extern const struct words words_zes_psu_voltage_status_t;
extern const struct words words_zes_ras_error_cat_t;
extern const struct words words_zes_ras_error_category_exp_t;
extern const struct words words_zes_ras_error_type_t;
extern const struct words words_zes_temp_sensors_t;

/* "other" for a value that has no name here: that of a later version. */
const char *word_of(const struct words *words, uint32_t value);

#endif
