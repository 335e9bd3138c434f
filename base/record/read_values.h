#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/record/record.h"
#include "base/text/json_place.h"

/// Values that a record's context and its cases have alike. All throw bad_input that names the place.
namespace ablate {

/// A text that is one of the words.
std::string one_of(const reports::json_place&, std::initializer_list<std::string_view> words);

std::vector<std::string> texts_of(const reports::json_place&);
named_words words_of(const reports::json_place&);

/// None for null; not negative.
std::optional<double> number_or_null(const reports::json_place&);

const nlohmann::ordered_json& object_at(const reports::json_place&);
const nlohmann::ordered_json& object_or_null(const reports::json_place&);

}  // namespace ablate
