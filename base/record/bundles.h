#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/record/bundle_join.h"
#include "base/record/record.h"

namespace ablate {

/// A case, as far as it decides with which others it is compared.
struct bundle_member {
  std::string operation;
  named_words axes;
  bool is_calibration = false;
};

/// What joins all cases of each operation among these.
std::vector<bundle_join> operation_joins(const std::vector<bundle_member>&);

/// The bundle of each case, numbered in the order of their first cases. A bundle is what must be measured on
/// one GPU: the cases with the same operation and axes, all variants and cache states of them, and those that
/// are joined, which agree on every axis that its operations have in common and the join does not cross.
/// A calibration is a bundle of its own.
std::vector<std::size_t> bundles_of(const std::vector<bundle_member>&, const std::vector<bundle_join>& joins);

}  // namespace ablate
