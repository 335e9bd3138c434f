#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

// The entry points of libFuzzer. The environment variable ABLATE_FUZZ_TARGET names the target.

namespace {

const ablate::fuzz::target& chosen() {
  static const ablate::fuzz::target only = [] {
    const char* name = std::getenv("ABLATE_FUZZ_TARGET");
    for (const ablate::fuzz::target& t : ablate::fuzz::targets())
      if (name && t.name == name) return t;
    fmt::print(stderr, "ABLATE_FUZZ_TARGET names no target; expected one of");
    for (const ablate::fuzz::target& t : ablate::fuzz::targets()) fmt::print(stderr, " {}", t.name);
    fmt::print(stderr, "\n");
    std::exit(2);
  }();
  return only;
}

}  // namespace

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  ablate::fuzz::feed(chosen(), {reinterpret_cast<const char*>(bytes), size});
  return 0;
}

/// Every other mutation of JSON changes a node: byte changes mostly break the syntax, and get no further
/// than the parser.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed) {
  ablate::random_stream random(seed, "mutation");
  if (random.below(2) == 0)
    if (const auto changed =
            ablate::fuzz::with_a_node_changed({reinterpret_cast<const char*>(bytes), size}, random);
        changed && changed->size() <= most) {
      std::copy(changed->begin(), changed->end(), bytes);
      return changed->size();
    }
  return LLVMFuzzerMutate(bytes, size, most);
}
}
