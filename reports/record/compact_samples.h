#pragma once

#include <nlohmann/json.hpp>

namespace ablate::reports {

/// Long lists of samples are a record's larger half, and a clock of a GPU knows few different times: since
/// 1.10.0 a list of more than `most_plain_samples` stands as its distinct values, ascending, and for each
/// sample in order the place of its value among them. Whoever reads a record sees the plain list.
constexpr int most_plain_samples = 256;

/// `time_us.samples` of an entry as it is written, where that is shorter than the plain list.
void compact_samples(nlohmann::ordered_json& entry);

/// As it is read. What is no such pair of lists stays as it is, and is refused by who reads it.
void expand_samples(nlohmann::ordered_json& entry);

}  // namespace ablate::reports
