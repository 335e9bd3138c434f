#pragma once

#include <string>

#include "reports/gate/static_facts.h"

namespace ablate::gate {

inline const std::string made_kernel = "void ablate::voxelize::direct<int>(ablate::voxelize::view, int)";

/// Two kernels for both architectures, one launched by two variants on three chips.
inline static_facts_file made_static_facts() {
  static_facts_file out;
  out.cuda_compiler = "13.0.88";
  out.has_sass = true;
  kernel_static_facts& direct = out.kernels[made_kernel];
  for (const char* architecture : {"sm_80", "sm_90a"})
    direct.code[architecture] = {
        {{"registers", 32}, {"static_shared_bytes", 1024}},
        counts{{"atomic_instructions", 40}, {"vector_loads_128", 10}, {"vector_load_bytes", 160}}};
  for (const char* variant : {"voxelize/global_atomic", "voxelize/smem"})
    for (const char* chip : {"a100", "h100", "h200"}) direct.launched_by[{variant, chip}] = {2048, 0.75};
  out.kernels["ablate::psh_bucket::fill(ablate::psh_bucket::view)"].code["sm_80"] = {{{"registers", 16}},
                                                                                     counts{}};
  return out;
}

}  // namespace ablate::gate
