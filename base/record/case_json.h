#pragma once

#include "base/record/record.h"
#include "base/text/json_place.h"

/// Entries of a record's `benchmarks` and `unmeasured`.
namespace ablate {

/// Throw bad_input naming the JSON pointer and what was expected there.
void from_json(const reports::json_place&, measured_case&);
void from_json(const reports::json_place&, unmeasured_case&);
nlohmann::ordered_json to_json(const measured_case&);
nlohmann::ordered_json to_json(const unmeasured_case&);
/// Parts of a measured case.
nlohmann::ordered_json to_json(const measured_case::timing&);
nlohmann::ordered_json to_json(const clock_over_samples&);
nlohmann::ordered_json to_json(const measured_case::work_amounts&);
nlohmann::ordered_json to_json(const measured_case::floor_times&);
nlohmann::ordered_json to_json(const measured_case::device_memory_use&);
nlohmann::ordered_json to_json(const measured_case::kernel_launch&);
nlohmann::ordered_json to_json(const measured_case::output_check&);
nlohmann::ordered_json to_json(const measured_case::phases&);
nlohmann::ordered_json to_json(const measured_case::timed_again&);
nlohmann::ordered_json fields_schema(const measured_case&);
nlohmann::ordered_json fields_schema(const unmeasured_case&);

}  // namespace ablate
