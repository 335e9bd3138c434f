#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/registry/bound_buffers.h"
#include "harness/registry/registry.h"
#include "harness/registry/variant.h"
#include "harness/version.h"

namespace ABLATE_ABI {

/// The full definition of an operation. `Problem` is the plain struct of kernels/<operation>/<operation>.h,
/// all that a kernel takes; `Checked` is derived from it in oracles/<operation>/ where the comparison takes
/// more.
template <class Problem, class Checked = Problem>
struct definition {
  using entry = variant<Problem, Checked>;

  std::string name;
  std::string description;
  std::vector<axis> axes;
  std::string baseline;
  preset_lists presets = {};
  /// The problem at these axes, its buffer pointers still null.
  std::function<Checked(const axis_values&, const input_library&)> problem;
  /// What the problem's pointers point to: a line a buffer, `bind("keys", p.keys, bytes, role, reset)`.
  std::function<bound_buffers(Checked&)> buffers;
  std::function<workload(const Checked&, const axis_values&, const input_library&)> prepare;
  /// Why these axis values are not a valid case; empty function = all are.
  std::function<std::optional<std::string>(const axis_values&)> refuses = {};
  /// Launched before every variant, inside the timed region (e.g. to clear an output); may be null.
  typename entry::launch_function before = nullptr;
  /// The work ahead of the timed region, as a separate problem: the variant's launch function is called with
  /// it, untimed, after every reset of the buffers. Nothing, or an empty function: the region starts from the
  /// inputs.
  std::function<std::optional<Checked>(const Checked&)> ahead = {};
  /// The region leaves the result of that work unchanged. If not, it cannot be timed hot or rotating.
  bool keeps_ahead = false;
  /// Which clock times the region; empty function: the device's.
  std::function<region_clock(const Checked&)> clock = {};
  /// The work that turns a variant's own memory into outputs, as a separate problem: the variant's launch
  /// function is called with it, untimed, after the region and before each check. Only where no code but the
  /// variant's can read that memory (a hash table of its own layout). Nothing, or an empty function: the
  /// region writes all outputs.
  std::function<std::optional<Checked>(const Checked&)> readback = {};
  /// Compares the outputs on the device with what they should be, untimed, after `readback` and before each
  /// check, which then reads what was found. May be null: the check reads the outputs themselves.
  typename entry::checking_function compare = nullptr;
  /// Launched once on fresh buffers, before everything else: generates data on the device that is too large
  /// for the host. No reset restores what it wrote. May be null.
  typename entry::checking_function fill = nullptr;
  std::vector<calibration> calibrations = {};
  std::vector<switch_facts> switches = {};
  std::vector<entry> variants;
};

}  // namespace ABLATE_ABI

namespace ablate::detail {

template <class Problem, class Checked = Problem>
class defined_operation final : public operation {
  using entry = variant<Problem, Checked>;

 public:
  explicit defined_operation(definition<Problem, Checked> d) : definition_(std::move(d)) {
    name = definition_.name;
    description = definition_.description;
    axes = definition_.axes;
    baseline = definition_.baseline;
    presets = definition_.presets;
    calibrations = definition_.calibrations;
    switches = definition_.switches;
    for (const entry& v : definition_.variants)
      variants.push_back({v.name, v.description, v.switches, v.limits.only_where,
                          v.limits.minimum_compute_capability, v.launch != nullptr, v.limits.without,
                          v.limits.same_bits, v.limits.takes});
  }

  std::vector<buffer> buffers(const axis_values& at, const input_library& inputs) const override {
    Checked problem = definition_.problem(at, inputs);
    return without_members(definition_.buffers(problem));
  }

  workload prepare(const axis_values& at, const input_library& inputs) const override {
    return definition_.prepare(definition_.problem(at, inputs), at, inputs);
  }

  std::function<void(launcher&)> bind(const variant_facts& which, const axis_values& at,
                                      const input_library& inputs,
                                      std::span<void* const> addresses) const override {
    return launch_of(which, definition_.problem(at, inputs), addresses, definition_.before);
  }

  bool has_ahead(const axis_values& at, const input_library& inputs) const override {
    return definition_.ahead && definition_.ahead(definition_.problem(at, inputs));
  }

  bool keeps_ahead() const override { return definition_.keeps_ahead; }

  region_clock clock(const axis_values& at, const input_library& inputs) const override {
    return definition_.clock ? definition_.clock(definition_.problem(at, inputs)) : region_clock::device;
  }

  std::function<void(launcher&)> bind_ahead(const variant_facts& which, const axis_values& at,
                                            const input_library& inputs,
                                            std::span<void* const> addresses) const override {
    return launch_beside(definition_.ahead, which, at, inputs, addresses, definition_.before);
  }

  std::function<void(launcher&)> bind_readback(const variant_facts& which, const axis_values& at,
                                               const input_library& inputs,
                                               std::span<void* const> addresses) const override {
    auto own = launch_beside(definition_.readback, which, at, inputs, addresses, nullptr);
    const entry& v = entry_of(which);
    const auto compare = v.compare != nullptr ? v.compare : definition_.compare;
    if (compare == nullptr) return own;
    Checked problem = definition_.problem(at, inputs);
    attach_without(v.limits.without, problem, addresses);
    return [problem, at = which.switches, own = std::move(own), compare](launcher& to) {
      if (own) own(to);
      compare(to, problem, at);
    };
  }

  std::function<void(launcher&)> bind_fill(const variant_facts* of, const axis_values& at,
                                           const input_library& inputs,
                                           std::span<void* const> addresses) const override {
    if (!definition_.fill) return {};
    Checked problem = definition_.problem(at, inputs);
    if (of == nullptr)
      put_addresses(definition_.buffers(problem), addresses);
    else
      attach_without(of->without, problem, addresses);
    return [problem, fill = definition_.fill](launcher& to) { fill(to, problem, ablate::switches()); };
  }

  std::optional<std::string> refuses(const axis_values& at) const override {
    return definition_.refuses ? definition_.refuses(at) : std::nullopt;
  }

 private:
  using launch_function = typename entry::launch_function;
  using work_beside = std::function<std::optional<Checked>(const Checked&)>;

  /// The variant on the problem that `work` derives from the one at these axes; empty if there is none.
  std::function<void(launcher&)> launch_beside(const work_beside& work, const variant_facts& which,
                                               const axis_values& at, const input_library& inputs,
                                               std::span<void* const> addresses,
                                               launch_function before) const {
    if (!work) return {};
    const std::optional<Checked> beside = work(definition_.problem(at, inputs));
    return beside ? launch_of(which, *beside, addresses, before) : nullptr;
  }

  std::function<void(launcher&)> launch_of(const variant_facts& which, Checked problem,
                                           std::span<void* const> addresses, launch_function before) const {
    const entry& v = entry_of(which);
    attach_without(v.limits.without, problem, addresses);
    return [problem, launch = v.launch, at = which.switches, before](launcher& to) {
      if (before) before(to, problem, at);
      launch(to, problem, at);
    };
  }

  /// Of a variant, or of the one that a point is around.
  const entry& entry_of(const variant_facts& which) const {
    const std::string around = read_point(which.name).variant;
    for (const entry& v : definition_.variants)
      if (v.name == around) return v;
    throw std::logic_error("operation '" + name + "' has no variant '" + which.name + "'");
  }

  /// Attaches null for buffers that a variant claims not to use, so that it really cannot use them.
  void attach_without(const std::vector<std::string>& names, Checked& problem,
                      std::span<void* const> addresses) const {
    std::vector<void*> given(addresses.begin(), addresses.end());
    const bound_buffers all = definition_.buffers(problem);
    for (std::size_t i = 0; i < given.size(); ++i)
      if (std::ranges::find(names, all[i].what.name) != names.end()) given[i] = nullptr;
    put_addresses(all, given);
  }

  definition<Problem, Checked> definition_;
};

}  // namespace ablate::detail

namespace ABLATE_ABI {

/// Registers an operation: `const bool defined = define<problem>({…});` in the operation's own namespace, or
/// `define<problem, checked_problem>({…})`.
template <class Problem, class Checked = Problem>
bool define(definition<Problem, Checked> d) {
  return register_operation(std::make_unique<detail::defined_operation<Problem, Checked>>(std::move(d)));
}

}  // namespace ABLATE_ABI

/// A launch function that kernels/<operation>/launches.h declares; null in a build without CUDA. A name that
/// it does not declare, or declares with other parameters, is a compile error.
#if ABLATE_HAS_CUDA
#define ABLATE_LAUNCH(function) (&function)
#else
#define ABLATE_LAUNCH(function) nullptr
#endif
