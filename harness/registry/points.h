#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/spelled_point.h"
#include "harness/registry/axis.h"
#include "harness/version.h"
#include "kernels/common/switches.h"

namespace ABLATE_ABI {

struct variant_facts;

/// Values of a switch that a variant's launch function takes beside the variant's own.
struct switch_range {
  std::string name;
  std::vector<std::string> values;
  int minimum_compute_capability = 80;  ///< of these values
  /// Where these values run: conditions here replace the variant's own on the same axis.
  axis_conditions only_where = {};
};

/// Null: its launch function does not take this value beside the variant's own.
const switch_range* find_range(const variant_facts&, const std::string& name, const std::string& value);

/// All values of a switch that the launch function takes beside the variant's own, in the order of its
/// ranges.
std::vector<std::string> values_taken(const variant_facts&, const std::string& name);

/// What `of` says of a switch; "off" where it does not state it.
std::string value_of(const switches& of, const std::string& name);

/// The variant at these values: in the order of its ranges, without values that it has already.
switch_values changes_of(const variant_facts&, const switch_values&);

/// Whether the variant's launch function takes these values, each switch once.
bool takes(const variant_facts&, const switch_values&);

/// The variant with these changes, which it takes.
variant_facts changed(const variant_facts&, const switch_values& changes);

}  // namespace ABLATE_ABI
