#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/solved_workload.h"

namespace ablate::test_support {

/// What the check, which takes the reference, says once `spoil` has changed something in it.
template <class Spoil>
std::string message_once_spoiled(const operation& op, const axis_values& at, Spoil spoil) {
  solved_workload solved(op, at);
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  spoil(solved);
  EXPECT_FALSE(solved.check().ok);
  return solved.check().message;
}

}  // namespace ablate::test_support
