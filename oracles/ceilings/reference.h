#pragma once

#include <cstdint>

#include "kernels/ceilings/ceilings.h"

namespace ablate::ceilings {

/// The sector that a sample of changed memory is taken from.
std::int64_t sampled_sector(const problem&, std::int64_t sample);

std::uint32_t sector_of(std::uint32_t access, int sector_bits);
/// The first access that goes to a sector: the inverse of sector_of.
std::uint32_t first_access_of(std::uint32_t sector, int sector_bits);
std::uint64_t word_at(std::uint64_t index);

/// The oracle, into host buffers of the same shapes. Needs no `memory`.
void reference(const problem&, const void* in, void* out);

}  // namespace ablate::ceilings
