/* Reports faults on behalf of a stream. See runner.h. */
#include "exec/record/runner.h"

#include "base/assert.h"
#include "exec/job/limit.h"
#include "exec/thread/fault.h"
#include "exec/wait/slot.h"

void geo_runner_fault(const struct geo_runner *runner, const struct geo_fault *fault)
{
    runner->faults.report(runner->faults.owner, fault);
    GEO_ASSERT(geo_runner_lost(runner));
    geo_slot_give_up();
}

void geo_runner_fault_caught(const struct geo_runner *runner, struct geo_fault *fault,
                             const struct geo_fault_scope *scope)
{
    char limit[GEO_LIMIT_REASON_BYTES]; /* used until the report is made; static TLS is scarce */
    fault->reason =
        scope->signal == GEO_LIMIT_SIGNAL ? geo_limit_reason(limit) : geo_fault_name(scope->signal);
    fault->signal = scope->signal;
    fault->touched = scope->touched;
    fault->address = scope->address;
    fault->instruction = scope->instruction;
    geo_runner_fault(runner, fault);
    fault->reason = NULL;
}
