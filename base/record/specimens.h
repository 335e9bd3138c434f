#pragma once

#include <optional>

#include "base/record/record.h"

namespace ablate {

/// By how much two GPUs of a record differ, as a share: the greatest change of a calibration that ran on both
/// and lasts 20 us or more, where a tick of a clock is nothing. 0 of a GPU and itself, and where the record
/// does not say who measured; nothing where no calibration holds one against the other.
std::optional<double> spread_between(const record&, const measured_case&, const measured_case&);

}  // namespace ablate
