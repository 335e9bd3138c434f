#pragma once

namespace ablate::verify {

/// Times are written to the nanosecond, each rounded by itself.
inline constexpr double rounding_us = 0.0011;

/// The clock adapts to its voltage: committed H100 records have clocks up to 5.8 % above the highest that the
/// driver names, which the data sheet's FLOPs are at.
inline constexpr double max_beyond_nominal_clock = 1.06;

}  // namespace ablate::verify
