#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace ablate::reports {

/// A record holds the counters of a case's kernels as rows of numbers (since 1.3.0), because names would be
/// nine tenths of it: row i belongs to kernel i of the entry's `kernels`, number j to name j of
/// `counters.values`. Whoever reads a record sees an object for each kernel.

/// The entry as it is written: rows, and of numbers that are not whole six digits, more than any counter
/// repeats.
nlohmann::ordered_json with_compact_counters(nlohmann::ordered_json entry);

/// The entry as it is read. Rows that fit neither kernels nor names stay as they are, and are refused by who
/// reads them; entries of older records are objects already.
void expand_counters(nlohmann::ordered_json& entry);

/// The JSON of a record with its counters expanded, as it was written. Throws bad_input.
nlohmann::ordered_json parse_record_as_written(const std::filesystem::path&);

/// The same with the counters of cases combined from their kernels' (combine_counters). Throws bad_input.
nlohmann::ordered_json parse_record_file(const std::filesystem::path&);

}  // namespace ablate::reports
