#pragma once

namespace ablate::compression_attention {

/// What the check of int8 rows found: each mean, number, scale and offset, from what went before it.
struct int8_findings {
  unsigned long long judged, wrong;  ///< query blocks and boxes of all heads
  unsigned long long first_wrong;    ///< its number: query blocks of all heads, then boxes of all heads
  unsigned long long wrong_means;    ///< elements of m
};

}  // namespace ablate::compression_attention
