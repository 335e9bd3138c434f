#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/network/network.h"

namespace ablate::backbone {

/// The part that the host plays.
enum class host_role {
  absent,     ///< never waited for: all sizes follow from the number of points
  published,  ///< waits, with a read of 4 bytes, wherever the published code does
  once,       ///< PTv3: waits for the number of clusters after the whole index, which comes first
  graph       ///< as absent, in one launch of a CUDA graph
};

enum class point_order {
  cut,  ///< sorted by the leading bits of a z key and cut into buckets
  psh   ///< hashed by xor into buckets of a fixed capacity
};

/// Networks whose steps compute the same, and the memory that these need (kernels/backbone/backbone.h).
struct problem {
  /// The same pass as steps for each form of its layers; a variant runs one.
  std::shared_ptr<const network> by_library, by_own, by_choice, by_choice_on_mma, in_separate_launches,
      by_choice_beside, by_choice_beside_to_end, in_joined_steps, in_joined_steps_on_mma;
  host_role host = host_role::absent;
  point_order order = point_order::cut;
  /// Of each step, one after another, whose outputs are the same each time: with more than one a pass
  /// takes what its steps take by themselves, in caches that they have just used.
  int step_launches = 1;

  const std::uint16_t* coordinates = nullptr;   ///< in buckets: fp16 [points][3], meters
  const std::int32_t* cells = nullptr;          ///< PTv3: [pitch()][3], 0 past the last voxel
  const float* positions = nullptr;             ///< pools by grid: [points][3], meters
  const std::uint32_t* ends = nullptr;          ///< ends_table: [levels][instances], cumulative, and more
  const std::uint32_t* windows = nullptr;       ///< network::windows
  const std::int16_t* probe_steps = nullptr;    ///< psh_bucket::problem's
  const std::uint16_t* x = nullptr;             ///< a block's: bf16 [rows][channels]; PTv3's: [points][4]
  const std::uint16_t* matrices = nullptr;      ///< packed_weights
  const float* vectors = nullptr;               ///< packed_weights
  const std::uint16_t* out_gradient = nullptr;  ///< training: as `out`

  std::byte* arena = nullptr;        ///< that of the form with the greatest one
  void* workspace = nullptr;         ///< for cuBLASLt
  std::uint32_t* tickets = nullptr;  ///< psh_bucket::problem's, or pool's `state`: 0 before and after

  std::byte* index = nullptr;  ///< index_places
  std::uint16_t* out =
      nullptr;  ///< bf16: [points][channels] in the points' order; a block's [rows][channels]

  // Of training.
  std::uint16_t* x_gradient = nullptr;  ///< a block's: as `x`
  float* gradients = nullptr;           ///< gradient_places

  const network& steps(layer_form of) const {
    const std::shared_ptr<const network>* const networks[layer_forms] = {&by_library,
                                                                         &by_own,
                                                                         &by_choice,
                                                                         &by_choice_on_mma,
                                                                         &in_separate_launches,
                                                                         &by_choice_beside,
                                                                         &by_choice_beside_to_end,
                                                                         &in_joined_steps,
                                                                         &in_joined_steps_on_mma};
    return **networks[static_cast<int>(of)];
  }
};

}  // namespace ablate::backbone
