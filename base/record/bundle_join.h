#pragma once

#include <string>
#include <vector>

namespace ablate {

/// Cases that are compared although they differ in more than variant and cache state, so that one GPU
/// measures them (base/record/bundles.h): those of these operations that agree in all axes which the
/// operations share.
struct bundle_join {
  std::vector<std::string> operations;
  std::vector<std::string> across;  ///< axes in which they may differ all the same
};

}  // namespace ablate
