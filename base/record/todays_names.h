#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/record/old_names.h"

namespace ablate {

/// Gives the expanded JSON of a record the names of today: cases, with ids made of them, and their switches;
/// operations, those that were divided by the cases that are here; what refers to cases; what the suite says
/// to reports. What names nothing old, or is no record, stays as it is.
///
/// Where two cases would get one id, they keep the dropped axes by which they differ. Two that are alike in
/// all else keep one id, which read_record refuses. Throws bad_input, which begins with `file`, for a case
/// with two switches that are one today and have different values.
///
/// Returns the ids as they were written, by today's, of the cases that got another one.
std::map<std::string, std::string> give_todays_names(nlohmann::ordered_json& record,
                                                     const old_names& = old_names::known(),
                                                     const std::string& file = "");

/// parse_record_file (record_file.h), by today's names.
nlohmann::ordered_json parse_todays_record(const std::filesystem::path&);

}  // namespace ablate
