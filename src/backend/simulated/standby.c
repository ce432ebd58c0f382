/* Standby domains: a mode that can be set. */
#include "backend/simulated/classes.h"

struct sim_standby {
    struct geo_sysman_standby seam;
    struct {
        zes_standby_promo_mode_t mode;
    } now;
};

SIM_OP(standby, mode, zes_standby_promo_mode_t *mode)
{
    SIM_BEGIN(standby)
    *mode = part->now.mode;
    SIM_END;
}

SIM_OP(standby, set_mode, zes_standby_promo_mode_t mode)
{
    SIM_BEGIN(standby)
    part->now.mode = mode;
    SIM_END;
}

static const struct geo_sysman_standby_ops ops = {.mode = standby_mode,
                                                  .set_mode = standby_set_mode};

#define AT(field) offsetof(struct sim_standby, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_standby),
    {"mode", SIM_WORD, AT(now.mode), .words = "zes_standby_promo_mode_t", .help = "default"},
};
static const struct sim_standby defaults = {
    .seam = {
        .base = {.subdevice = -1}, .properties = {.type = ZES_STANDBY_TYPE_GLOBAL}, .ops = &ops}};

SIM_TABLE(standby, NULL);
const struct sim_class sim_standby_class = SIM_CLASS(standby, STANDBY);
