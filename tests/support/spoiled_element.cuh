#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "tests/support/variant_run.cuh"

namespace ablate::test_support {

/// Spoils one element of what a variant leaves.
struct element_spoiler {
  variant_run& run;
  const variant_facts& variant;

  /// Lets the variant run, which must be right, flips `bits` of an element of a buffer, and expects the check
  /// to find that. Returns what it says.
  template <class T>
  std::string operator()(const char* buffer, std::size_t at, T bits) const {
    const check_result right = run.check(variant);
    EXPECT_TRUE(right.ok) << variant.name << ": " << right.message;
    auto contents = run.contents<T>(buffer);
    contents[at] = static_cast<T>(contents[at] ^ bits);
    run.put(buffer, contents);
    const check_result result = run.check_outputs(variant);
    EXPECT_FALSE(result.ok) << buffer;
    return result.message;
  }

  /// The same, and expects that the check says where.
  template <class T>
  void expect_found(const char* buffer, std::size_t at, T bits, const std::string& where) const {
    const std::string said = (*this)(buffer, at, bits);
    EXPECT_NE(said.find(where), std::string::npos) << said;
  }
};

}  // namespace ablate::test_support
