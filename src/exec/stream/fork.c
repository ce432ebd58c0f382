/* Handles fork for all parts of the runtime that have locks or threads. See fork.h. */
#include "exec/stream/fork.h"

#include "base/fork.h"
#include "exec/job/limit.h"
#include "exec/stream/stream.h"
#include "exec/thread/busy.h"
#include "exec/thread/fault.h"
#include "exec/thread/thread.h"
#include "exec/wait/eventfd.h"
#include "exec/wait/slot.h"

/* Locks streams before seats: nothing takes the streams' lock while it holds the seats' lock. */
static void exec_prepare(void)
{
    geo_exec_streams_before_fork();
    geo_crews_before_fork();
}

static void exec_parent(void)
{
    geo_crews_after_fork_parent();
    geo_exec_streams_after_fork_parent();
}

static void exec_child(void)
{
    geo_fault_after_fork();
    geo_eventfd_after_fork();
    geo_slot_after_fork();
    geo_busy_after_fork();
    geo_limit_after_fork();
    geo_exec_thread_after_fork();
    geo_guest_after_fork();
    geo_reactor_after_fork();
    geo_crews_after_fork_child();
    geo_exec_streams_after_fork_child();
}

static struct geo_fork_handler handler = {
    .order = GEO_FORK_EXEC,
    .prepare = exec_prepare,
    .parent = exec_parent,
    .child = exec_child,
};

void geo_exec_open(void)
{
    geo_fork_register(&handler);
}
