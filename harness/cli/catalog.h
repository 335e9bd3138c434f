#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text/terminal.h"
#include "harness/device/chip.h"
#include "harness/device/kernel_facts.h"
#include "harness/registry/operation.h"

namespace ablate {

/// What a variant launches at the default axes, or where it applies, as it would on a chip. Throws what keeps
/// that from being known here.
std::vector<kernel_launch> described_launches(const operation&, const variant_facts&, const chip&);

/// Everything that `list` knows: operations with axes and variants (and the kernels that each launches on an
/// H200 at the default axes, or where it applies), chips, and the static facts of every kernel. A build
/// without CUDA has the kernels from the file of the tree that `kernels_from` names; it is null in any other.
nlohmann::ordered_json catalog_json();

/// One operation, with its kernels and their static facts.
nlohmann::ordered_json catalog_json(const operation&);

/// A line an operation, and the chips, for people.
std::string catalog_text(const reports::terminal&);

/// The space of an operation's switches in a screen: axes, switches with their values, variants.
std::string space_catalog_text(const operation&, const reports::terminal&);

/// All pairs of points that differ in this switch alone. Throws bad_input where the operation has no such
/// switch.
std::string pairs_text(const operation&, const std::string& of_switch, const reports::terminal&);

/// An operation's axes, its variants with their switches, what each means, and what each variant launches.
std::string catalog_text(const operation&, const reports::terminal&);

/// Axes and variants of every operation, and the chips.
std::string whole_catalog_text(const reports::terminal&);

}  // namespace ablate
