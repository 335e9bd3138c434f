#pragma once

#include <cstdint>

#include "kernels/pool/pool.h"
#include "oracles/psh_bucket/checked_problem.h"

namespace ablate::pool {

/// What a variant promises of its index beyond what each must satisfy; bits of `promises`.
enum promise : std::int32_t {
  keeps_ties = 1,        ///< rows of equal cells are in their order: the same bits every time
  ordered_blocks = 2,    ///< clusters of a block follow those of the block before it
  numbered_by_code = 4,  ///< clusters of the grid ascend along the first curve, and have orders
  all_promises = 7
};

struct checked_problem : problem {
  std::int32_t* promises = nullptr;  ///< [1], by the comparison
  std::int32_t* key_bits = nullptr;  ///< of phase `order`: psh_bucket's
};

/// Phase `order` with what its check needs.
inline psh_bucket::checked_problem checked_hashing_of(const checked_problem& p) {
  return {p.hashing, p.key_bits};
}

}  // namespace ablate::pool
