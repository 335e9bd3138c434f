#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/jacobian/jacobian.h"

namespace ablate::jacobian {

/// Angles and Jacobians through shared memory. `parameters`: as the switch says where they are.
void rows_through_shared(launcher&, const problem&, text_view parameters);

}  // namespace ablate::jacobian
