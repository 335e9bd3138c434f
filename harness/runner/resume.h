#pragma once

#include <memory>
#include <vector>

#include "harness/runner/case_key.h"
#include "harness/runner/journal.h"
#include "harness/runner/keyed_case.h"
#include "harness/runner/run.h"

namespace ablate {

/// Opens the journal and begins the run in it. `cases` are all of the run, the calibrations of each device
/// among them. Marks those that an earlier run measured, and gives the cases of a bundle that was begun on
/// one of `devices` to that one. A run may go on on other devices of the same kind, with other UUIDs: the
/// bundles that it finished stay, those that it had begun elsewhere run again, whole. Throws bad_input if the
/// directory holds an unfinished run and `resume` is not set, or if it is set but another kind of device,
/// driver or build began that run.
std::unique_ptr<journal> begin_journal(const run_options&, const std::vector<device_identity>& devices,
                                       const case_keys&, std::vector<keyed_case>& cases);

}  // namespace ablate
