#pragma once

#include <cstdint>

#include "kernels/block_sparse_selection/block_sparse_selection.h"
#include "oracles/block_sparse_selection/row_facts.h"
#include "oracles/window_attention/deviation.h"

namespace ablate::block_sparse_selection {

using window_attention::sampled_row;

/// What the scores look like.
enum class scores {
  scene,       ///< images see overlapping stretches of one scene; blocks that see one place match
  unit,        ///< q̄ and k̄ unit normal
  integers,    ///< whole numbers from −4 to 4, whose scores fp32 holds exactly, so that rows have ties
  ascending,   ///< every key block beats all before it
  equal,       ///< one score for all key blocks
  descending,  ///< every key block loses to all before it
  levels       ///< three scores in all, so that the mass ends among many key blocks that tie
};

/// Of all rows, by the comparison.
struct findings {
  unsigned long long rows;         ///< judged
  unsigned long long wrong_rows;   ///< of these
  unsigned long long first_wrong;  ///< the first one's number among all heads' rows, shifted by 3; its fault
  unsigned long long summed_rows;  ///< whose sums follow
  unsigned long long kept_blocks;
  unsigned long long kept_mass;  ///< in units of 2^-32 of a row's
};

/// A choice with what its comparison needs besides.
struct checked_problem : problem {
  std::uint64_t seed = 1;
  scores what = scores::scene;

  const sampled_row* samples = nullptr;  ///< [sample_count]: query block and head
  std::int64_t sample_count = 0;
  findings* found = nullptr;               ///< [1], by the comparison
  std::uint32_t* sampled_kept = nullptr;   ///< [sample_count][words()], by the comparison
  std::int32_t* sampled_counts = nullptr;  ///< [sample_count], by the comparison

  ABLATE_ON_BOTH demand asked() const {
    return {static_cast<int>(keys), least_kept(), mass_percent / 100.0,
            what != scores::scene && what != scores::unit};
  }
};

}  // namespace ablate::block_sparse_selection
