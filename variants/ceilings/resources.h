#pragma once

#include <string>
#include <vector>

#include "kernels/ceilings/ceilings.h"

namespace ablate::ceilings {

/// A word of the axis `resource`: what it drives to its limit and, of reductions, by which operand.
struct named_resource {
  const char* word;
  resource what;
  operand reduced = operand::int32;
};

std::vector<std::string> resource_words();
const named_resource& parse(const std::string& word);

bool spreads_over_footprint(resource what);
bool adds_to_memory(resource what);

/// Of resources that have a size of their own.
constexpr const char* own_footprint = "fixed";

/// Words of the axis `footprint`.
std::vector<std::string> footprint_words();

/// log2 of the sectors of a footprint; of the smallest one for any other word.
int sector_bits_of(const std::string& footprint);

}  // namespace ablate::ceilings
