#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/serialize/serialize.h"

namespace ablate::serialize {

/// Working memory of the variants, in one buffer.
struct scratch {
  std::uint64_t* words;           ///< [curves][points]: to be sorted, unless the keys are
  std::uint64_t* sorted;          ///< [curves][points]
  std::byte* numbers;             ///< index [curves][points]: each point's own number
  std::byte* temporary;           ///< [temporary_bytes]: for CUB's algorithms
  std::uint32_t* first_slot;      ///< [instances]
  std::uint32_t* first_sequence;  ///< [instances]
  std::size_t temporary_bytes;
  std::size_t bytes;

  explicit scratch(const problem&);
};

}  // namespace ablate::serialize
