#pragma once

#include "oracles/selection_attention/checked_problem.h"
#include "oracles/selection_attention_backward/checked_problem.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::gated_attention_backward {

/// Of the parts; the forward pass has its own (gated_attention::findings).
struct findings {
  selection_attention::deviations selected;           ///< S, before the gate; sparse alone
  selection_attention_backward::deviations gradient;  ///< of all tokens, of gates and dC; sparse alone
  /// Of pooled rows, where the method is sparse, or of tokens; of the compared heads.
  window_attention_backward::deviations rows;

  // Counts that parts' own comparisons take as given; sparse alone.
  unsigned long long wrongly_moved;  ///< elements of moved rows, and of their gradients, that are others
  unsigned long long listed;         ///< entries of all lists that are blocks
  unsigned long long turned_around;  ///< entries of the lists turned around
  /// Entries of lists that are in no row of those; of block_sparse, bits, and counts of them, that are
  /// others.
  unsigned long long not_turned;
};

}  // namespace ablate::gated_attention_backward
