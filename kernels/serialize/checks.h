#pragma once

#include <optional>
#include <string>

#include "kernels/serialize/serialize.h"

namespace ablate::serialize {

/// What the outputs must be, whatever the variant: known before any.
struct answer {
  std::vector<std::uint64_t> keys;
  serialize::padding padding;

  explicit answer(const problem& p) : keys(keys_of(p)), padding(padding_of(p)) {}
};

/// The first place where the outputs of a problem with host pointers are wrong, what was expected and what
/// was found: keys and padding are the answer's; each order has its points by strictly ascending key and
/// number, which only the stable order of all points has; inverses invert it.
std::optional<std::string> violated(const problem&, const answer&);

}  // namespace ablate::serialize
