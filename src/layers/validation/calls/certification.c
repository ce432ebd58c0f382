/* Reports functions that are newer than the certified version. The version is that of
 * ZEL_CERTIFICATION_CHECKER_VERSION ("1.6"). Without the variable it is the driver's version, once
 * the application has asked for it. */
#include "layers/validation/validation.h"

#include "base/option.h"

#include <stdio.h>

static atomic_uint minor = GEO_DDI_MINOR; /* minor version of 1.x */
static bool given;

__attribute__((constructor)) static void version_read(void)
{
    const char *text = geo_option_environment("ZEL_CERTIFICATION_CHECKER_VERSION");
    unsigned major, number;
    if (text && sscanf(text, "%u.%u", &major, &number) == 2 && major == 1) {
        given = true;
        minor = number;
    }
}

static ze_result_t certification_before(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    const struct geo_ddi_function *function = &geo_ddi_functions[call->id];
    const unsigned certified = atomic_load_explicit(&minor, memory_order_relaxed);
    if (function->since_minor <= certified) {
        return ZE_RESULT_SUCCESS;
    }
    const struct geo_val_place place = {.call = call};
    geo_val_tell(GEO_VAL_NEWER_FUNCTION, &place, "came with version 1.%u, 1.%u is certified",
                 function->since_minor, certified);
    return geo_val_refusal(ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
}

static void certification_after(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    if (call->id == GEO_DDI_FN_zeDriverGetApiVersion && !given && geo_layer_succeeded(call)) {
        atomic_store(&minor, ZE_MINOR_VERSION((uint32_t)**(ze_api_version_t **)call->arguments[1]));
    }
}

static bool certification_wants(const struct geo_ddi_function *function)
{
    const size_t id = (size_t)(function - geo_ddi_functions);
    return geo_val_on(GEO_VAL_CERTIFICATION) &&
           (function->since_minor > (given ? minor : 0) || id == GEO_DDI_FN_zeDriverGetApiVersion);
}

const struct geo_layer_part geo_val_part_certification = {.name = "certification",
                                                          .wants = certification_wants,
                                                          .before = certification_before,
                                                          .after = certification_after};
