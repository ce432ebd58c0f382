/* API functions of standby domains. */
#include "ddi/geo_api.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/component.h"

ze_result_t geo_zesStandbyGetMode(zes_standby_handle_t hStandby, zes_standby_promo_mode_t *pMode)
{
    const struct geo_sysman_standby *standby;
    zes_standby_promo_mode_t mode = ZES_STANDBY_PROMO_MODE_DEFAULT;
    GEO_CHECK(geo_standby_from(hStandby, &standby));
    GEO_ASK(standby, mode, standby, &mode);
    *pMode = mode;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesStandbySetMode(zes_standby_handle_t hStandby, zes_standby_promo_mode_t mode)
{
    const struct geo_sysman_standby *standby;
    GEO_CHECK(geo_standby_from(hStandby, &standby));
    GEO_ASK(standby, set_mode, standby, mode);
    return ZE_RESULT_SUCCESS;
}
