/* Error counters from scripts, counted from the last clear. The driver implements thresholds. */
#include "backend/simulated/classes.h"

#define CATEGORIES 16u

struct sim_category {
    zes_ras_error_category_exp_t category;
    const struct sim_script *count;
};

struct sim_ras {
    struct geo_sysman_ras seam;
    struct sim_list counts; /* struct sim_category */
    zes_ras_error_category_exp_t categories[CATEGORIES];
    uint64_t cleared[CATEGORIES]; /* value of the script at the last clear */
};

static uint64_t count_of(const struct sim_ras *part, uint32_t index, double t)
{
    const struct sim_category *counts = part->counts.items;
    return sim_u64(counts[index].count, t);
}

SIM_OP(ras, counters, uint64_t *counters)
{
    SIM_BEGIN(ras)
    for (uint32_t i = 0; i < part->counts.count; i++) {
        const uint64_t count = count_of(part, i, t), cleared = part->cleared[i];
        counters[i] = count > cleared ? count - cleared : 0;
    }
    SIM_END;
}

SIM_OP(ras, clear, uint32_t index)
{
    SIM_BEGIN(ras)
    part->cleared[index] = count_of(part, index, t);
    SIM_END;
}

static const struct geo_sysman_ras_ops ops = {.counters = ras_counters, .clear = ras_clear};

/* ---- keys ---- */

#define COUNT_AT(field) offsetof(struct sim_category, field)
static const struct sim_key count_keys[] = {
    {"category", SIM_WORD, COUNT_AT(category), .words = "zes_ras_error_category_exp_t",
     .required = true, .help = "category of the errors; each category once"},
    {"count", SIM_SCRIPT, COUNT_AT(count), .max = 0x1p53, .required = true,
     .help = "number of errors since the beginning"},
};
static const struct sim_table count_table = {"counters of ras", SIM_KEYS(count_keys),
                                             .bytes = sizeof(struct sim_category)};

#define AT(field) offsetof(struct sim_ras, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_ras),
    {"type", SIM_WORD, AT(seam.properties.type), .words = "zes_ras_error_type_t", .required = true,
     .help = "kind of all errors of this entry"},
    {"counters", SIM_LIST, AT(counts), .size = CATEGORIES, .table = &count_table, .required = true,
     .help = "the counters, one for each category"},
};
static const struct sim_ras defaults = {.seam = {.base = {.subdevice = -1}, .ops = &ops}};

static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_ras *part = item;
    const struct sim_category *counts = part->counts.items;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < part->counts.count; i++) {
        const uint32_t bit = 1u << (uint32_t)counts[i].category;
        if (seen & bit) {
            return sim_wrong(reader, "a category is there twice");
        }
        seen |= bit;
        part->categories[i] = counts[i].category;
    }
    part->seam.categories = part->categories;
    part->seam.category_count = part->counts.count;
    return true;
}

SIM_TABLE(ras, finish);
const struct sim_class sim_ras_class = {
    .key = "ras", .kind = GEO_SYSMAN_RAS, .table = &sim_ras_table};
