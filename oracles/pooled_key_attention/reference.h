#pragma once

#include <cstdint>

#include "oracles/global_attention/reference.h"

namespace ablate::pooled_key_attention {

/// The oracle: a token's attention, in fp64, to the means of all blocks, and to special tokens as they are.
global_attention::exact_token reference_to_means(const global_attention::checked_layer&,
                                                 const global_attention::exact_head&, std::int64_t head,
                                                 std::int64_t token);

}  // namespace ablate::pooled_key_attention
