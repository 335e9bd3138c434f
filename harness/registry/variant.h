#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/registry/axis.h"
#include "harness/registry/checked_function.h"
#include "harness/registry/points.h"
#include "harness/version.h"
#include "kernels/common/launch_function.h"
#include "kernels/common/switches.h"

namespace ABLATE_ABI {

/// Where a variant can run, and which buffers it does not use.
struct variant_limits {
  axis_conditions only_where = {};        ///< the axis values that it supports; empty = all
  int minimum_compute_capability = 80;    ///< 80 for sm_80
  std::vector<std::string> without = {};  ///< buffers that it gets null for (variant_facts)
  bool same_bits = false;                 ///< each launch leaves the same bits (variant_facts)
  std::vector<switch_range> takes = {};   ///< values of switches beside its own (variant_facts)
};

}  // namespace ABLATE_ABI

namespace ablate::detail {

/// A function of an entry. For another signature the compiler says what was expected, instead of listing
/// constructors that do not match.
template <class Problem>
class entry_function {
 public:
  using pointer = void (*)(launcher&, const Problem&, const switches&);

  entry_function(pointer given = nullptr) : given_(given) {}
  template <class Other>
  requires(!std::is_same_v<Other, pointer> && !is_null<Other> &&
           (std::is_pointer_v<Other> || std::is_class_v<Other>)) entry_function(Other given)
      : given_(converted<pointer>(given)) {
    static_assert(
        std::is_convertible_v<Other, pointer>,
        "a variant's launch function has another signature; expected: void launch(ablate::launcher&, "
        "const PROBLEM&, const ablate::switches&), in which PROBLEM is the operation's problem "
        "struct, or ablate::spans where it has none");
  }

  pointer get() const { return given_; }

 private:
  pointer given_;
};

}  // namespace ablate::detail

namespace ABLATE_ABI {

/// One registered way to compute an operation: its entry in `variants/<operation>.cpp`. `Checked` is
/// `Problem` with what the comparison needs beside it.
template <class Problem, class Checked = Problem>
struct variant {
  using launch_function = typename detail::entry_function<Problem>::pointer;
  using checking_function = typename detail::entry_function<Checked>::pointer;

  variant(std::string name, detail::entry_function<Problem> launch, ablate::switches switches,
          std::string description, variant_limits limits = {}, detail::entry_function<Checked> compare = {})
      : name(std::move(name)),
        launch(launch.get()),
        switches(std::move(switches)),
        description(std::move(description)),
        limits(std::move(limits)),
        compare(compare.get()) {}

  std::string name;
  launch_function launch;  ///< ABLATE_LAUNCH(name); null in a build without CUDA
  ablate::switches switches;
  std::string description;
  variant_limits limits;
  /// Replaces the operation's `compare` for a variant that leaves its results in another form; may be null.
  checking_function compare;
};

}  // namespace ABLATE_ABI
