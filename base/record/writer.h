#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/record/record.h"

namespace ablate {

/// Throws std::invalid_argument, naming the place, for a non-finite number: the JSON library writes NaN as
/// null, which would turn a broken number into a missing one.
void require_finite(const nlohmann::ordered_json&, const std::string& place);

/// Completes a record of what was measured: derives its ceilings from the cases that have a `ceiling`, and
/// each case's floors from those. It keeps the static facts only of kernels that a case launched, and forms
/// counters as recorded_counters.h says. Throws std::invalid_argument, naming the case, for an unknown kind
/// of ceiling.
record formed_record(record);

/// Writes formed_record of it (reports/schema/record.schema.json). Throws as that and write_formed_record do.
void write_record(const std::filesystem::path&, record);

/// Writes a record that is complete, such as formed_record or merged_record (merge.h) give. One entry per
/// line, so that records can be compared with diff. The file is a new_file: written whole or not at all.
/// Throws std::invalid_argument, naming the place, for a non-finite number, and as new_file does.
void write_formed_record(const std::filesystem::path&, const record&);
/// The same of one that came from a file: what no struct knows stays; one of an older version is upgraded.
void write_formed_record(const std::filesystem::path&, nlohmann::ordered_json);

/// Upgrades a record of any version and changes nothing else: nothing is recomputed. `from` and `to` may be
/// the same file. Throws as read_record and new_file do.
void rewrite_record(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ablate
