#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ablate {

/// Throws std::invalid_argument, naming the place, for a non-finite number: the JSON library writes NaN as
/// null, which would turn a broken number into a missing one.
void require_finite(const nlohmann::ordered_json&, const std::string& place);

/// Writes a record (reports/schema/record.schema.json): derives `context.ablate.ceilings` from the entries
/// that carry a `ceiling`, and each entry's `floors` from those. It keeps the static facts in
/// `context.ablate.kernels` only for kernels that a case launched, and forms counters as
/// recorded_counters.h says. One entry per line, so that records can be compared with diff. The file is a
/// new_file: written whole or not at all. Throws
/// std::invalid_argument, naming the place, for a non-finite number and for an unknown kind of ceiling, and
/// as new_file does.
void write_record(const std::filesystem::path&, const nlohmann::ordered_json& context,
                  std::vector<nlohmann::ordered_json> benchmarks,
                  std::vector<nlohmann::ordered_json> unmeasured);

/// What write_record writes, before it is written.
nlohmann::ordered_json formed_record(const nlohmann::ordered_json& context,
                                     std::vector<nlohmann::ordered_json> benchmarks,
                                     std::vector<nlohmann::ordered_json> unmeasured);

/// Writes a record that is complete, such as formed_record or merged_record (merge.h) give, an older one
/// upgraded (upgrade.h). Throws as write_record does.
void write_formed_record(const std::filesystem::path&, nlohmann::ordered_json record);

/// Upgrades a record of any version and changes nothing else: nothing is recomputed. `from` and `to` may be
/// the same file. Throws as read_record and new_file do.
void rewrite_record(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ablate
