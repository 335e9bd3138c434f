#pragma once

#include <string>
#include <vector>

#include "reports/gate/unmatched.h"
#include "reports/history/database.h"

namespace ablate::history {

/// Where a series stops: the newest record of a suite that it was part of, on its kind of device, does not
/// continue it. A case that a record of several GPUs has from another kind is no end.
struct series_end {
  gate::mismatch kind;  ///< gone; or different: the case continues with another input, seed or method
  std::string suite;
  night last;            ///< of the series in this suite
  recorded_night since;  ///< the first record without it
  std::string reason;    ///< one line
};

/// The ends of a series, by suite. `all` holds at least the other series of its case; `records` are by date.
std::vector<series_end> ends_of(const series&, const std::vector<series>& all,
                                const std::vector<recorded_night>& records);

/// "GONE: CASE on DEVICE: reason"
std::string end_text(const series&, const series_end&);

}  // namespace ablate::history
