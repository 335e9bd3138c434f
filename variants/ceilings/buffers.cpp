#include "variants/ceilings/buffers.h"

#include "variants/ceilings/resources.h"

namespace ablate::ceilings {

bound_buffers buffers(problem& p) {
  const bool adds = p.counters > 0;
  return {bind("in", p.in, input_bytes(p), buffer_role::input),
          bind("out", p.out, output_bytes(p), buffer_role::output,
               adds ? buffer_reset::zeros : buffer_reset::poison),
          bind("memory", p.memory, memory_bytes(p), buffer_role::scratch,
               reads_only(p.what)       ? buffer_reset::none
               : adds_to_memory(p.what) ? buffer_reset::zeros
                                        : buffer_reset::background)};
}

}  // namespace ablate::ceilings
