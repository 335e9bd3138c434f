#include "base/text/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ablate::reports {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](const char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

int significant_decimals(double value) {
  const double magnitude = std::abs(value);
  if (!(magnitude > 0) || !std::isfinite(magnitude)) return 3;
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(magnitude))), 0, 6);
}

std::string significant(double value) { return fmt::format("{:.{}f}", value, significant_decimals(value)); }

std::string plain(double value) {
  return value == std::round(value) ? fmt::format("{:.0f}", value) : significant(value);
}

std::string with_prefix(double value) {
  constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t i = 0;
  while (std::abs(value) >= 999.5 && i + 1 < std::size(prefixes)) {
    value /= 1000;
    ++i;
  }
  return fmt::format("{:.{}f} {}", value, std::clamp(significant_decimals(value) - 1, 0, 2), prefixes[i]);
}

std::string slug(std::string_view text) {
  std::string out;
  for (unsigned char c : text)
    out += std::isalnum(c) || c == '.' || c == '_' ? static_cast<char>(std::tolower(c)) : '-';
  return out;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) {
    out += ' ';
    for (char c : cell) {
      if (c == '|') out += '\\';
      out += c == '\n' ? ' ' : c;
    }
    out += " |";
  }
  return out + "\n";
}

std::string table_header(const std::vector<std::string>& cells, std::size_t left) {
  std::string rule = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) rule += i < left ? " --- |" : " ---: |";
  return table_row(cells) + rule + "\n";
}

std::string columns(const std::vector<std::vector<std::string>>& rows, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - characters(row[i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string short_kernel_name(const std::string& demangled) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  int depth = 0;
  std::size_t begin = 0;
  std::size_t end = demangled.size();
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    if (std::string_view(demangled).substr(i).starts_with(anonymous)) {
      i += anonymous.size() - 1;
      continue;
    }
    const char c = demangled[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth > 0) continue;
    if (c == ' ') begin = i + 1;
    if (c == '(') {
      end = i;
      break;
    }
  }
  return begin < end ? demangled.substr(begin, end - begin) : demangled;
}

}  // namespace ablate::reports
