#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"

namespace ablate::reports {

/// What a record keeps as JSON, of devices and hosts, where anything may be null or missing.

/// As text: a string verbatim, anything else as JSON. Nothing if the record does not say.
std::optional<std::string> fact(const nlohmann::ordered_json& facts, const char* key);

/// Nothing where there is no number.
std::optional<double> number_fact(const nlohmann::ordered_json& facts, const char* key);

/// The strings of a list; empty where there is none.
std::vector<std::string> word_facts(const nlohmann::ordered_json& facts, const char* key);

/// "quick", or with the values that were set for the run: "quick with points=300000".
std::string suite_text(const record&);

/// Of a case's input; empty where the record does not say.
std::string input_hash(const measured_case&);

}  // namespace ablate::reports
