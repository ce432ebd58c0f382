/* Constants that say which table of lowering has the emitter of an opcode: the lowering column of
 * opcodes.def. The tables use GEO_PART_<op> and GEO_WHOLE_<op> for their opcodes. So an entry whose
 * opcode belongs to another table does not compile. Each table asserts that it has as many entries
 * as there are rows for it, so every opcode has an emitter. */
#ifndef GEO_COMPILER_IR_EMITTED_H
#define GEO_COMPILER_IR_EMITTED_H

#include "compiler/ir/ir.h"

enum geo_emitted {
#define LOWERING_PART(op)  GEO_PART_##op = op,
#define LOWERING_WHOLE(op) GEO_WHOLE_##op = op,
#define LOWERING_GROUP(op)
#define LOWERING_CONTROL(op)
#define LOWERING_EARLIER(op)
#define ROW(op, types, shape, folding, lowering, ...) LOWERING_##lowering(op)
#include "compiler/ir/opcodes.def"
#undef LOWERING_PART
#undef LOWERING_WHOLE
#undef LOWERING_GROUP
#undef LOWERING_CONTROL
#undef LOWERING_EARLIER
};

/* How many opcodes each table has. */
enum {
#define LOWERING_PART                                 1
#define LOWERING_WHOLE                                0
#define LOWERING_GROUP                                0
#define LOWERING_CONTROL                              0
#define LOWERING_EARLIER                              0
#define ROW(op, types, shape, folding, lowering, ...) +LOWERING_##lowering
    GEO_PART_COUNT = 0
#include "compiler/ir/opcodes.def"
    ,
#undef LOWERING_PART
#undef LOWERING_WHOLE
#define LOWERING_PART                                 0
#define LOWERING_WHOLE                                1
#define ROW(op, types, shape, folding, lowering, ...) +LOWERING_##lowering
    GEO_WHOLE_COUNT = 0
#include "compiler/ir/opcodes.def"
#undef LOWERING_PART
#undef LOWERING_WHOLE
#undef LOWERING_GROUP
#undef LOWERING_CONTROL
#undef LOWERING_EARLIER
};

#endif
