/* API functions of power supplies. */
#include "ddi/geo_api.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

ze_result_t geo_zesPsuGetState(zes_psu_handle_t hPsu, zes_psu_state_t *pState)
{
    const struct geo_sysman_psu *psu;
    zes_psu_state_t state = {0};
    GEO_CHECK(geo_psu_from(hPsu, &psu));
    GEO_ASK(psu, state, psu, &state);
    GEO_VALUE_WRITE(pState, &state);
    return ZE_RESULT_SUCCESS;
}
