#pragma once

#include <string>
#include <utility>

#include "tests/support/gpu.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::test_support {

/// Tests of all variants of an operation that this GPU runs.
class every_variant_test : public gpu_test {
 protected:
  explicit every_variant_test(std::string operation) : operation_(std::move(operation)) {}

  const operation& tested() const { return *find_operation(operation_); }

  /// Every variant that applies at these axes passes its check; behind it, `then(variant, run)` is called.
  template <class Then>
  void expect_right(const axis_values& given, Then then) const {
    variant_run run(tested(), given, inputs_);
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v) || v.minimum_compute_capability > compute_capability()) continue;
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
      then(v, run);
    }
  }
  void expect_right(const axis_values& given) const {
    expect_right(given, [](const variant_facts&, variant_run&) {});
  }

  input_library inputs_{1, {}, {}};

 private:
  std::string operation_;
};

}  // namespace ablate::test_support
