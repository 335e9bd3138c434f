#include "harness/runner/launch_settings.h"

namespace ablate {

bool can_inject_delay() { return ABLATE_INJECT_DELAY != 0; }

}  // namespace ablate
