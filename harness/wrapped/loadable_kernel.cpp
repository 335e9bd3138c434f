#include "harness/wrapped/loadable_kernel.h"

#include <fmt/format.h>

namespace ablate::wrapped {

std::optional<std::string> mismatch(std::span<const std::size_t> parameter_bytes,
                                    std::span<const argument_facts> arguments) {
  if (parameter_bytes.size() != arguments.size())
    return fmt::format("it has {} parameters, expected {} for the arguments given", parameter_bytes.size(),
                       arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (parameter_bytes[i] != arguments[i].bytes)
      return fmt::format("parameter {} has {} bytes, expected {} for {}", i, parameter_bytes[i],
                         arguments[i].bytes, arguments[i].what);
  return std::nullopt;
}

std::optional<std::string> why_no_block(std::span<const std::int64_t> threads) {
  constexpr std::int64_t max_threads = 1024, max_in_z = 64;
  std::int64_t all = 1;
  for (const std::int64_t along : threads) {
    if (along < 1 || along > max_threads)
      return fmt::format("a block of {}; expected 1 to {} threads", along, max_threads);
    all *= along;
  }
  if (all > max_threads) return fmt::format("a block of {} threads; expected 1 to {}", all, max_threads);
  if (threads.size() > 2 && threads[2] > max_in_z)
    return fmt::format("a block of {} along z; expected 1 to {}", threads[2], max_in_z);
  return std::nullopt;
}

}  // namespace ablate::wrapped
