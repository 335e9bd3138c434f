#include "harness/registry/axis.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "base/text/number_spelling.h"

namespace ABLATE_ABI {

namespace {

std::optional<long> parsed(std::string_view text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

axis axis::of_numbers(std::string name, double minimum, double maximum, double default_value,
                      std::string description) {
  axis made{std::move(name), std::move(description), shortest_number(default_value), {}};
  made.numbers = std::pair{minimum, maximum};
  return made;
}

std::string axis::canonical(const std::string& text) const {
  if (all && text == "all") return std::to_string(*all);
  if (numbers)
    if (const auto number = number_in(text)) return shortest_number(*number);
  const std::optional<long> number = parsed(text);
  return range && number ? std::to_string(*number) : text;
}

std::optional<std::string> axis::refuses(std::string_view value,
                                         const std::vector<std::string>& point_files) const {
  const auto holds = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), value) != names.end();
  };
  if (holds(words) || (takes_point_files && holds(point_files))) return std::nullopt;
  const std::optional<long> number = parsed(value);
  if (range && number && *number >= range->first && *number <= range->second) return std::nullopt;
  const std::optional<double> real = numbers ? number_in(value) : std::nullopt;
  if (real && *real >= numbers->first && *real <= numbers->second) return std::nullopt;

  std::vector<std::string> legal;
  if (numbers) legal.push_back(fmt::format("a number from {} to {}", numbers->first, numbers->second));
  if (range) legal.push_back(fmt::format("an integer from {} to {}", range->first, range->second));
  for (const std::string& word : words) legal.push_back("'" + word + "'");
  if (all) legal.push_back("'all'");
  if (takes_point_files)
    for (const std::string& file : point_files) legal.push_back("'" + file + "'");
  return fmt::format("'{}' is no value of axis '{}': expected {}", value, name, fmt::join(legal, ", "));
}

void axis_values::set(const std::string& name, std::string value) {
  for (auto& [known, old] : values_)
    if (known == name) {
      old = std::move(value);
      return;
    }
  values_.emplace_back(name, std::move(value));
}

const std::string& axis_values::word(std::string_view name) const {
  for (const auto& [known, value] : values_)
    if (known == name) return value;
  throw std::out_of_range("no value for axis '" + std::string(name) + "'");
}

long axis_values::integer(std::string_view name) const {
  const std::string& text = word(name);
  const std::optional<long> value = parsed(text);
  if (!value)
    throw std::invalid_argument("axis '" + std::string(name) + "' is '" + text + "', expected an integer");
  return *value;
}

double axis_values::number(std::string_view name) const {
  const std::string& text = word(name);
  const std::optional<double> value = number_in(text);
  if (!value)
    throw std::invalid_argument("axis '" + std::string(name) + "' is '" + text + "', expected a number");
  return *value;
}

const axis_conditions::value_type* first_unmet(const axis_conditions& conditions, const axis_values& values) {
  for (const auto& condition : conditions) {
    const auto& [name, words] = condition;
    if (std::find(words.begin(), words.end(), values.word(name)) == words.end()) return &condition;
  }
  return nullptr;
}

}  // namespace ABLATE_ABI
