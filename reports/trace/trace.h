#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "base/record/selection.h"

namespace ablate::reports {

/// Samples as a trace in Chrome's JSON, which ui.perfetto.dev opens.
struct sample_trace {
  std::string json;
  std::size_t cases = 0, samples = 0, kernels = 0;  ///< slices of each kind
};

/// Launches of one suite and build, the first with its counters and timelines. A process of the trace is a
/// launch on a device; its track has a slice for each case, in the order of the record, and in it one
/// for each sample in the order of time, as long as the sample is in µs. A record does not say when a sample
/// was taken, so they follow each other without the pauses between them. A case's timeline follows its
/// samples, with its kernels nested in it and its activity as counters.
sample_trace trace_of(const std::vector<const record*>& launches, const selection&);

}  // namespace ablate::reports
