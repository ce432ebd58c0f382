/* Sessions of debuggers in the debugged process. See session.h. */
#include "backend/cpu/debug/session.h"

#include "backend/cpu/debug/place.h"
#include "backend/host/roster.h"
#include "base/assert.h"
#include "machine/registers.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct geo_cpu_debug_session *sessions;
static uint32_t stream_counts[GEO_ROSTER_DEVICES]; /* by device of the backend */

struct geo_cpu_debug_session *geo_cpu_debug_session_first_locked(void)
{
    GEO_ASSERT(geo_cpu_debug_state_locked());
    return sessions;
}

/* ---- devices ---- */

static bool device_covers(const struct geo_backend_device *device,
                          const struct geo_backend_device *other)
{
    return other == device || other->info.parent == device;
}

struct geo_cpu_debug_session *
geo_cpu_debug_session_of_locked(const struct geo_backend_device *device)
{
    GEO_ASSERT(geo_cpu_debug_state_locked());
    struct geo_cpu_debug_session *session = sessions;
    while (session && !device_covers(session->device, device)) {
        session = session->next;
    }
    return session;
}

/* Returns the device whose work an executor runs, or NULL. */
static const struct geo_backend_device *device_of(const struct geo_executor *executor)
{
    const struct geo_backend *backend = geo_cpu_debug_state_desc.backend;
    for (uint32_t i = 0; i < backend->device_count; i++) {
        if (atomic_load(&backend->devices[i].executor) == executor) {
            return &backend->devices[i];
        }
    }
    return NULL;
}

/* Returns the session that a running or parked thread belongs to, or NULL. */
static struct geo_cpu_debug_session *session_of_cell(const struct geo_cpu_debug_cell *cell)
{
    const struct geo_backend_device *device = device_of(atomic_load(&cell->executor));
    return device ? geo_cpu_debug_session_of_locked(device) : NULL;
}

static uint32_t streams_of(const struct geo_cpu_debug_session *session)
{
    const struct geo_backend *backend = geo_cpu_debug_state_desc.backend;
    uint32_t count = 0;
    for (uint32_t i = 0; i < backend->device_count; i++) {
        count += device_covers(session->device, &backend->devices[i]) ? stream_counts[i] : 0;
    }
    return count;
}

/* ---- events ---- */

static void thread_event(struct geo_cpu_debug_session *session, zet_debug_event_type_t type,
                         const ze_device_thread_t *thread)
{
    zet_debug_event_t event;
    geo_cpu_debug_event_clear(&event, type);
    event.info.thread.thread = *thread;
    geo_cpu_debug_event_push(&session->events, &event);
}

static void process_event(struct geo_cpu_debug_session *session, zet_debug_event_type_t type)
{
    zet_debug_event_t event;
    geo_cpu_debug_event_clear(&event, type);
    geo_cpu_debug_event_push(&session->events, &event);
}

static void code_event(struct geo_cpu_debug_session *session, zet_debug_event_type_t type,
                       const struct geo_cpu_debug_code *code, zet_debug_event_flags_t flags)
{
    zet_debug_event_t event;
    geo_cpu_debug_event_clear(&event, type);
    event.flags = flags;
    geo_cpu_debug_code_event(code, &event);
    geo_cpu_debug_event_push(&session->events, &event);
}

/* ---- numbers of threads ---- */

static uint32_t preferred_number(const struct geo_cpu_debug_session *session,
                                 const struct geo_cpu_debug_cell *cell)
{
    const struct geo_backend *backend = geo_cpu_debug_state_desc.backend;
    const struct geo_backend_device *part = session->device + 1, *end = part;
    while (end < backend->devices + backend->device_count && end->info.parent == session->device) {
        end++;
    }
    return geo_cpu_debug_place_of(session->device, part, end, cell->place);
}

static void number_give(struct geo_cpu_debug_session *session, struct geo_cpu_debug_cell *cell,
                        uint32_t number)
{
    GEO_ASSERT(number < session->thread_count);
    if (session->threads[number]) {
        session->threads[number]->number = GEO_CPU_DEBUG_NOWHERE;
    }
    session->threads[number] = cell;
    cell->number = number;
}

/* Numbers a thread: by its core if that number is free, or else the last free one. A parked thread
 * may take the number of one that merely runs. Returns whether the thread has a number. */
static bool number_find(struct geo_cpu_debug_session *session, struct geo_cpu_debug_cell *cell)
{
    const bool parked = geo_cpu_debug_cell_state(cell) == GEO_CPU_DEBUG_PARKED;
    uint32_t number = preferred_number(session, cell);
    if (cell->number != GEO_CPU_DEBUG_NOWHERE) {
        return true;
    }
    if (number == GEO_CPU_DEBUG_NOWHERE || session->threads[number]) {
        number = session->thread_count;
        while (number != 0 && session->threads[number - 1]) {
            number--;
        }
        if (number == 0 && parked) {
            number = session->thread_count;
            while (number != 0 &&
                   geo_cpu_debug_cell_state(session->threads[number - 1]) == GEO_CPU_DEBUG_PARKED) {
                number--;
            }
        }
        if (number == 0) {
            return false;
        }
        number--;
    }
    number_give(session, cell, number);
    return true;
}

/* Takes numbers back from threads that run no kernel of the session's device any more. */
static void numbers_take_back(struct geo_cpu_debug_session *session)
{
    for (uint32_t i = 0; i < session->thread_count; i++) {
        struct geo_cpu_debug_cell *cell = session->threads[i];
        if (cell && (geo_cpu_debug_cell_state(cell) <= GEO_CPU_DEBUG_IDLE ||
                     session_of_cell(cell) != session)) {
            session->threads[i] = NULL;
            cell->number = GEO_CPU_DEBUG_NOWHERE;
        }
    }
}

/* ---- stops ---- */

/* Says why a parked thread stopped, and moves its program counter back to a breakpoint that a
 * debugger wrote. */
static void cell_classify(struct geo_cpu_debug_cell *cell)
{
    const uintptr_t place = geo_machine_registers_breakpoint(cell->context);
    cell->written = false;
    if (cell->sent) {
        cell->reason = GEOID_STOP_INTERRUPT;
    } else if (cell->signal != SIGTRAP) {
        cell->reason = GEOID_STOP_FAULT;
    } else if (cell->code == TRAP_TRACE) {
        cell->reason = GEOID_STOP_STEP;
        geo_machine_registers_step(cell->context, false);
    } else {
        cell->reason = GEOID_STOP_BREAKPOINT;
        cell->written = geo_cpu_debug_code_is_written_locked(place);
        if (cell->written) {
            geo_machine_registers_move(cell->context, place);
        }
    }
}

/* Lets a thread continue that has no debugger any more, as it would have without one. */
static void cell_let_go(struct geo_cpu_debug_cell *cell)
{
    bool retry = cell->reason != GEOID_STOP_FAULT || cell->changed;
    if (cell->reason == GEOID_STOP_BREAKPOINT && !cell->told) {
        retry = cell->written; /* otherwise it is the program's own, which nobody has seen */
    }
    geo_machine_registers_step(cell->context, false);
    geo_cpu_debug_cell_release(cell, retry);
}

/* Lets a thread continue that stopped after its debugger has left. A breakpoint that the debugger
 * left behind is removed. In the child of a fork it is one of the parent's debugger. */
static void cell_abandon(struct geo_cpu_debug_cell *cell)
{
    cell_classify(cell);
    if (cell->written) {
        struct geo_cpu_debug_code *code =
            geo_cpu_debug_code_find_locked(geo_machine_instruction(cell->context), 1);
        geo_cpu_debug_code_restore_locked(code);
    }
    cell_let_go(cell);
}

static void fault_event(struct geo_cpu_debug_session *session,
                        const struct geo_cpu_debug_cell *cell)
{
    zet_debug_event_t event;
    const uint64_t mask = ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
    geo_cpu_debug_event_clear(&event, ZET_DEBUG_EVENT_TYPE_PAGE_FAULT);
    event.info.page_fault.address = cell->address & mask;
    event.info.page_fault.mask = mask;
    event.info.page_fault.reason = cell->signal == SIGSEGV && cell->code == SEGV_ACCERR
                                       ? ZET_DEBUG_PAGE_FAULT_REASON_PERMISSION_ERROR
                                       : ZET_DEBUG_PAGE_FAULT_REASON_MAPPING_ERROR;
    geo_cpu_debug_event_push(&session->events, &event);
}

/* Reports the stop of a thread. It waits for a number if all are taken by stopped threads. */
static void cell_tell(struct geo_cpu_debug_session *session, struct geo_cpu_debug_cell *cell)
{
    if (cell->told || !number_find(session, cell)) {
        return;
    }
    const ze_device_thread_t thread = geo_cpu_debug_place_thread(session->device, cell->number);
    cell_classify(cell);
    cell->told = true;
    if (cell->signal == SIGSEGV || cell->signal == SIGBUS) {
        fault_event(session, cell);
    }
    thread_event(session, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED, &thread);
}

/* ---- interrupts ---- */

static bool cell_matches(const struct geo_cpu_debug_session *session,
                         const struct geo_cpu_debug_cell *cell, const ze_device_thread_t *threads)
{
    return geo_cpu_debug_place_is_all(threads) ||
           (cell->number != GEO_CPU_DEBUG_NOWHERE &&
            geo_cpu_debug_place_matches(session->device, threads, cell->number));
}

/* Returns the number of the session's threads that match and are parked. */
static uint32_t parked_count(const struct geo_cpu_debug_session *session,
                             const ze_device_thread_t *threads)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < session->thread_count; i++) {
        const struct geo_cpu_debug_cell *cell = session->threads[i];
        count += cell && geo_cpu_debug_cell_state(cell) == GEO_CPU_DEBUG_PARKED && cell->told &&
                 geo_cpu_debug_place_matches(session->device, threads, i);
    }
    return count;
}

static uint32_t matching_count(const struct geo_cpu_debug_session *session,
                               const ze_device_thread_t *threads)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < session->thread_count; i++) {
        count += geo_cpu_debug_place_matches(session->device, threads, i);
    }
    return count;
}

ze_result_t geo_cpu_debug_session_interrupt_locked(struct geo_cpu_debug_session *session,
                                                   const ze_device_thread_t *threads,
                                                   const char **why)
{
    uint32_t count;
    struct geo_cpu_debug_cell *cells = geo_cpu_debug_cell_list(&count);
    const uint32_t matching = matching_count(session, threads);
    if (parked_count(session, threads) == matching) {
        *why = matching == 1 ? "the thread is stopped" : "all of these threads are stopped";
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    if (session->pending_count == GEO_CPU_DEBUG_PENDING) {
        *why = "too many interrupts are in progress: read their events first";
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (geo_cpu_debug_cell_state(&cells[i]) == GEO_CPU_DEBUG_RUNNING &&
            session_of_cell(&cells[i]) == session &&
            (number_find(session, &cells[i]) || geo_cpu_debug_place_is_all(threads)) &&
            cell_matches(session, &cells[i], threads) && !atomic_load(&cells[i].asked)) {
            geo_cpu_debug_cell_ask(&cells[i]);
        }
    }
    session->pending[session->pending_count].threads = *threads;
    session->pending[session->pending_count++].single =
        geo_cpu_debug_place_number(session->device, threads) != GEO_CPU_DEBUG_NOWHERE;
    geo_cpu_debug_state_kick();
    return ZE_RESULT_SUCCESS;
}

/* Returns whether a thread that was asked to stop has answered. Asks again if it could not stop. */
static bool cell_has_answered(struct geo_cpu_debug_cell *cell)
{
    if (geo_cpu_debug_cell_state(cell) == GEO_CPU_DEBUG_RUNNING) {
        if (atomic_load(&cell->later)) {
            geo_cpu_debug_cell_ask(cell);
        }
        return false;
    }
    atomic_store(&cell->asked, false);
    return true;
}

/* Returns whether threads of an interrupt have yet to answer. */
static bool pending_waits(const struct geo_cpu_debug_session *session,
                          const ze_device_thread_t *threads)
{
    uint32_t count;
    const struct geo_cpu_debug_cell *cells = geo_cpu_debug_cell_list(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (atomic_load(&cells[i].asked) && session_of_cell(&cells[i]) == session &&
            cell_matches(session, &cells[i], threads)) {
            return true;
        }
    }
    return false;
}

/* Ends interrupts that all threads have answered, with their final events. The stop of a single
 * thread was reported already. */
static void pending_complete(struct geo_cpu_debug_session *session)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < session->pending_count; i++) {
        const ze_device_thread_t threads = session->pending[i].threads;
        if (pending_waits(session, &threads)) {
            session->pending[kept++] = session->pending[i];
        } else if (parked_count(session, &threads) == 0) {
            thread_event(session, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE, &threads);
        } else if (!session->pending[i].single) {
            thread_event(session, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED, &threads);
        }
    }
    session->pending_count = kept;
}

/* ---- looking ---- */

/* Looks at one thread. Returns whether it has yet to answer. */
static bool cell_look(struct geo_cpu_debug_cell *cell)
{
    struct geo_cpu_debug_session *session = session_of_cell(cell);
    if (atomic_exchange(&cell->lapsed, false) && session && cell->number != GEO_CPU_DEBUG_NOWHERE) {
        const ze_device_thread_t thread = geo_cpu_debug_place_thread(session->device, cell->number);
        thread_event(session, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE, &thread);
    }
    const bool waits = atomic_load(&cell->asked) && !cell_has_answered(cell);
    if (geo_cpu_debug_cell_state(cell) == GEO_CPU_DEBUG_PARKED) {
        if (session) {
            cell_tell(session, cell);
        } else {
            cell_abandon(cell);
        }
    }
    return waits;
}

bool geo_cpu_debug_session_look_locked(void)
{
    uint32_t count;
    bool waits = false;
    GEO_ASSERT(geo_cpu_debug_state_locked());
    struct geo_cpu_debug_cell *cells = geo_cpu_debug_cell_list(&count);
    for (uint32_t i = 0; i < count; i++) {
        waits |= cell_look(&cells[i]);
    }
    for (struct geo_cpu_debug_session *session = sessions; session; session = session->next) {
        numbers_take_back(session);
        pending_complete(session);
    }
    return waits;
}

/* ---- resuming ---- */

ze_result_t geo_cpu_debug_session_resume_locked(struct geo_cpu_debug_session *session,
                                                const ze_device_thread_t *threads, const char **why)
{
    uint32_t count, resumed = 0;
    struct geo_cpu_debug_cell *cells = geo_cpu_debug_cell_list(&count);
    const bool all = geo_cpu_debug_place_is_all(threads);
    for (uint32_t i = 0; i < count; i++) {
        struct geo_cpu_debug_cell *cell = &cells[i];
        if (geo_cpu_debug_cell_state(cell) == GEO_CPU_DEBUG_PARKED &&
            session_of_cell(cell) == session && cell_matches(session, cell, threads) &&
            (cell->told || (all && cell->sent))) {
            const uint32_t number = cell->number;
            geo_cpu_debug_cell_release(cell, cell->reason != GEOID_STOP_FAULT || cell->changed);
            if (cell->number == GEO_CPU_DEBUG_NOWHERE && number != GEO_CPU_DEBUG_NOWHERE) {
                session->threads[number] = NULL;
            }
            resumed++;
        }
    }
    if (resumed == 0) {
        *why = "no such thread is stopped";
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    geo_cpu_debug_state_kick(); /* others may wait for a number */
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_cpu_debug_session_stopped_locked(const struct geo_cpu_debug_session *session,
                                                 const ze_device_thread_t *thread,
                                                 struct geo_cpu_debug_cell **out, const char **why)
{
    const uint32_t number = geo_cpu_debug_place_number(session->device, thread);
    struct geo_cpu_debug_cell *cell =
        number != GEO_CPU_DEBUG_NOWHERE ? session->threads[number] : NULL;
    if (!cell || geo_cpu_debug_cell_state(cell) != GEO_CPU_DEBUG_PARKED || !cell->told) {
        *why = "the thread is not stopped";
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    *out = cell;
    return ZE_RESULT_SUCCESS;
}

/* ---- modules and streams ---- */

bool geo_cpu_debug_session_loaded_locked(struct geo_cpu_debug_code *code)
{
    struct geo_cpu_debug_session *session = geo_cpu_debug_session_of_locked(code->device);
    if (!session) {
        return false;
    }
    /* a debugger in this process may be the thread that loads the module */
    const bool waits = !session->own;
    atomic_store(&code->awaited, waits);
    code_event(session, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD, code,
               waits ? ZET_DEBUG_EVENT_FLAG_NEED_ACK : 0);
    return waits;
}

void geo_cpu_debug_session_unloads_locked(const struct geo_cpu_debug_code *code)
{
    struct geo_cpu_debug_session *session = geo_cpu_debug_session_of_locked(code->device);
    if (session) {
        code_event(session, ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD, code, 0);
    }
}

void geo_cpu_debug_session_stream_locked(const struct geo_backend_device *device, bool made)
{
    const size_t index = (size_t)(device - geo_cpu_debug_state_desc.backend->devices);
    struct geo_cpu_debug_session *session = geo_cpu_debug_session_of_locked(device);
    GEO_ASSERT(index < GEO_ROSTER_DEVICES && (made || stream_counts[index] != 0));
    stream_counts[index] = made ? stream_counts[index] + 1 : stream_counts[index] - 1;
    if (session && streams_of(session) == (made ? 1 : 0)) {
        process_event(session, made ? ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY
                                    : ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    }
}

ze_result_t geo_cpu_debug_session_acknowledge_locked(struct geo_cpu_debug_session *session,
                                                     const zet_debug_event_t *event,
                                                     const char **why)
{
    struct geo_cpu_debug_code *code = geo_cpu_debug_code_first();
    for (; code; code = code->next) {
        if (code->device && device_covers(session->device, code->device) &&
            event->type == ZET_DEBUG_EVENT_TYPE_MODULE_LOAD && atomic_load(&code->awaited) &&
            event->info.module.moduleBegin == code->binary &&
            event->info.module.load == atomic_load(&code->begin)) {
            geo_cpu_debug_code_acknowledge(code);
            return ZE_RESULT_SUCCESS;
        }
    }
    *why = "no such event is to be acknowledged";
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/* ---- begin and end ---- */

static void existing_tell(struct geo_cpu_debug_session *session)
{
    if (streams_of(session) != 0) {
        process_event(session, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    }
    for (struct geo_cpu_debug_code *code = geo_cpu_debug_code_first(); code; code = code->next) {
        if (code->device && device_covers(session->device, code->device)) {
            code_event(session, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD, code, 0);
        }
    }
}

ze_result_t geo_cpu_debug_session_begin_locked(const struct geo_backend_device *device, bool own,
                                               struct geo_cpu_debug_session **out, const char **why)
{
    struct geo_cpu_debug_session *other = sessions;
    while (other && !device_covers(other->device, device) &&
           !device_covers(device, other->device)) {
        other = other->next;
    }
    if (other) {
        *why = "a debugger is attached to the device, or to a part of it";
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    struct geo_cpu_debug_session *session = calloc(1, sizeof(*session));
    if (!session) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    session->device = device;
    session->own = own;
    session->thread_count = geo_cpu_debug_place_count(device);
    session->threads = calloc(session->thread_count, sizeof(struct geo_cpu_debug_cell *));
    if (!session->threads) {
        free(session);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    session->next = sessions;
    sessions = session;
    atomic_fetch_add(&geo_cpu_debug_cell_watched, 1);
    existing_tell(session);
    *out = session;
    return ZE_RESULT_SUCCESS;
}

void geo_cpu_debug_session_end_locked(struct geo_cpu_debug_session *session, bool undo)
{
    uint32_t count;
    struct geo_cpu_debug_cell *cells = geo_cpu_debug_cell_list(&count);
    struct geo_cpu_debug_session **link = &sessions;
    for (struct geo_cpu_debug_code *code = geo_cpu_debug_code_first(); code; code = code->next) {
        if (code->device && device_covers(session->device, code->device)) {
            if (undo) {
                geo_cpu_debug_code_restore_locked(code);
            }
            geo_cpu_debug_code_acknowledge(code);
        }
    }
    atomic_fetch_sub(&geo_cpu_debug_cell_watched, 1);
    for (uint32_t i = 0; i < count; i++) {
        if (session_of_cell(&cells[i]) != session) {
            continue;
        }
        atomic_store(&cells[i].asked, false);
        if (geo_cpu_debug_cell_state(&cells[i]) == GEO_CPU_DEBUG_PARKED) {
            if (!cells[i].told) {
                cell_classify(&cells[i]);
            }
            cell_let_go(&cells[i]);
        }
        cells[i].number = GEO_CPU_DEBUG_NOWHERE;
    }
    while (*link != session) {
        link = &(*link)->next;
    }
    *link = session->next;
    free(session->threads);
    geo_cpu_debug_event_finish(&session->events);
    free(session);
}

/* Leaks the sessions: freeing memory is not allowed here. */
void geo_cpu_debug_session_after_fork(void)
{
    sessions = NULL;
}
