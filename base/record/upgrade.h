#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ablate::reports {

/// The version of the record's schema that this program writes (reports/schema/record.schema.json).
inline constexpr const char* record_schema = "2.0.0";

/// Brings a record of version 1.x.y into the form of 2.0.0, and leaves every other one as it is. Older
/// records stored lists once and referred to them by number: names of counters (`counter_columns`), names of
/// kernels
/// (`kernel_names`) and launches; samples were differences or places in a list of values. All of it becomes
/// plain objects and lists. Nothing is recomputed; roundings that missed six digits by the last bit are
/// mended.
///
/// Samples are sorted, since they compress to two thirds so and nothing depends on their order; the key
/// `upgraded_from`, which holds the version that was read, implies it.
///
/// Throws bad_input, with the JSON pointer, for a number that refers to nothing. What has another form than a
/// record's stays, for the reader to refuse. `file` is for messages.
void upgrade(nlohmann::ordered_json& record, const std::string& file);

/// The version that a record was written with, before it was upgraded; its `context.ablate`.
std::string written_schema(const nlohmann::ordered_json& facts);

}  // namespace ablate::reports
