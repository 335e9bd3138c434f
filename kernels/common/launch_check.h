#pragma once

#include <type_traits>

#include "kernels/common/launch_function.h"

namespace ablate {

class spans;

namespace detail {

/// Whether the short form of an operation can call a function of this type.
template <class Function>
inline constexpr bool launches_arrays =
    std::is_convertible_v<Function, void (*)(launcher&, const spans&, const switches&)>;

}  // namespace detail

}  // namespace ablate

/// After the definition of a launch function that ABLATE_KERNEL names, in its `.cu` file. Two files that are
/// compiled apart cannot compare what they say of a function, and C++ takes another signature for another
/// function: the linker would miss one. So the signature is checked here, and a variant whose function has no
/// such line does not link: what is missing then has the name of this macro.
#define ABLATE_LAUNCH_FUNCTION(function)                                                             \
  static_assert(::ablate::detail::launches_arrays<decltype(&function)>,                              \
                "the launch function " #function " has another signature; expected: void " #function \
                "(ablate::launcher&, const ablate::spans&, const ablate::switches&)");               \
  extern const bool function##_has_no_ABLATE_LAUNCH_FUNCTION;                                        \
  const bool function##_has_no_ABLATE_LAUNCH_FUNCTION = false
