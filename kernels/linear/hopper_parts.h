#pragma once

#include <cuda.h>

#include "kernels/common/launcher.h"
#include "kernels/linear/linear.h"

namespace ablate::linear {

/// What the kernels for Hopper share.

/// k of a step, which is a row of a swizzled panel: 128 bytes.
constexpr int hopper_step = 64;
/// Longest K of hopper_resident_forward, in steps.
constexpr int max_resident_steps = 8;

/// X in boxes of `box_rows` rows × 64 columns.
CUtensorMap map_of_rows(const launcher&, const std::uint16_t* base, std::int64_t rows, int columns,
                        unsigned box_rows);
/// W in boxes of 128 rows × 64 of k: rows as they follow each other, or of swiglu 8 of each half in turn.
CUtensorMap map_of_weight(const launcher&, const problem&);

/// Y, where W's rows of a tile are in shared memory whole: K ≤ 64 · max_resident_steps; parts of a split Y
/// are multiples of 64 columns.
void hopper_resident_forward(launcher&, const problem&);

}  // namespace ablate::linear
