#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ablate::wrapped {

/// A kernel of Triton's cache: NAME.json beside NAME.cubin.
struct triton_kernel {
  std::filesystem::path code;  ///< the .cubin
  std::string entry;
  int threads = 0;  ///< per block
  std::int64_t shared_bytes = 0;
  int cluster_blocks = 1;
  bool cooperative = false;
  std::int64_t global_scratch_bytes = 0;  ///< per block, which Triton's launcher allocates
};

/// Reads NAME.json. Throws bad_input, also for a kernel of another GPU vendor and where the .cubin is
/// missing.
triton_kernel read_triton(const std::filesystem::path&);

}  // namespace ablate::wrapped
