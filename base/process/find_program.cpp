#include "base/process/find_program.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ablate::process {

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, end)) / name;
    if (access(candidate.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(candidate)) return candidate;
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return std::nullopt;
}

}  // namespace ablate::process
