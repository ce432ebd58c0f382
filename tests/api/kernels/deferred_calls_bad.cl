/* With a kernel that does not build, behind the others. */
#define BAD
#include "deferred_calls.cl"
