#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/common/unsupported.h"
#include "tests/support/axis_values.h"
#include "tests/support/gpu.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::test_support {

/// Tests of variants of any operation.
class variants_test : public gpu_test {
 protected:
  /// Every variant that applies at these axes passes its check, plain and instrumented.
  static void expect_plain_and_instrumented_right(const operation& op, const axis_values& at,
                                                  const input_library& inputs) {
    variant_run run(op, at, inputs);
    for (const variant_facts& v : op.variants) {
      if (!run.applies(v)) continue;
      for (const bool instrumented : {false, true}) {
        const check_result result = run.check(v, instrumented);
        EXPECT_TRUE(result.ok) << op.name << "/" << v.name << (instrumented ? " (instrumented)" : "")
                               << text_of(at) << ": " << result.message;
      }
    }
  }
};

/// Tests of all variants of an operation that this GPU runs.
class every_variant_test : public variants_test {
 protected:
  explicit every_variant_test(std::string operation) : operation_(std::move(operation)) {}

  const operation& tested() const { return *find_operation(operation_); }

  /// Every variant that applies at these axes passes its check; after it, `then(variant, run)` is called.
  template <class Then>
  void expect_right(const axis_values& given, Then then) const {
    variant_run run(tested(), given, inputs_);
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
      then(v, run);
    }
  }
  void expect_right(const axis_values& given) const {
    expect_right(given, [](const variant_facts&, variant_run&) {});
  }

  /// As expect_right, but where this machine has no cuBLASLt, the variants that call it may say so. Of these
  /// variants alone, if any are named.
  template <class CallsLibrary>
  void expect_right_or_without(CallsLibrary calls_library, const axis_values& given,
                               const std::vector<std::string>& names = {}) const {
    for (const std::string& name : names) ASSERT_NE(tested().find_variant(name), nullptr) << name;
    variant_run run(tested(), given, inputs_);
    for (const variant_facts& v : tested().variants) {
      if (!names.empty() && std::ranges::find(names, v.name) == names.end()) continue;
      if (!run.applies(v)) continue;
      try {
        const check_result result = run.check(v);
        EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
      } catch (const unsupported& lacking) {
        EXPECT_TRUE(calls_library(v)) << v.name << ": " << lacking.what();
      }
    }
  }

  input_library inputs_{1, {}, {}};

 private:
  std::string operation_;
};

}  // namespace ablate::test_support
