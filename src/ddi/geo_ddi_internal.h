/* Data shared between the generated sources and the functions of src/ddi. Not for use outside this
 * folder. */
#ifndef GEO_DDI_INTERNAL_H
#define GEO_DDI_INTERNAL_H

#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/loader/ze_loader.h>

#include "ddi/geo_ddi.h"

struct geo_ddi_result {
    ze_result_t value;
    const char *name;
    const char *text;
};

extern const struct geo_ddi_result geo_ddi_results[];
extern const size_t geo_ddi_result_count;
extern const struct geo_ddi_param geo_ddi_params[];  /* parameters of all functions, in order */
extern const struct geo_ddi_param geo_ddi_members[]; /* members of all structures, in order */
extern const struct geo_ddi_check
    geo_ddi_checks[]; /* checks of all functions, then of all structures */

#endif
