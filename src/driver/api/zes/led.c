/* API functions of LEDs. */
#include "ddi/geo_api.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

ze_result_t geo_zesLedGetState(zes_led_handle_t hLed, zes_led_state_t *pState)
{
    const struct geo_sysman_led *led;
    zes_led_state_t state = {0};
    GEO_CHECK(geo_led_from(hLed, &led));
    GEO_ASK(led, state, led, &state);
    if (!state.isOn) { /* the colour is stored, but not visible */
        state.color = (zes_led_color_t){0};
    }
    GEO_VALUE_WRITE(pState, &state);
    return ZE_RESULT_SUCCESS;
}

/* Reads the present state, if possible, so that parts that are not set stay unchanged. */
static ze_result_t state_before(const struct geo_sysman_led *led, zes_led_state_t *state)
{
    *state = (zes_led_state_t){0};
    GEO_CHECK(geo_ask_check_control(&led->base, led->properties.canControl));
    if (GEO_CAN(led, state)) {
        GEO_ASK(led, state, led, state);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesLedSetState(zes_led_handle_t hLed, ze_bool_t enable)
{
    const struct geo_sysman_led *led;
    zes_led_state_t state;
    GEO_CHECK(geo_led_from(hLed, &led));
    GEO_CHECK(state_before(led, &state));
    state.isOn = enable != 0;
    GEO_ASK(led, set_state, led, &state);
    return ZE_RESULT_SUCCESS;
}

static bool is_share(double part)
{
    return part >= 0.0 && part <= 1.0;
}

ze_result_t geo_zesLedSetColor(zes_led_handle_t hLed, const zes_led_color_t *pColor)
{
    const struct geo_sysman_led *led;
    zes_led_state_t state;
    GEO_CHECK(geo_led_from(hLed, &led));
    if (!led->properties.haveRGB) {
        return geo_ask_unsupported(led->base.name, "choice of colour");
    }
    if (!is_share(pColor->red) || !is_share(pColor->green) || !is_share(pColor->blue)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s: the components of the colour must be from 0 to 1", led->base.name);
    }
    GEO_CHECK(state_before(led, &state));
    state.color = *pColor;
    GEO_ASK(led, set_state, led, &state);
    return ZE_RESULT_SUCCESS;
}
