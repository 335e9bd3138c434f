#include "base/text/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>

#include "base/text/text.h"

namespace ablate::reports {
namespace {

constexpr std::size_t gap = 2, narrowest_wrapped_column = 12;

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::size_t terminal_columns(int file) {
  const std::string given = environment_value("COLUMNS");
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), columns);
  if (error == std::errc() && end == given.data() + given.size() && columns > 0) return columns;
  winsize size{};
  return isatty(file) == 1 && ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

terminal terminal_at(int file) {
  return {terminal_columns(file),
          isatty(file) == 1 && environment_value("NO_COLOR").empty() && environment_value("TERM") != "dumb"};
}

/// Where a line of at most `width` characters ends: after the last space that fits, or else after the last
/// separator of a list or an id, or else in the middle of the word. Counts characters, not bytes.
std::size_t line_end(const std::string& text, std::size_t begin, std::size_t width) {
  std::size_t at = begin, after_space = 0, after_mark = 0;
  for (std::size_t used = 0; at < text.size(); ++used) {
    if (used == width) {
      if (text[at] == ' ') return at;
      return after_space > 0 ? after_space : after_mark > 0 ? after_mark : at;
    }
    const char c = text[at++];
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    if (c == ' ') after_space = at;
    if (c == ',' || c == '/' || c == '|') after_mark = at;
  }
  return at;
}

std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  do {
    const std::size_t end = line_end(text, begin, std::max<std::size_t>(width, 1));
    out.push_back(text.substr(begin, end - begin));
    out.back().erase(out.back().find_last_not_of(' ') + 1);
    begin = std::min(text.find_first_not_of(' ', end), text.size());
  } while (begin < text.size());
  return out;
}

bool is_in(const std::vector<std::size_t>& columns, std::size_t column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

/// As wide as the widest cell; those that may wrap are narrowed together to what is left.
std::vector<std::size_t> column_widths(const std::vector<std::vector<terminal_cell>>& rows,
                                       const table_layout& layout, const terminal& on) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters(row[i].text));
  }
  if (on.width == 0 || widths.empty()) return widths;
  const std::size_t gaps = layout.indent.size() + gap * (widths.size() - 1);
  const auto whole = [&] { return std::accumulate(widths.begin(), widths.end(), gaps); };
  while (whole() > on.width) {
    // The widest one gives way, down to the second widest at a time.
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (is_in(layout.wrap, i) && (!widest || widths[i] > *widest)) widest = &widths[i];
    if (!widest || *widest <= narrowest_wrapped_column) return widths;
    std::size_t next = narrowest_wrapped_column;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (is_in(layout.wrap, i) && &widths[i] != widest) next = std::max(next, widths[i]);
    const std::size_t excess = whole() - on.width;
    *widest -= std::min(excess, next < *widest ? *widest - next : 1);
  }
  return widths;
}

}  // namespace

terminal standard_output() { return terminal_at(STDOUT_FILENO); }
terminal standard_error() { return terminal_at(STDERR_FILENO); }

std::string painted(std::string_view text, ink with, const terminal& on) {
  if (!on.color || with == ink::plain || text.empty()) return std::string(text);
  const auto code = [with] {
    switch (with) {
      case ink::strong:
        return "1";
      case ink::good:
        return "1;32";
      case ink::bad:
        return "1;31";
      case ink::doubtful:
        return "33";
      case ink::faint:
        return "2";
      case ink::plain:
        break;
    }
    return "0";
  };
  return fmt::format("\033[{}m{}\033[0m", code(), text);
}

std::string laid_out(const std::vector<std::vector<terminal_cell>>& rows, const table_layout& layout,
                     const terminal& on) {
  const std::vector<std::size_t> widths = column_widths(rows, layout, on);
  std::string out;
  for (const auto& row : rows) {
    std::vector<std::vector<std::string>> lines;
    std::size_t height = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      lines.push_back(is_in(layout.wrap, i) ? lines_of(row[i].text, widths[i])
                                            : std::vector<std::string>{row[i].text});
      height = std::max(height, lines.back().size());
    }
    for (std::size_t y = 0; y < height; ++y) {
      std::string line(layout.indent);
      std::size_t pending = 0;  // spaces that only a further cell makes visible
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string text = y < lines[i].size() ? lines[i][y] : "";
        const std::size_t padding = widths[i] - std::min(widths[i], characters(text));
        const bool at_right = is_in(layout.right, i);
        if (!text.empty())
          line += std::string(pending + (at_right ? padding : 0), ' ') + painted(text, row[i].ink, on);
        pending = (text.empty() ? pending + padding : at_right ? 0 : padding) + gap;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  return out;
}

std::string cut_to(const std::string& text, std::size_t width) {
  if (characters(text) <= width) return text;
  std::size_t at = 0;
  for (std::size_t used = 1; used < width; ++used) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  }
  return text.substr(0, at) + "…";
}

std::string wrapped(const std::string& text, const terminal& on, std::string_view indent) {
  if (on.width == 0 || characters(text) <= on.width) return text + "\n";
  const std::size_t room = on.width > indent.size() ? on.width - indent.size() : 1;
  const std::size_t first = line_end(text, 0, on.width);
  std::string out = text.substr(0, first);
  out.erase(out.find_last_not_of(' ') + 1);
  out += "\n";
  const std::size_t rest = text.find_first_not_of(' ', first);
  if (rest == std::string::npos) return out;
  for (const std::string& line : lines_of(text.substr(rest), room)) out += std::string(indent) + line + "\n";
  return out;
}

}  // namespace ablate::reports
