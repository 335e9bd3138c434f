#include "harness/suite/axis_value.h"

#include "base/text/names.h"
#include "base/text/number_spelling.h"

namespace ablate {

std::string axis_value_at(const reports::json_place& at, const axis& a,
                          const std::vector<std::string>& point_files) {
  const std::optional<std::string> given = axis_word(at.json());
  if (!given || (at.json().is_number_float() && !a.numbers))
    at.refuse_value(a.numbers ? "a number or a word" : "an integer or a word");
  const std::string value = a.canonical(*given);
  if (const auto reason = a.refuses(value, point_files)) {
    std::vector<std::string> known = a.words;
    if (a.takes_point_files) known.insert(known.end(), point_files.begin(), point_files.end());
    at.refuse(*reason + did_you_mean(value, known));
  }
  return value;
}

}  // namespace ablate
