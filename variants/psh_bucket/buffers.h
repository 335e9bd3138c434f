#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/psh_bucket/checked_problem.h"

namespace ablate::psh_bucket {

bound_buffers buffers(checked_problem&);
/// Of a problem within another, whose check has `key_bits` beside it.
bound_buffers buffers_of(problem&, std::int32_t*& key_bits);

}  // namespace ablate::psh_bucket
