#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <iostream>
#include <string>
#include <utility>

#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"

namespace ablate::test_support {

/// Tests of attention within windows, forward or backward.
class window_attention_on_gpu : public every_variant_test {
 protected:
  using every_variant_test::every_variant_test;

  void expect_right_on_few_tokens() const {
    for (const char* width : {"16", "32", "64", "128"})
      for (const char* window : {"128", "256", "512"}) {
        SCOPED_TRACE(std::string(width) + ", window " + window);
        expect_right(
            {{"tokens", "1024"}, {"window", window}, {"bucket", "128"}, {"heads", "2"}, {"width", width}});
      }
  }

  void expect_right_in_many_windows(std::initializer_list<const char*> widths) const {
    for (const char* width : widths)
      for (const char* window : {"128", "384"}) {
        SCOPED_TRACE(std::string(width) + ", window " + window);
        expect_right({{"tokens", "19200"},
                      {"window", window},
                      {"bucket", "128"},
                      {"heads", "4"},
                      {"width", width},
                      {"batches", "2"},
                      {"order", "shuffled"}});
      }
  }

  void expect_right_in_every_order_of_buckets() const {
    for (const char* width : {"16", "64", "128"}) {
      const axis_values small = {{"tokens", "6144"}, {"window", "1024"}, {"bucket", "256"},
                                 {"heads", "3"},     {"width", width},   {"batches", "2"}};
      for (const char* stride : {"1", "2", "3", "6"}) {
        SCOPED_TRACE(std::string(width) + ", stride " + stride);
        expect_right(with(small, {{"stride", stride}, {"offset", "3"}}));
      }
      expect_right(with(small, {{"order", "shuffled"}}));
    }
  }

  void expect_right_at_full_sizes() const {
    for (const char* width : {"16", "32", "64", "128"}) {
      SCOPED_TRACE(width);
      expect_right({{"tokens", "36864"}, {"window", "4096"}, {"heads", "4"}, {"width", width}});
    }
  }

  /// Of 131072 tokens, at these widths and numbers of heads; the first check and the second.
  void expect_checks_of_a_large_case_within(
      double seconds, const char* variant_name,
      std::initializer_list<std::pair<const char*, const char*>> sizes) const {
    const variant_facts& variant = test_support::named_variant(tested(), variant_name);
    for (const auto& [width, heads] : sizes) {
      variant_run run(tested(), {{"tokens", "131072"}, {"heads", heads}, {"width", width}}, inputs_);
      run.launch(variant);
      for (const char* which : {"first", "second"}) {
        const auto begin = std::chrono::steady_clock::now();
        const check_result result = run.check_outputs(variant);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        EXPECT_TRUE(result.ok) << result.message;
        EXPECT_LT(took.count(), seconds);
        std::cout << "width " << width << ", " << which << " check: " << took.count() << " s\n";
      }
      std::cout << run.quality().dump() << '\n';
    }
  }
};

}  // namespace ablate::test_support
