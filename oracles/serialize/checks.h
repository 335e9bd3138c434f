#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracles/serialize/reference.h"

namespace ablate::serialize {

/// Expected outputs that are the same for every variant, computed in advance.
struct answer {
  std::vector<std::uint64_t> keys;
  serialize::padding padding;

  explicit answer(const problem& p) : keys(keys_of(p)), padding(padding_of(p)) {}
};

/// The first wrong place in the outputs of a problem with host pointers, what was expected and what was
/// found. Keys and padding must be the answer's; each order must ascend strictly by key, then point number,
/// which only the stable order of all points does; inverses must invert it.
std::optional<std::string> violated(const problem&, const answer&);

}  // namespace ablate::serialize
