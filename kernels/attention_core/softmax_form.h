// The forms of the softmax in attention cores, by mma.sync and by warpgroup MMAs alike.
#pragma once

namespace ablate::window_attention {

/// How P is kept in range, and how the softmax is computed. Finite scores must stay below 2^30: their product
/// with c is rounded where it is the subtrahend, but not where it is the minuend. Where a fixed maximum leads
/// out of range (fixed_maximum.cuh), the query tile is computed again online: on Hopper from a list by a
/// second launch, elsewhere by its block at once.
enum class softmax_form {
  online,   ///< subtracts each row's running maximum and rescales outputs when it rises; divides at the end
  eager,    ///< online, but divides probabilities and outputs by the row's running sum at each tile of keys
  natural,  ///< online by __expf: multiplies by log2(e) before each power of 2
  /// Subtracts nothing where c · ‖q‖ · ‖k‖ stays below 100 for all keys of a window: bf16 has the exponent
  /// range of fp32, so P loses nothing; outputs overflow only with values above 2^11. Other query tiles run
  /// online.
  bounded,
  /// Always subtracts each row's maximum over the first tile of keys: only scores 120 powers of two above it
  /// overflow, or fewer where values are large.
  first_tile
};

/// `SoftwareExp2`: how many of every 16 exponentials a polynomial computes on the FMA pipe (where no maximum
/// runs), to offload the exponential unit.
template <softmax_form Form, int SoftwareExp2 = 0>
struct softmax_options {
  static constexpr softmax_form form = Form;
  static constexpr int software_exp2 = SoftwareExp2;
  static constexpr int packed_exp2 = 0;  ///< how many of 16 are computed as pairs (packed_exp2.cuh)
};

}  // namespace ablate::window_attention
