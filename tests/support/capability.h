#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

namespace ablate::test_support {

/// What a machine or a build may lack, so that a test that needs it is skipped. scripts/skips.py counts skips
/// by these names, those of scripts and Python tests too. ABLATE_REQUIRE=browser,node turns the skips for
/// want of these into failures. Those that begin with "no_" are of tests that only a machine or build without
/// the thing can run.
inline constexpr std::string_view capabilities[] = {"benchmark_tools",
                                                    "browser",
                                                    "clone",
                                                    "counters",
                                                    "cublaslt",
                                                    "cuda",
                                                    "cupti",
                                                    "data",
                                                    "energy",
                                                    "gpu",
                                                    "hopper",
                                                    "inject_delay",
                                                    "l2_set_aside",
                                                    "liblzf",
                                                    "libzip",
                                                    "memory",
                                                    "no_cuda",
                                                    "no_gpu",
                                                    "no_inject_delay",
                                                    "no_liblzf",
                                                    "no_libzip",
                                                    "no_rsvg_convert",
                                                    "node",
                                                    "python3",
                                                    "shellcheck",
                                                    "slurm",
                                                    "sqlite",
                                                    "terminal",
                                                    "torch",
                                                    "triton"};

inline bool is_required(std::string_view capability) {
  const char* required = std::getenv("ABLATE_REQUIRE");
  std::istringstream names(required ? required : "");
  for (std::string name; std::getline(names, name, ',');)
    if (name == capability) return true;
  return false;
}

constexpr bool is_capability(std::string_view name) {
  return std::ranges::find(capabilities, name) != std::end(capabilities);
}

}  // namespace ablate::test_support

/// Skips the test for want of a capability, or fails it where that is required.
#define ABLATE_LACKS(capability, why)                                                       \
  do {                                                                                      \
    static_assert(::ablate::test_support::is_capability(capability), "no such capability"); \
    if (::ablate::test_support::is_required(capability))                                    \
      FAIL() << "[" capability "] ABLATE_REQUIRE names what is missing: " << (why);         \
    GTEST_SKIP() << "[" capability "] " << (why);                                           \
  } while (false)
