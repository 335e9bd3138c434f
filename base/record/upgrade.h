#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ablate::reports {

/// The version of the record's schema that this program writes (reports/schema/record.schema.json).
inline constexpr const char* record_schema = "2.2.0";

/// Brings a record of an older version into the form of this one, and leaves every other one as it is. The
/// version that was read becomes `upgraded_from`, unless it was upgraded before.
///
/// Records of 1.x.y stored lists once and referred to them by number: names of counters (`counter_columns`),
/// names of kernels (`kernel_names`) and launches; samples were differences or places in a list of values.
/// All of it becomes plain objects and lists. Nothing is recomputed; roundings that missed six digits by the
/// last bit are mended. Samples are sorted, since they compress to two thirds so and nothing depends on their
/// order.
///
/// Before 2.1.0 what a suite says to reports was beside its name, and a ladder and exhibits were no part of
/// the question (gather_report).
///
/// Throws bad_input, with the JSON pointer, for a number that refers to nothing. What has another form than a
/// record's stays, for the reader to refuse. `file` is for messages.
void upgrade(nlohmann::ordered_json& record, const std::string& file);

/// The version that a record was written with, before it was upgraded; its `context.ablate`.
std::string written_schema(const nlohmann::ordered_json& facts);
/// Whether that is major.minor or a later one.
bool is_written_since(const nlohmann::ordered_json& facts, int major, int minor);

}  // namespace ablate::reports
