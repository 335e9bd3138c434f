/* Plugins as other headers of version 2 would have made them: their structs have other sizes. Compiled once a
 * fault, with PLUGIN_BYTES and OPERATION_BYTES. */
#include "harness/plugin.h"

static const ablate_operation operations[] = {{OPERATION_BYTES, "{}", NULL, NULL, 0}};
static const ablate_plugin table = {PLUGIN_BYTES, operations, 1};

const ablate_plugin* ablate_plugin_v2(void) { return &table; }
