#include "base/text/json_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/names.h"
#include "base/text/plain_text.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

std::string shown(const ordered_json& value) {
  if (value.is_object()) return value.empty() ? "an empty object" : "an object";
  if (value.is_array()) return value.empty() ? "an empty array" : "an array";
  return value.dump();
}

}  // namespace

json_place json_place::child(std::string_view key, const ordered_json& value) const {
  json_place out(value, file_, child_pointer(pointer_, key));
  out.unknown_keys_ = unknown_keys_;
  return out;
}

void json_place::refuse(std::string_view expected) const {
  throw bad_input(std::string(file_), pointer_.empty() ? "/" : pointer_, std::string(expected));
}

void json_place::refuse_value(std::string_view expected) const {
  refuse(fmt::format("expected {}, found {}", expected, shown(*value_)));
}

std::optional<json_place> json_place::find(std::string_view key) const {
  if (!value_->is_object()) refuse_value("an object");
  const auto found = value_->find(std::string(key));
  if (found == value_->end()) return std::nullopt;
  return child(key, *found);
}

json_place json_place::at(std::string_view key) const {
  const std::optional<json_place> found = find(key);
  if (!found) refuse(fmt::format("expected a key '{}', found none", key));
  return *found;
}

std::vector<json_place> json_place::elements() const {
  if (!value_->is_array()) refuse_value("an array");
  std::vector<json_place> out;
  for (std::size_t i = 0; i < value_->size(); ++i) out.push_back(child(std::to_string(i), (*value_)[i]));
  return out;
}

std::vector<json_place> json_place::at_least_one(std::string_view of_what) const {
  if (!value_->is_array() || value_->empty())
    refuse_value(fmt::format("an array of at least one {}", of_what));
  return elements();
}

std::vector<std::pair<std::string, json_place>> json_place::members() const {
  if (!value_->is_object()) refuse_value("an object");
  std::vector<std::pair<std::string, json_place>> out;
  for (const auto& [key, value] : value_->items()) out.emplace_back(plain_text(key), child(key, value));
  return out;
}

void json_place::expect_keys(const std::vector<std::string>& known) const {
  const auto all = members();
  if (unknown_keys_) return;
  for (const auto& [key, value] : all)
    if (std::find(known.begin(), known.end(), key) == known.end()) value.refuse(no_such("key", key, known));
}

json_place json_place::with_unknown_keys() const {
  json_place out = *this;
  out.unknown_keys_ = true;
  return out;
}

std::string json_place::text() const {
  if (!value_->is_string()) refuse_value("a string");
  return plain_text(value_->get<std::string>());
}

bool json_place::boolean() const {
  if (!value_->is_boolean()) refuse_value("true or false");
  return value_->get<bool>();
}

double json_place::number() const {
  if (!value_->is_number()) refuse_value("a number");
  const double number = value_->get<double>();
  if (!std::isfinite(number)) refuse("expected a finite number");
  return number;
}

double json_place::not_negative() const {
  const double value = number();
  if (!(value >= 0)) refuse_value("a number of at least 0");
  return value;
}

double json_place::positive() const {
  const double value = number();
  if (!(value > 0)) refuse_value("a number above 0");
  return value;
}

long json_place::count() const {
  const double value = not_negative();
  if (value != std::floor(value) || !(value < 9e15)) refuse_value("a count");
  return static_cast<long>(value);
}

std::int64_t json_place::integer(std::int64_t least, std::int64_t most) const {
  const bool is_beyond_signed = value_->is_number_unsigned() && value_->get<std::uint64_t>() > INT64_MAX;
  const bool is_within = value_->is_number_integer() && !is_beyond_signed &&
                         value_->get<std::int64_t>() >= least && value_->get<std::int64_t>() <= most;
  if (!is_within) refuse_value(fmt::format("an integer from {} to {}", least, most));
  return value_->get<std::int64_t>();
}

std::vector<std::string> json_place::one_or_more(
    const std::function<std::string(const json_place&)>& read) const {
  if (!value_->is_array()) return {read(*this)};
  std::vector<std::string> out;
  std::unordered_set<std::string> seen;
  for (const json_place& element : at_least_one("value")) {
    std::string value = read(element);
    if (seen.insert(value).second) out.push_back(std::move(value));
  }
  return out;
}

}  // namespace ablate::reports
