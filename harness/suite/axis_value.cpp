#include "harness/suite/axis_value.h"

#include "base/text/names.h"

namespace ablate {

std::string axis_value_at(const reports::json_place& at, const axis& a,
                          const std::vector<std::string>& point_files) {
  if (!at.json().is_string() && !at.json().is_number_integer()) at.refuse_value("an integer or a word");
  const std::string value = a.canonical(at.json().is_string() ? at.text() : at.json().dump());
  if (const auto reason = a.refuses(value, point_files)) {
    std::vector<std::string> known = a.words;
    if (a.takes_point_files) known.insert(known.end(), point_files.begin(), point_files.end());
    at.refuse(*reason + did_you_mean(value, known));
  }
  return value;
}

}  // namespace ablate
