/* LEDs: on or off, and a colour. Both can be set. */
#include "backend/simulated/classes.h"

struct sim_led {
    struct geo_sysman_led seam;
    struct {
        zes_led_state_t state;
    } now;
};

SIM_OP(led, state, zes_led_state_t *state)
{
    SIM_BEGIN(led)
    state->isOn = part->now.state.isOn;
    state->color = part->now.state.color;
    SIM_END;
}

SIM_OP(led, set_state, const zes_led_state_t *state)
{
    SIM_BEGIN(led)
    part->now.state.isOn = state->isOn;
    part->now.state.color = state->color;
    SIM_END;
}

static const struct geo_sysman_led_ops ops = {.state = led_state, .set_state = led_set_state};

#define AT(field) offsetof(struct sim_led, field)
#define SHARE     .max = 1, .help = "0 to 1; 0"
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_led),
    {"on", SIM_BOOL, AT(now.state.isOn), .help = "false"},
    {"red", SIM_REAL, AT(now.state.color.red), SHARE},
    {"green", SIM_REAL, AT(now.state.color.green), SHARE},
    {"blue", SIM_REAL, AT(now.state.color.blue), SHARE},
    {"has_rgb", SIM_BOOL, AT(seam.properties.haveRGB), .help = "the light has colours; false"},
    {"can_control", SIM_BOOL, AT(seam.properties.canControl),
     .help = "the light can be switched; false"},
};
static const struct sim_led defaults = {.seam = {.base = {.subdevice = -1}, .ops = &ops}};

SIM_TABLE(led, NULL);
const struct sim_class sim_led_class = SIM_CLASS(led, LED);
