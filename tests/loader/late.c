/* A library whose destructor calls the API, through pointers that it was given: it neither keeps
 * the loader nor is kept by it. */
#include "late.h"

#include <unistd.h>

__attribute__((visibility("default"))) late_arm_fn late_arm;

static struct late_calls armed;
static const char *armed_when;

void late_arm(const struct late_calls *calls, const char *when)
{
    armed = *calls;
    armed_when = when;
}

__attribute__((destructor)) static void late_end(void)
{
    if (armed_when) {
        dprintf(STDOUT_FILENO, "%s %s\n", armed_when, late_state(&armed));
    }
}
