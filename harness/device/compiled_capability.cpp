#include "harness/device/compiled_capability.h"

#include <algorithm>
#include <charconv>

#include "harness/build_facts.h"

namespace ablate {

int newest_capability(std::string_view architectures) {
  int newest = 0;
  while (!architectures.empty()) {
    const std::size_t end = std::min(architectures.find(','), architectures.size());
    int capability = 0;
    std::from_chars(architectures.data(), architectures.data() + end, capability);
    newest = std::max(newest, capability);
    architectures.remove_prefix(std::min(end + 1, architectures.size()));
  }
  return newest;
}

int usable_capability(int of_gpu) {
  const int compiled = newest_capability(this_build().cuda_architectures);
  return compiled == 0 ? of_gpu : std::min(of_gpu, compiled);
}

}  // namespace ablate
