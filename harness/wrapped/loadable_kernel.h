#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/wrapped/kernel_code.h"

namespace ablate::wrapped {

/// A kernel in files of code, one for each architecture or one for several.
struct loadable_kernel {
  std::vector<std::shared_ptr<const kernel_code>> files;
  std::string entry;
};

/// "parameter 2 has 4 bytes, expected 8 for 'out'", or nothing where each has the size of its argument.
struct argument_facts {
  std::string what;  ///< for messages: array 'x', i32 'elements'
  std::size_t bytes = 0;
};
std::optional<std::string> mismatch(std::span<const std::size_t> parameter_bytes,
                                    std::span<const argument_facts> arguments);

/// Why no GPU runs blocks of so many threads, x, y and z; nothing where one may.
std::optional<std::string> why_no_block(std::span<const std::int64_t> threads);

}  // namespace ablate::wrapped
