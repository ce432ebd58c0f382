/* Reports as SARIF 2.1.0, the format in which code hosts and editors take findings of tools.
 *
 * A SARIF file is one JSON document, so messages cannot just be appended. Each message is inserted
 * before the end of the document:
 *
 *     {"version":"2.1.0","runs":[{"tool":{...},"results":[        the head
 *     {"ruleId":"leak",...},                                      a message
 *     {"ruleId":"leak",...}                                       the last one
 *     ]}]}                                                        the tail, written again each time
 *
 * The file is a whole document after every message, also if the process is killed. A lock of the
 * file lets several processes and threads write to it. */
#ifndef GEO_LAYERS_VALIDATION_SARIF_H
#define GEO_LAYERS_VALIDATION_SARIF_H

#include "layers/validation/validation.h"

/* Makes an empty document, unless the file has one. Returns false and sets errno if the path is not
 * that of a regular file or the file cannot be written. Returns false with errno EILSEQ if it has
 * another content. */
bool geo_val_sarif_open(const char *path);

/* Inserts a message. `stack` is that of the call, or NULL. Returns false and sets errno as
 * geo_val_sarif_open. */
bool geo_val_sarif_write(enum geo_val_message message, const struct geo_val_place *place,
                         const struct geo_val_stack *stack, const char *text);

#endif
