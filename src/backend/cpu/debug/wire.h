/* The messages between a debugger (client.c) and the process that it debugs (agent.c).
 *
 * Both are one library of one version on one machine, so messages are structures. Each message is
 * one packet of a SOCK_SEQPACKET socket. The debugger sends a request and gets a reply with the
 * same serial number. Events come through a second socket, whose descriptor is part of the reply to
 * HELLO. Neither side trusts what the other one sends. */
#ifndef GEO_BACKEND_CPU_DEBUG_WIRE_H
#define GEO_BACKEND_CPU_DEBUG_WIRE_H

#include <level_zero/zet_api.h>

#include <stdint.h>

#define GEO_CPU_DEBUG_MAGIC     0x67627a31u /* changes with the layouts below */
#define GEO_CPU_DEBUG_DATA      65536u      /* most bytes of data in one message */
#define GEO_CPU_DEBUG_WHY_BYTES 200u

enum geo_cpu_debug_request_kind {
    GEO_CPU_DEBUG_HELLO = 1,
    GEO_CPU_DEBUG_INTERRUPT,
    GEO_CPU_DEBUG_RESUME,
    GEO_CPU_DEBUG_READ_MEMORY,
    GEO_CPU_DEBUG_WRITE_MEMORY, /* with data */
    GEO_CPU_DEBUG_IS_STOPPED,
    GEO_CPU_DEBUG_READ_REGISTERS,
    GEO_CPU_DEBUG_WRITE_REGISTERS, /* with data */
    GEO_CPU_DEBUG_ACKNOWLEDGE,
    GEO_CPU_DEBUG_DETACH,
};

/* The device of a HELLO, as the debugger sees it. */
struct geo_cpu_debug_hello {
    uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE];
    uint32_t slices, subslices, eus, threads;
};

struct geo_cpu_debug_request {
    uint32_t magic, kind, serial;
    uint32_t type;  /* memory space, register set */
    uint32_t start; /* registers */
    uint32_t count;
    uint64_t address, bytes; /* memory; `bytes` of data follow if the kind has data */
    ze_device_thread_t thread;
    zet_debug_event_t event; /* ACKNOWLEDGE */
    struct geo_cpu_debug_hello hello;
};

struct geo_cpu_debug_reply {
    uint32_t magic, serial;
    ze_result_t result;
    uint32_t bytes;                    /* of data that follow */
    char why[GEO_CPU_DEBUG_WHY_BYTES]; /* of a failure; terminated */
};

struct geo_cpu_debug_event {
    uint32_t magic, reserved;
    zet_debug_event_t event;
};

#endif
