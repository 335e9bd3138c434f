#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace ablate::reports {

/// A record's file is plain, as a run writes it, or compressed by xz, as in results/. Its contents tell
/// which, not its name.

/// The file of this name. If there is none, the one with .xz appended, if present.
std::filesystem::path file_of_record(const std::filesystem::path&);

/// Whether a folder holds a record.json, compressed or not.
bool holds_record(const std::filesystem::path& folder);

/// The further launches beside the record of a folder, record-*.json, compressed or not, by name. None where
/// there is no such folder.
std::vector<std::filesystem::path> further_launches_in(const std::filesystem::path& folder);

/// More text than this is no record: the largest one has a ninth of it.
inline constexpr std::size_t max_record_bytes = std::size_t{256} << 20;

/// The JSON of a record as it was written, one of version 1.x.y upgraded (upgrade.h). Throws bad_input, also
/// for a compressed file that is cut short, damaged or larger than max_record_bytes, and where the program xz
/// is missing.
nlohmann::ordered_json parse_record_as_written(const std::filesystem::path&);

/// The same with each case's counters recombined from its kernels' (combine_counters). Throws bad_input.
nlohmann::ordered_json parse_record_file(const std::filesystem::path&);

}  // namespace ablate::reports
