#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "harness/version.h"

namespace ABLATE_ABI {

/// Every point of an operation, each once: its variants, and all that their launch functions take.
std::vector<const variant_facts*> points_of(const operation&);

/// Whether a switch means something at a point: where its `only_with` holds, or it has none.
bool has_meaning(const operation&, const std::string& of_switch, const variant_facts&);

/// The one switch whose effect the difference of two points is; nothing where several differ. A switch that
/// means nothing in one of the two (switch_facts::only_with) follows from the one that it depends on: a point
/// with a table of 2048 entries and one without shared memory differ in `smem` alone.
std::optional<std::string> only_difference(const operation&, const variant_facts&, const variant_facts&);

/// Two points of an operation that run at the same axes and differ in one switch alone: what the switch is
/// worth can be measured there.
struct point_pair {
  std::string differs_in;
  const variant_facts *one, *other;
};

/// All such pairs, in the order of points_of.
std::vector<point_pair> pairs_of(const operation&);

}  // namespace ABLATE_ABI
