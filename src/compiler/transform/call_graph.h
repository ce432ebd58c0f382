/* What the compiler's passes on the model share: who calls whom, direct calls between functions
 * with bodies, callees first. */
#ifndef GEO_COMPILER_TRANSFORM_CALL_GRAPH_H
#define GEO_COMPILER_TRANSFORM_CALL_GRAPH_H

#include "compiler/transform/internal.h"

struct geo_call_node {
    struct geo_ir_function *function;
    uint32_t call_sites; /* direct calls of it in the module */
    uint32_t instructions;
    bool address_taken; /* used otherwise than as a callee */
    bool collective;    /* holds, itself or through calls, a barrier or group operation */
    uint32_t *callees;  /* [callee_count] node numbers, one per call */
    uint32_t callee_count;
};

struct geo_call_graph {
    struct geo_call_node *nodes; /* [count] in module order */
    uint32_t count;
    uint32_t *order;   /* [count]: node numbers, callees before callers */
    uint32_t *node_of; /* [module value index] of a function */
};

/* MODULE_BUILD_FAILURE when functions call each other in a circle; the log names them. */
bool geo_call_graph_build(struct geo_pass *pass, struct geo_call_graph *out);

/* Barriers, sub-group and group operations: all lanes must be there. */
bool geo_is_collective(const struct geo_ir_inst *inst);

#endif
