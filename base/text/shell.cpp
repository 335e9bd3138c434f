#include "base/text/shell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace ablate::reports {
namespace {

bool is_utf8(std::string_view text) {
  using handler = nlohmann::json::error_handler_t;
  const nlohmann::json json = text;
  return json.dump(-1, ' ', false, handler::ignore) == json.dump(-1, ' ', false, handler::replace);
}

/// "$(printf 'caf\351')": text that is ASCII, and that every shell takes for these bytes.
std::string printed(std::string_view word) {
  std::string out;
  for (const unsigned char c : word)
    out += std::isalnum(c) ? std::string(1, static_cast<char>(c)) : fmt::format("\\{:03o}", c);
  return "\"$(printf '" + out + "')\"";
}

}  // namespace

std::string shell_word(std::string_view word) {
  const auto means_itself = [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_@%+=:,./-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), means_itself)) return std::string(word);
  if (!is_utf8(word)) return printed(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::vector<std::string> first_command(std::string_view line) {
  std::vector<std::string> out;
  std::string word;
  bool open = false, quoted = false;
  const auto close = [&] {
    if (open) out.push_back(word);
    word.clear();
    open = false;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\'') {
      quoted = !quoted;
      open = true;
    } else if (!quoted && c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      open = true;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\n')) {
      close();
    } else if (!quoted && (c == '&' || c == ';' || c == '|')) {
      break;
    } else {
      word += c;
      open = true;
    }
  }
  close();
  return out;
}

}  // namespace ablate::reports
