#include "harness/wrapped/loadable_kernel.h"

#include <fmt/format.h>

namespace ablate::wrapped {

std::optional<std::string> mismatch(std::span<const std::size_t> parameter_bytes,
                                    std::span<const argument_facts> arguments) {
  if (parameter_bytes.size() != arguments.size())
    return fmt::format("it takes {} parameters, expected {} for the arguments given", parameter_bytes.size(),
                       arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (parameter_bytes[i] != arguments[i].bytes)
      return fmt::format("parameter {} has {} bytes, expected {} for {}", i, parameter_bytes[i],
                         arguments[i].bytes, arguments[i].what);
  return std::nullopt;
}

}  // namespace ablate::wrapped
