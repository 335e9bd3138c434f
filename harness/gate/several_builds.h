#pragma once

#include <memory>
#include <vector>

#include "harness/gate/launch_source.h"

namespace ablate::gate {

/// One side of a calibration's runs: the launches of whichever build was chosen last.
class chosen_launches final : public launch_source {
 public:
  /// Refers to the builds, which must outlive it.
  explicit chosen_launches(const std::vector<launch_source*>& builds) : builds_(builds) {}

  void choose(std::size_t build) { chosen_ = build; }

  std::optional<record> check(const std::string& label, const std::vector<std::string>& only) override {
    return chosen().check(label, only);
  }
  launch take(const launch_order& order) override { return chosen().take(order); }
  std::optional<record> any() override { return chosen().any(); }
  bool is_recorded() const override { return builds_[chosen_]->is_recorded(); }

 private:
  launch_source& chosen() { return *builds_[chosen_]; }

  const std::vector<launch_source*>& builds_;
  std::size_t chosen_ = 0;
};

}  // namespace ablate::gate
