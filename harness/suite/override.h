#pragma once

#include <string>
#include <vector>

#include "base/record/old_names.h"
#include "harness/suite/suite.h"

namespace ablate {

/// The suite with other values: each assignment, `AXIS=VALUE[,VALUE...]`, replaces the values of that axis in
/// every block whose operation has it. `variants=A,B` leaves each block those of its operation (a block
/// without any is dropped), `switch.threads=128,512` those points around them that have these values of the
/// switch, and `cache=hot` gives all blocks that state. A value 2^16..2^24 is all powers of two from one to
/// the other, and 2^16 is 65536. The overrides are kept in the suite and enter its hash. Throws bad_input,
/// with the nearest name, for an axis or variant that no block has, for a value that the registry refuses,
/// and for a name set twice. Names of earlier versions mean today's.
suite overridden(suite, const std::vector<std::string>& assignments, const old_names& = old_names::known());

/// "points=1000,2000 cache=hot"; empty if there are none.
std::string override_text(const suite_overrides&);

}  // namespace ablate
