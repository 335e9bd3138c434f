#pragma once

#include <string>
#include <vector>

#include "kernels/ceilings/ceilings.h"

namespace ablate::ceilings {

/// A word of the axis `resource`: the resource to saturate and, for reductions, the operand.
struct named_resource {
  const char* word;
  resource what;
  operand reduced = operand::int32;
};

std::vector<std::string> resource_words();
const named_resource& parse(const std::string& word);

bool spreads_over_footprint(resource what);
bool adds_to_memory(resource what);

/// For resources with a fixed size.
constexpr const char* own_footprint = "fixed";

/// Words of the axis `footprint`.
std::vector<std::string> footprint_words();

/// log2 of a footprint's number of sectors; any other word means the smallest footprint.
int sector_bits_of(const std::string& footprint);

}  // namespace ablate::ceilings
