/* The agent: a thread of the debugged process that serves debuggers. It exists only if the program
 * was started with ZET_ENABLE_PROGRAM_DEBUGGING=1. */
#ifndef GEO_BACKEND_CPU_DEBUG_AGENT_H
#define GEO_BACKEND_CPU_DEBUG_AGENT_H

#include "backend/cpu/debug/state.h"

/* Starts the agent, once per process. */
void geo_cpu_debug_agent_open(const struct geo_cpu_debug_desc *desc);

/* Returns whether debugging is switched on. */
bool geo_cpu_debug_agent_on(void);

/* Starts the agent again if this is the child of a process that had one. */
void geo_cpu_debug_agent_want(void);

/* Waits once for a debugger, as long as GEOID_DEBUG_WAIT says. */
void geo_cpu_debug_agent_await_debugger(void);

#endif
