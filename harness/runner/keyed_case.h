#pragma once

#include <cstddef>
#include <string>

#include "harness/suite/suite.h"

namespace ablate {

/// A case of a run, and its journal key.
struct keyed_case {
  suite_case spec;
  std::string key;
  std::size_t bundle = 0;      ///< the cases with which it must share a device (base/record/bundles.h)
  std::size_t number = 0;      ///< within the whole suite, for the progress line
  double planned_seconds = 0;  ///< harness/suite/estimate.h, or of earlier records
  long replica = 1;            ///< which of the measurements of its bundle
  /// The specimen (run_identity.h) on which it ended, or alone may run: a calibration of that one, or a case
  /// whose bundle was begun there. Empty: any.
  std::string specimen = {};
  bool is_done = false;  ///< an earlier run measured it
};

}  // namespace ablate
