/* The tables of a layer: the next functions, the functions given to the application, and the
 * watched functions. The last one holds a bit for each part whose before and after are called
 * around the function. The tables are in a file of their own, so that parts and layer.c can both
 * use them without a circle. */
#include "layers/layer.h"

struct geo_ddi_table_set geo_layer_next;
struct geo_ddi_table_set geo_layer_given;
_Atomic uint16_t geo_layer_watched[GEO_DDI_FUNCTION_COUNT];

void geo_layer_watch(unsigned part, enum geo_ddi_function_id id, bool on)
{
    const uint16_t bit = (uint16_t)(1u << part);
    if (on) {
        atomic_fetch_or(&geo_layer_watched[id], bit);
    } else {
        atomic_fetch_and(&geo_layer_watched[id], (uint16_t)~bit);
    }
}
