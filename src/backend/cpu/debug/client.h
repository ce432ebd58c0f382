/* The debugger's side: sessions with other processes (wire.h). */
#ifndef GEO_BACKEND_CPU_DEBUG_CLIENT_H
#define GEO_BACKEND_CPU_DEBUG_CLIENT_H

#include "backend/debug.h"

/* Connects to the agent of a process. A process that has set ZET_ENABLE_PROGRAM_DEBUGGING and has
 * no agent yet is given some time. Returns the results of `attach` (backend/debug.h). */
ze_result_t geo_cpu_debug_client_attach(struct geo_backend_device *device, uint32_t pid,
                                        struct geo_debug_session **out, struct geo_strbuf *why);
void geo_cpu_debug_client_detach(struct geo_debug_session *session);

/* (one thread) Implements read_event. Reports the end of the process once. */
ze_result_t geo_cpu_debug_client_event(struct geo_debug_session *session, uint64_t timeout_ns,
                                       zet_debug_event_t *event);

struct geo_cpu_debug_request;

/* (any thread) Sends a request with `sent` bytes of data, and receives exactly `received` bytes of
 * data. Fills in the request's magic and serial number. Returns the agent's result, or DEVICE_LOST
 * once the process has ended. */
ze_result_t geo_cpu_debug_client_ask(struct geo_debug_session *session,
                                     struct geo_cpu_debug_request *request, const void *data,
                                     size_t sent, void *buffer, size_t received,
                                     struct geo_strbuf *why);

#endif
