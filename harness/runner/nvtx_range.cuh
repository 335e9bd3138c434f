#pragma once

#include <nvtx3/nvToolsExt.h>

#include <string>

namespace ablate {

/// Shows a case's id, or an operation's name, as an NVTX range in `nsys` and `ncu`.
class nvtx_range {
 public:
  explicit nvtx_range(const std::string& name) { nvtxRangePushA(name.c_str()); }
  nvtx_range(const nvtx_range&) = delete;
  ~nvtx_range() { nvtxRangePop(); }
};

}  // namespace ablate
