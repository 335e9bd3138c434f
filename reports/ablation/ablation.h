#pragma once

#include <vector>

#include "reports/ablation/interactions.h"
#include "reports/ablation/waterfall.h"
#include "reports/ablation/worth.h"

namespace ablate::reports {

/// What the records of one device say about each switch of an operation. Refers to the record and the view.
class operation_ablation {
 public:
  operation_ablation(const record&, const operation_view&, const process_launches&);
  operation_ablation(operation_ablation&&) = default;

  std::size_t processes;
  std::vector<switch_effect> effects;
  std::vector<switch_worth> worths;  ///< refer to the effects
  std::vector<crossover> changes_of_winner;
  std::vector<switch_square> squares;
  std::vector<interaction> together;  ///< refer to the squares
  operation_waterfalls steps;
};

}  // namespace ablate::reports
