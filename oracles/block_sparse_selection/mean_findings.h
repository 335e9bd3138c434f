#pragma once

#include "kernels/block_sparse_selection/block_means.h"

namespace ablate::block_sparse_selection {

/// All means, judged by fp64 on the device.
struct mean_findings {
  unsigned long long judged, wrong;
  unsigned long long first_wrong;  ///< its number among all heads' blocks
};
void judge_means(launcher&, const block_means&, mean_findings* found);

}  // namespace ablate::block_sparse_selection
