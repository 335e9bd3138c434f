#pragma once

namespace ablate {

/// A configuration, a structural object, as a type: nvcc 13.0 cannot name a kernel whose template argument is
/// such an object itself. Its last member is never 0: GCC leaves trailing zeros out of a mangled name, nvcc
/// does not, and host and device would know the kernel by two names.
template <auto Config>
struct configured {
  static constexpr auto config = Config;
};

}  // namespace ablate
