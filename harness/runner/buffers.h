#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/registry/operation.h"

namespace ablate {

/// The byte that fills a buffer before each launch, where one does.
std::optional<int> reset_byte(const buffer&);

/// The bytes of all buffers of a case, but for its instruments and what only its check has.
std::size_t footprint(const std::vector<buffer>&);

/// The `memory` of a case's entry in the record: those bytes together and, where there are some, by buffer.
nlohmann::ordered_json memory_json(const std::vector<buffer>&);

/// Host memory for each buffer that a check reads; the others have none.
class host_outputs {
 public:
  explicit host_outputs(const std::vector<buffer>&);
  void* at(std::size_t index) { return storage_[index].data(); }
  /// What workload::check takes: null unless the buffer is an output.
  std::vector<const std::byte*> pointers() const;

  /// Byte by byte.
  bool operator==(const host_outputs&) const = default;
  /// What share of all bytes are not those of `other`, outputs of the same buffers; of no bytes, none.
  double share_unlike(const host_outputs& other) const;

 private:
  std::vector<std::vector<std::byte>> storage_;
};

}  // namespace ablate
