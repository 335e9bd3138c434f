#include "harness/suite/written_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/registry/case_id.h"
#include "harness/suite/json_file.h"
#include "reports/text/bad_input.h"
#include "reports/text/names.h"

namespace ablate {
namespace {

std::string shown(const nlohmann::ordered_json& value) {
  if (value.is_object()) return value.empty() ? "an empty object" : "an object";
  if (value.is_array()) return value.empty() ? "an empty array" : "an array";
  return value.dump();
}

}  // namespace

written_values::node written_values::node::child(const std::string& key) const {
  return {value.at(key), child_pointer(pointer, key)};
}

written_values::node written_values::node::child(std::size_t index) const {
  return {value.at(index), child_pointer(pointer, std::to_string(index))};
}

void written_values::refuse(const node& at, const std::string& expected) const {
  throw bad_input(file_, at.pointer, expected);
}

void written_values::refuse_type(const node& at, const std::string& expected) const {
  refuse(at, fmt::format("is {}; expected {}", shown(at.value), expected));
}

void written_values::require_object(const node& at, const std::vector<std::string>& known,
                                    const std::vector<std::string>& required) const {
  if (!at.value.is_object()) refuse_type(at, "an object");
  for (const auto& [key, value] : at.value.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuse({value, child_pointer(at.pointer, key)}, no_such("key", key, known));
  for (const std::string& key : required)
    if (!at.has(key)) refuse(at, fmt::format("the key '{}' is missing", key));
}

void written_values::require_filled_array(const node& at, const std::string& of_what) const {
  if (!at.value.is_array() || at.value.empty()) refuse_type(at, "an array of " + of_what + ", at least one");
}

std::string written_values::string(const node& at) const {
  if (!at.value.is_string()) refuse_type(at, "a string");
  return at.value.get<std::string>();
}

bool written_values::boolean(const node& at) const {
  if (!at.value.is_boolean()) refuse_type(at, "true or false");
  return at.value.get<bool>();
}

std::string written_values::id_word(const node& at) const {
  const std::string text = string(at);
  require_id_word(at, text);
  return text;
}

void written_values::require_id_word(const node& at, const std::string& text) const {
  if (!is_case_id_word(text))
    refuse(at, fmt::format("'{}' cannot stand in a case id; expected letters, digits and _.=+-", text));
}

std::int64_t written_values::integer(const node& at, std::int64_t minimum, std::int64_t maximum) const {
  const std::string expected = fmt::format("an integer from {} to {}", minimum, maximum);
  if (!at.value.is_number_integer()) refuse_type(at, expected);
  const bool too_large =
      at.value.is_number_unsigned() && at.value.get<std::uint64_t>() > static_cast<std::uint64_t>(maximum);
  if (too_large || at.value.get<std::int64_t>() < minimum) refuse_type(at, expected);
  return at.value.get<std::int64_t>();
}

double written_values::positive(const node& at, double maximum, const std::string& unit) const {
  const std::string expected = fmt::format("a number above 0, at most {} {}", maximum, unit);
  if (!at.value.is_number()) refuse_type(at, expected);
  const double number = at.value.get<double>();
  if (!(number > 0 && number <= maximum)) refuse_type(at, expected);
  return number;
}

std::vector<std::string> written_values::one_or_more(
    const node& at, const std::function<std::string(const node&)>& read) const {
  if (!at.value.is_array()) return {read(at)};
  require_filled_array(at, "values");
  std::vector<std::string> values;
  for (std::size_t i = 0; i < at.value.size(); ++i) {
    std::string value = read(at.child(i));
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
  }
  return values;
}

}  // namespace ablate
