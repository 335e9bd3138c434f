#include "reports/shell.h"

#include <algorithm>
#include <cctype>

namespace ablate::reports {

std::string shell_word(std::string_view word) {
  const auto means_itself = [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_@%+=:,./-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), means_itself)) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace ablate::reports
