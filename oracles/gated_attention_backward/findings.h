#pragma once

#include "oracles/selection_attention/checked_problem.h"
#include "oracles/selection_attention_backward/checked_problem.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::gated_attention_backward {

/// Of the parts; the forward pass has its own (gated_attention::findings).
struct findings {
  selection_attention::deviations selected;           ///< S, before the gate
  selection_attention_backward::deviations gradient;  ///< of all tokens, of gates and dC
  window_attention_backward::deviations rows;         ///< pooled ones, of the compared heads

  // Counts that parts' own comparisons take as given.
  unsigned long long wrongly_moved;  ///< elements of moved rows, and of their gradients, that are others
  unsigned long long listed;         ///< entries of all lists that are blocks
  unsigned long long turned_around;  ///< entries of the transposed lists
  unsigned long long not_turned;     ///< entries of lists that are in no row of those
};

}  // namespace ablate::gated_attention_backward
