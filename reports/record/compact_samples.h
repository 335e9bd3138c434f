#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ablate::reports {

/// Long lists of samples are a record's larger half. Since 1.20.0 a list of more than `max_plain_samples` is
/// delta-encoded: `tick_ns`, the greatest common divisor of all samples in nanoseconds (32 for one launch by
/// a GPU's clock), and `deltas`, in ticks: the first sample, then each one's difference from the one before.
/// From 1.10.0 on it was `values`, distinct and ascending, and `order`, for each sample the place of its
/// value among them. Whoever reads a record sees the plain list.
constexpr int max_plain_samples = 64;

/// `time_us.samples` of an entry as it is written, where that gives back every bit and is shorter than the
/// plain list.
void compact_samples(nlohmann::ordered_json& entry);

/// All entries of a record as they are read. Throws bad_input where a list cannot be resolved; what is in
/// neither form stays as it is, and is refused by who reads it.
void expand_samples(nlohmann::ordered_json& record, const std::string& file);

}  // namespace ablate::reports
