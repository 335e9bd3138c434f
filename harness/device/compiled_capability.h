#pragma once

#include <string_view>

namespace ablate {

/// The newest of some CUDA architectures as CMake names them ("80-real,90a-real" → 90); 0 where there is
/// none.
int newest_capability(std::string_view architectures);

/// What kernels of this build can use on a GPU: its compute capability, or the newest that they were compiled
/// for. PTX of an older one runs on a newer GPU, but has nothing of what is new there.
int usable_capability(int of_gpu);

}  // namespace ablate
