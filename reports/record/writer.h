#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ablate {

/// Throws std::invalid_argument naming the place for a number that is not finite: the library writes NaN as
/// null, which would turn a broken number into a missing one.
void require_finite(const nlohmann::ordered_json&, const std::string& place);

/// Writes a record (reports/schema/record.schema.json): derives `context.ablate.ceilings` from the entries
/// that carry a `ceiling`, and each entry's `floors` from those. Of the static facts in
/// `context.ablate.kernels` it keeps those of kernels that a case launched, and counters become rows
/// (compact_counters.h). One entry a line, so that two records can be read as a diff. The file appears whole
/// or not at all, and stays when the machine goes down. Throws std::invalid_argument, naming the place, for a
/// number that is not finite and for an unknown kind of ceiling, std::runtime_error when the file cannot be
/// written.
void write_record(const std::filesystem::path&, const nlohmann::ordered_json& context,
                  std::vector<nlohmann::ordered_json> benchmarks,
                  std::vector<nlohmann::ordered_json> unmeasured);

/// Writes a record, of whatever version, in the form in which write_record writes one today, and changes
/// nothing else: nothing is derived anew. The two may be one file. Throws bad_input as read_record does,
/// std::runtime_error when the file cannot be written.
void rewrite_record(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ablate
