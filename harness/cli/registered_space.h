#pragma once

#include <string>

#include "harness/registry/operation.h"
#include "reports/attribute/switch_space.h"

namespace ablate {

/// The switches of an operation that this program has.
class registered_space : public attribute::switch_space {
 public:
  /// Of a chip with this compute capability, 90 for sm_90.
  registered_space(const operation& of, int compute_capability)
      : of_(of), compute_capability_(compute_capability) {}

  std::optional<named_words> values_of(const std::string& point) const override;
  bool has_meaning(const std::string& of_switch, const named_words& values) const override;
  point point_at(const named_words& values, const reports::comparable_cases& workload) const override;
  std::string should_move(const std::string& of_switch) const override;

 private:
  const variant_facts* variant_at(const named_words& values) const;

  const operation& of_;
  int compute_capability_;
};

}  // namespace ablate
