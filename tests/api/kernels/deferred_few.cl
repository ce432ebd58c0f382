/* One kernel too few to be deferred without a request. */
#define ONE_LESS
#include "deferred_many.cl"
