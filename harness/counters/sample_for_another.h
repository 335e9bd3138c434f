#pragma once

#include <iosfwd>

#include "harness/counters/device_sampler.h"

namespace ablate {

/// Samples the device for another program, which runs work there and says on `requests` when, until they end.
/// Each request is a line of JSON, each answer one flushed line:
///
///   {"begin": {"range_us": 3000}}           samples from now on; {"status": "sampling"}. The device must be
///                                           idle. `range_us`: about how long a forward takes, for the
///                                           interval
///   {"end": {"ranges": [[from, to], …]}}    samples no more. Ranges on the device's global timer, in ns;
///                                           {"status": "ok", "ranges": how many there are by now}
///   {"finish": {"unsampled": [[from, to], …]}}  ranges of the same work while nothing was sampled;
///                                           {"status": "ok", "sampled": as in a record}. What follows is new
///
/// Where samples cannot be had, {"status": "unavailable", "reason"}; for a line that is no such request, or
/// not in its turn, {"status": "refused", "reason"}. Either ends what was begun, and the ranges sampled so
/// far are kept.
void sample_for_another(device_sampler&, std::istream& requests, std::ostream& answers);

}  // namespace ablate
