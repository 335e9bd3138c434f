#pragma once

#include <cstdint>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

struct checked_problem : problem {
  std::int32_t* key_bits = nullptr;  ///< [1], by the comparison: the leading bits of the key by which the
                                     ///< variant sorts points to cut them into buckets; 0: it hashes them
};

}  // namespace ablate::psh_bucket
