#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace ablate {

/// Writes a record (reports/schema/record.schema.json): derives `context.ablate.ceilings` from the entries
/// that carry a `ceiling`, and each entry's `floors` from those. One entry a line, so that two records can be
/// read as a diff. The file appears whole or not at all. Throws std::invalid_argument, naming the place, for
/// a number that is not finite and for an unknown kind of ceiling, std::runtime_error when the file cannot be
/// written.
void write_record(const std::filesystem::path&, const nlohmann::ordered_json& context,
                  std::vector<nlohmann::ordered_json> benchmarks,
                  std::vector<nlohmann::ordered_json> unmeasured);

}  // namespace ablate
