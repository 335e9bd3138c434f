#pragma once

#include <iterator>
#include <string>
#include <vector>

namespace ablate {

/// A figure that a suite wants of cases that differ in more than the variant: in some axes, or in the
/// operation.
struct comparison {
  std::vector<std::string> operations;  ///< at least one
  std::vector<std::string> across;      ///< axes in which the cases may differ
  std::vector<std::string> draw;        ///< of comparison_kinds()
};

/// counters: time and counters against size; quality: figures of the output against time.
inline constexpr const char* comparison_words[] = {"counters", "quality"};
inline const std::vector<std::string>& comparison_kinds() {
  static const std::vector<std::string> kinds(std::begin(comparison_words), std::end(comparison_words));
  return kinds;
}

}  // namespace ablate
