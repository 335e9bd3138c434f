#include "variants/ceilings/buffers.h"

#include "variants/ceilings/resources.h"

namespace ablate::ceilings {

std::vector<buffer> buffers(const problem& p) {
  const bool adds = p.counters > 0;
  return {{"in", input_bytes(p), buffer_role::input},
          {"out", output_bytes(p), buffer_role::output, adds ? buffer_reset::zeros : buffer_reset::poison},
          {"memory", memory_bytes(p), buffer_role::scratch,
           reads_only(p.what)       ? buffer_reset::none
           : adds_to_memory(p.what) ? buffer_reset::zeros
                                    : buffer_reset::background}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.in = addresses[in];
  p.out = addresses[out];
  p.memory = addresses[memory];
}

}  // namespace ablate::ceilings
