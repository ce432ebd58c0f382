/* The call graph: direct calls between functions of a module, callees first. */
#ifndef GEO_COMPILER_TRANSFORM_CALLS_CALL_GRAPH_H
#define GEO_COMPILER_TRANSFORM_CALLS_CALL_GRAPH_H

#include "compiler/transform/pass/pass.h"

/* A function in the graph. */
struct geo_call_node {
    struct geo_ir_function *function;
    uint32_t call_sites; /* number of direct calls to it */
    uint32_t instructions;
    bool address_taken; /* has uses other than as a callee */
    bool collective;    /* contains a barrier or group operation, itself or in its callees */
    uint32_t *callees;  /* callee_count node numbers, one per call */
    uint32_t callee_count;
};

/* The graph. Its arrays are in the pass's arena. */
struct geo_call_graph {
    struct geo_call_node *nodes; /* nodes in module order */
    uint32_t count;
    uint32_t *order;   /* node numbers, callees before callers */
    uint32_t *node_of; /* by module value index of a function: its node number */
};

/* Builds the call graph in the pass's arena. Fails with MODULE_BUILD_FAILURE if functions call each
 * other in a cycle; the log names them. */
bool geo_call_graph_build(struct geo_pass *pass, struct geo_call_graph *out);

/* Returns whether an instruction is a barrier or a group operation, which all lanes must reach
 * together. */
bool geo_call_graph_is_collective(const struct geo_ir_inst *inst);

#endif
