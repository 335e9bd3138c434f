#pragma once

#include <cstdint>
#include <vector>

#include "kernels/token_merging/partition.h"

namespace ablate::token_merging {

/// Tokens in ascending order each.
struct partition_lists {
  std::vector<std::int32_t> sources, destinations, appended;
  std::vector<std::int32_t> places;  ///< as problem::places
};
partition_lists lists_of(const token_partition&);

}  // namespace ablate::token_merging
