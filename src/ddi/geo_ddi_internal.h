/* Data shared between the generated sources and the functions that walk it; of no use outside
 * src/ddi. */
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
extern const struct geo_ddi_param geo_ddi_params[];  /* of all functions, one after the other */
extern const struct geo_ddi_param geo_ddi_members[]; /* of all structures */
extern const struct geo_ddi_check geo_ddi_checks[];  /* of all functions, then all structures */

#endif
