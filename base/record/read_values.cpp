#include "base/record/read_values.h"

#include <fmt/format.h>

#include <algorithm>

namespace ablate {

using reports::json_place;

std::string one_of(const json_place& at, std::initializer_list<std::string_view> words) {
  const std::string word = at.text();
  if (std::find(words.begin(), words.end(), word) == words.end())
    at.refuse(fmt::format("expected one of {}, found '{}'", fmt::join(words, ", "), word));
  return word;
}

named_words words_of(const json_place& at) {
  named_words out;
  for (const auto& [name, value] : at.members()) out.emplace_back(name, value.text());
  return out;
}

std::optional<double> number_or_null(const json_place& at) {
  return at.is_null() ? std::nullopt : std::optional(at.not_negative());
}

const nlohmann::ordered_json& object_at(const json_place& at) {
  if (!at.json().is_object()) at.refuse_value("an object");
  return at.json();
}

const nlohmann::ordered_json& object_or_null(const json_place& at) {
  if (!at.is_null() && !at.json().is_object()) at.refuse_value("an object or null");
  return at.json();
}

std::vector<std::string> texts_of(const json_place& at) {
  std::vector<std::string> out;
  for (const json_place& element : at.elements()) out.push_back(element.text());
  return out;
}

}  // namespace ablate
