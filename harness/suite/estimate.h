#pragma once

#include <cstddef>
#include <vector>

#include "harness/device/chip.h"
#include "harness/suite/suite.h"

namespace ablate {

// A model of the time that cases take, deliberately simple: making an input and its oracle's answer goes at
// one host byte a nanosecond, once for all cases on the same axes; a case then copies, checks and warms up,
// and samples until its limit of samples or seconds; counters come on top.
inline constexpr const char* about_estimated_seconds =
    "0.1 s a case, 1 s a GB of new input, and samples (bytes over bandwidth, cache flush, 10 us) "
    "up to the suite's maximum_samples or maximum_seconds, at least 0.4 s where the clock is to "
    "be steady, and the counters";

/// Of the buffers that the case has on the device, one set of them. Throws what the input's absence,
/// breakage or unfitness does.
std::size_t buffer_bytes(const suite_case&, const input_library&);

/// Device memory that the flush before a sample takes.
std::size_t flush_bytes(cache_state, const chip&);

/// Of one case with buffers of so many bytes; `makes_input`: it is the first one on its axes.
double estimated_seconds(const suite_case&, std::size_t bytes, bool makes_input, const chip&,
                         const sampling&);

/// Of each of these cases in this order; next to nothing for one that will not be measured.
std::vector<double> estimated_seconds(const std::vector<suite_case>&, const input_library&, const chip&,
                                      const sampling&);

}  // namespace ablate
