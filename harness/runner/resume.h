#pragma once

#include <memory>
#include <vector>

#include "harness/runner/case_key.h"
#include "harness/runner/journal.h"
#include "harness/runner/run.h"
#include "harness/runner/worker.h"

namespace ablate {

/// Opens the journal and begins the run in it; leaves in `cases` those still to run. A run may go on on
/// another device of the same kind, with another UUID: the bundles that it finished stay, those that it had
/// begun run again, whole. Throws bad_input if the directory holds an unfinished run and `resume` is not set,
/// or if it is set but another kind of device, driver or build began that run.
std::unique_ptr<journal> begin_journal(const run_options&, const device_identity&, const case_keys&,
                                       std::vector<keyed_case>& cases);

}  // namespace ablate
