#pragma once

namespace ablate {

constexpr long most_launches = 1000;

/// In how many launches a suite is measured: what processes differ by is in no single one.
struct launch_rule {
  long least = 1, most = 1;
  bool until_decided = false;  ///< beyond `least` only while reports have a verdict left to decide
};

}  // namespace ablate
