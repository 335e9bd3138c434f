#include "harness/runner/run.h"

namespace ablate {

bool can_inject_delay() { return ABLATE_INJECT_DELAY != 0; }

}  // namespace ablate
