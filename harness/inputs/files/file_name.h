#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>

namespace ablate {

inline std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether the file's name ends in `extension` (in lower case, with its dots), in any case.
inline bool ends_in(const std::filesystem::path& path, std::string_view extension) {
  return in_lower_case(path.filename().string()).ends_with(extension);
}

}  // namespace ablate
