#pragma once

#include <string>

#include "harness/device/chip.h"
#include "harness/inputs/input_library.h"
#include "harness/suite/suite.h"
#include "reports/gate/program_launches.h"

namespace ablate {

/// What this program launches for each case of a suite on a chip, with the hash of the machine code that runs
/// there. Needs no GPU. Makes every input, to hash it, if asked: that takes the time of a run's inputs. The
/// stack is filled with `fill` before each launch is described: what of an argument nobody sets, such as the
/// padding of a structure, then differs between two fills. Throws bad_input in a build without CUDA, and as
/// `expand` does.
gate::program_launches requested_launches(const suite&, const chip&, const input_library&,
                                          const std::string& filter, bool with_inputs, unsigned char fill);

}  // namespace ablate
