/* Operations from a shared object, in C: `ablate wrap ./mine.so COMMAND ...`. The object defines
 * ablate_plugin_v2; the program opens it, reads its table and calls its functions. No type of C++ and no
 * library of Ablate's crosses the boundary, so any compiler and any language with C functions will do.
 *
 * Each struct begins with its size in bytes: sizeof of it, where it was compiled. What this header says of
 * version 2 does not change, but a struct may get fields after its last one. The program takes a plugin with
 * the sizes of an earlier header of version 2 as that header meant it, and refuses one with larger structs
 * than its own. A plugin looks at the size of ablate_case before it reads a field that an earlier program had
 * not. Plugins of version 1, whose structs have no sizes, run as they did. */
#ifndef ABLATE_PLUGIN_H
#define ABLATE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One case of an operation: the values of its axes, and its arrays in the order of the description. */
typedef struct ablate_case {
  size_t struct_bytes;
  size_t axis_count;
  const char* const* axis_names;
  const char* const* axis_values; /* as a suite writes them: "4096", "shuffled" */
  size_t array_count;
  const char* const* array_names;
  const int64_t* array_elements;
  void* const* arrays; /* addresses: on the device for a launch, on the host for a reference; inputs are not
                          to be written */
} ablate_case;

/* Puts the work of one variant on a stream (a cudaStream_t) and returns without waiting. It may be called
 * while the stream is captured into a graph. Returns 0; anything else ends the case, with the text that it
 * may have left in `why` (at most why_bytes with the closing zero). */
typedef int (*ablate_launch)(const ablate_case* of, void* stream, char* why, size_t why_bytes);

/* The oracle: computes the outputs on the host. Returns as a launch does. */
typedef int (*ablate_reference)(const ablate_case* of, char* why, size_t why_bytes);

typedef struct ablate_operation {
  size_t struct_bytes; /* sizeof(ablate_operation), the same in all of a table */
  /* JSON as in docs/wrap.md: operation, description, axes, arrays, flops, baseline, variants; of a variant
   * the keys name, description, switches, only_where and minimum_compute_capability (80). */
  const char* description;
  ablate_reference
      reference; /* null: the baseline's outputs are the answer, or the files named by `expected` */
  const ablate_launch* launches; /* one for each variant, in their order */
  size_t launch_count;
} ablate_operation;

typedef struct ablate_plugin {
  size_t struct_bytes; /* sizeof(ablate_plugin) */
  const ablate_operation* operations;
  size_t operation_count;
} ablate_plugin;

/* What a plugin defines. The table and all that it points to must live as long as the process. */
const ablate_plugin* ablate_plugin_v2(void);

#ifdef __cplusplus
}
#endif

#endif
