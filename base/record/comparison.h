#pragma once

#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ablate::reports {
class json_place;
}

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

/// The value of the key `comparisons` of a suite's report block or of a record's, whose names are not
/// checked: of one that does not say what to draw, everything. Throws bad_input.
std::vector<comparison> comparisons_of(const reports::json_place&);
/// As comparisons_of reads them.
nlohmann::ordered_json comparisons_json(const std::vector<comparison>&);

}  // namespace ablate
