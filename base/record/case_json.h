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
nlohmann::ordered_json to_json(const case_entry&);
/// Parts of a measured case. Figures may be null: there are none.
void from_json(const reports::json_place&, named_figures&);
void from_json(const reports::json_place&, measured_case::output_picture&);
nlohmann::ordered_json to_json(const measured_case::timing&);
nlohmann::ordered_json to_json(const measured_case::floor_times&);
nlohmann::ordered_json to_json(const measured_case::kernel_launch&);
nlohmann::ordered_json fields_schema(const measured_case&);
nlohmann::ordered_json fields_schema(const unmeasured_case&);

}  // namespace ablate
