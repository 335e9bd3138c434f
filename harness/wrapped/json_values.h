#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/text/json_place.h"
#include "harness/registry/axis.h"
#include "harness/registry/case_id.h"
#include "harness/wrapped/expression.h"

namespace ablate::wrapped {

using reports::json_place;

/// A word that is valid in a case id.
std::string case_word(const json_place&);

/// An expression of these axes, or an integer.
expression expression_at(const json_place&, const std::vector<std::string>& axes);

/// [low, high]
template <class Read>
auto interval_at(const json_place& at, Read&& read) {
  const std::vector<json_place> ends = at.elements();
  if (ends.size() != 2 || read(ends[0]) > read(ends[1])) at.refuse("expected [low, high], low first");
  return std::pair{read(ends[0]), read(ends[1])};
}

/// A file that the JSON names, which must be there.
std::filesystem::path file_at(const json_place&, const std::filesystem::path& folder);

/// A file's name with {axis} where a value goes.
class path_pattern {
 public:
  path_pattern(const json_place&, std::filesystem::path folder, const std::vector<axis>&);

  std::filesystem::path at(const axis_values&) const;

 private:
  std::string text_;
  std::filesystem::path folder_;
};

}  // namespace ablate::wrapped
