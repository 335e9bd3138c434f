// The forms of the softmax in attention cores, by mma.sync and by warpgroup MMAs alike.
#pragma once

namespace ablate::attention_core {

/// How P is kept in range, and how the softmax is computed. Finite scores must stay below 2^30: their product
/// with c is rounded where it is the subtrahend, but not where it is the minuend. Where a fixed maximum leads
/// out of range (fixed_maximum.cuh), the query tile is computed again online: on Hopper from a list by a
/// second launch, elsewhere by its block at once.
enum class softmax_form {
  online =
      1,     ///< subtracts each row's running maximum and rescales outputs when it rises; divides at the end
  lazy,      ///< online, but the maximum is raised only when a score exceeds it by 8 powers of two
  per_tile,  ///< online, but divides probabilities and outputs by the row's running sum at each tile of keys
  natural,   ///< online by __expf: multiplies by log2(e) before each power of 2
  /// Subtracts nothing where c · ‖q‖ · ‖k‖ stays below 100 for all keys of a window: bf16 has the exponent
  /// range of fp32, so P loses nothing; outputs overflow only with values above 2^11. Other query tiles run
  /// online.
  bounded,
  /// Always subtracts each row's maximum over the first tile of keys: only scores 120 powers of two above it
  /// overflow, or fewer where values are large.
  fixed_max
};

}  // namespace ablate::attention_core
