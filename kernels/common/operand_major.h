#pragma once

namespace ablate {

/// The layout of a product's operand in memory: `k_major` k is contiguous (keys of a score product),
/// `mn_major` M or N is (values of an output product).
enum class operand_major : int { k_major = 0, mn_major = 1 };

}  // namespace ablate
