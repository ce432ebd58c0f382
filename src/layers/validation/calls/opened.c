/* Warns once per process about counter-based events that were opened by an IPC handle. They are
 * legal, but have limits that programs may not expect. */
#include "layers/validation/validation.h"

#include <stdatomic.h>

static _Atomic bool told;

static void opened_after(struct geo_layer_call *call, void **scratch)
{
    const struct geo_val_place place = {.call = call, .argument = "phEvent"};
    (void)scratch;
    if (geo_layer_succeeded(call) && !atomic_exchange(&told, true)) {
        geo_val_tell(GEO_VAL_OPENED_EVENT, &place,
                     "stands for the signal that the event had when its handle was made: after a "
                     "later signal ask for a new handle and open that");
    }
}

static bool opened_wants(const struct geo_ddi_function *function)
{
    return geo_val_on(GEO_VAL_EVENTS) &&
           function == &geo_ddi_functions[GEO_DDI_FN_zeEventCounterBasedOpenIpcHandle];
}

const struct geo_layer_part geo_val_part_opened = {
    .name = "opened", .wants = opened_wants, .after = opened_after};
