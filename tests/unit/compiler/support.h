/* What the compiler's unit tests share: models from fixtures, text and graphs; random numbers.
 *
 * Everything here fails the running test (cmocka) when something is wrong. */
#ifndef GEO_TESTS_COMPILER_SUPPORT_H
#define GEO_TESTS_COMPILER_SUPPORT_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

/* The model of fixtures/<name>.spv, freshly read; destroy with geo_ir_module_destroy. */
struct geo_ir_module *support_fixture(const char *name);
/* The words of the same; free with free(). */
void *support_fixture_bytes(const char *name, size_t *bytes);
/* The model of SPIR-V assembly text. A head (OpenCL capabilities, memory model) is put before it:
 * text starts with OpEntryPoint or decorations. */
struct geo_ir_module *support_assemble(const char *text);
/* The words of the same, valid or not; free with free(). */
void *support_assemble_bytes(const char *text, size_t *bytes);

/* One kernel whose blocks are the graph's nodes: "0>1,2 1>3 2>3 3" has an entry with two
 * successors. No successor: OpReturn; one: OpBranch; two: OpBranchConditional on an undefined bool;
 * more: OpSwitch. Nodes are numbered from 0 in order, the entry is 0. The function is numbered. */
struct geo_ir_module *support_graph(const char *text);
/* The same from a matrix of successor lists: edges[i] is a bit set of targets, at most 64 nodes. */
struct geo_ir_module *support_graph_bits(const uint64_t *edges, uint32_t count);

/* Replaces blocks' names by what a person would write: "B3". */
char *support_block_list(struct geo_ir_block *const *blocks, uint32_t count, char *text,
                         size_t size);

/* xorshift: the same sequence on every machine. */
struct support_random {
    uint64_t state;
};
uint64_t support_random(struct support_random *random);
uint32_t support_random_below(struct support_random *random, uint32_t bound);
/* Edge values (0, 1, -1, extremes) as often as random bits. */
uint64_t support_random_value(struct support_random *random);

/* Fails unless the module is valid. */
void support_assert_valid(struct geo_ir_module *module);
/* Number of instructions of an opcode in a function (or in all for NULL). */
uint32_t support_count(const struct geo_ir_module *module, const struct geo_ir_function *function,
                       unsigned op);

#endif
