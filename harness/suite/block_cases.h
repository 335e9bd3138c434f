#pragma once

#include "harness/suite/suite.h"

namespace ablate {

/// Whether the block leaves this case of its product out.
bool excludes(const suite_block&, const variant_facts&, const axis_values&);

/// Whether the block runs the case of its operation with every axis given.
bool runs(const suite_block&, const variant_facts&, const axis_values&, cache_state);

}  // namespace ablate
