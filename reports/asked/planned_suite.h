#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/record/question.h"
#include "base/record/record.h"
#include "base/text/json_place.h"

namespace ablate::reports {

// A suite's cases, as far as its report block speaks of them. Who knows operations and variants says it.

struct planned_axis {
  std::string name, default_value;
  bool is_silent_at_default = false;  ///< ids name it only where it has another value
  /// A value as records spell it. Throws bad_input, with the nearest word, for one that the axis refuses.
  std::function<std::string(const json_place&)> value;
};

struct planned_operation {
  std::string name;
  std::vector<planned_axis> axes;
  /// A variant's name, or a point's. Throws bad_input, with the nearest name, for another word.
  std::function<std::string(const json_place&)> variant;

  /// Null for an axis that it has not.
  const planned_axis* find_axis(const std::string& name) const;
  std::vector<std::string> axis_names() const;
};

struct planned_variant {
  std::string name;
  named_words switches;
};

/// The product of variants, values and cache states, less what is left out.
struct planned_block {
  const planned_operation* operation = nullptr;
  std::vector<planned_variant> variants;
  accepted_values axes;  ///< every axis
  std::vector<std::string> cache_states;
  /// Left out are cases with one of the values of each name; the name "variant" means the variant.
  std::vector<accepted_values> exclusions;
  bool is_sampled = false;

  bool runs(const std::string& variant, const named_words& axes, const std::string& cache_state) const;
};

struct planned_suite {
  std::vector<planned_operation> operations;  ///< all that the program has
  std::vector<planned_block> blocks;
  std::vector<std::string> point_files;

  /// Null for one that the program has not.
  const planned_operation* find_operation(const std::string& name) const;
  /// Those that the suite runs.
  std::vector<std::string> operations_run() const;
};

}  // namespace ablate::reports
