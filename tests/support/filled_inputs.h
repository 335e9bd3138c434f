#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "harness/registry/registry.h"

namespace ablate::test_support {

/// A workload fills every input to its size, and no other buffer.
inline void expect_inputs_filled(const workload& work, const std::vector<buffer>& buffers) {
  ASSERT_EQ(work.contents.size(), buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i)
    EXPECT_EQ(work.contents[i].size(), buffers[i].role == buffer_role::input ? buffers[i].bytes : 0)
        << buffers[i].name;
}

}  // namespace ablate::test_support
