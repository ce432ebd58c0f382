/* The process that is debugged, with its sessions, modules and threads. Only one exists at a time. */
#ifndef ZEDBG_DEBUGGEE_H
#define ZEDBG_DEBUGGEE_H

#include "module.h"
#include "session.h"

#include <sys/types.h>

/* Changes to code that a debugger has made. Reads of memory show the bytes from before. */
struct code_change {
    struct code_change *next;
    struct session *session;
    uint64_t address;
    uint8_t original;
    int users;
};

struct debuggee {
    pid_t pid;  /* 0: none */
    bool owned; /* zedbg started it, and waits for its end */
    struct session *sessions;
    size_t session_count;
    struct module *modules;
    int module_number; /* of the newest module */
    struct code_change *changes;
};

extern struct debuggee debuggee;

/* Finds the devices that can be debugged. Called before the first attach. */
bool debuggee_devices(void);
/* Attaches to all devices of a process. `result` tells why it failed. */
bool debuggee_attach(pid_t pid, bool owned, ze_result_t *result);
/* Forgets the process: the sessions end, modules are closed. */
void debuggee_forget(void);

/* Calls of modules. `session` is where the event came from. */
struct module *debuggee_module_load(struct session *session,
                                    const zet_debug_event_info_module_t *info);
void debuggee_module_unload(const zet_debug_event_info_module_t *info);
/* Returns the module with code at an address, or NULL. */
struct module *debuggee_module(uint64_t address);

/* Returns the thread of a number, or NULL. */
struct thread *debuggee_thread(int number);
/* Calls of all threads: returns the next one behind `thread`, the first for NULL; NULL: no more. */
struct thread *debuggee_next(const struct thread *thread);

/* Writes the instruction that stops, and takes it back when nobody uses it any more. */
bool debuggee_code_stop(uint64_t address);
bool debuggee_code_restore(uint64_t address);
/* Returns the change at an address, or NULL. */
struct code_change *debuggee_change(uint64_t address);
/* Switches a change off and on while its users keep it. */
bool debuggee_change_off(const struct code_change *change);
bool debuggee_change_on(const struct code_change *change);

/* Reads memory without changes of ours; `thread` may be NULL. */
bool debuggee_read(const struct thread *thread, uint64_t address, void *bytes, size_t size);

#endif
