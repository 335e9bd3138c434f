#include "base/text/markdown_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text/text_file.h"

namespace ablate::reports {
namespace {

constexpr std::array<std::string_view, 4> own_tags = {"<details>", "</details>", "<summary>", "</summary>"};

std::size_t backticks_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] == '`') ++end;
  return end - at;
}

/// Where the code that begins with `ticks` backticks before `from` ends, after its closing backticks.
std::size_t end_of_code(std::string_view text, std::size_t from, std::size_t ticks) {
  for (std::size_t at = from; at < text.size();) {
    const std::size_t here = backticks_at(text, at);
    if (here == ticks) return at + here;
    at += std::max<std::size_t>(here, 1);
  }
  return std::string_view::npos;
}

/// "a < b" and "<=" are text.
bool begins_html(std::string_view text) {
  return text.size() > 1 && text[0] == '<' &&
         (std::isalpha(static_cast<unsigned char>(text[1])) ||
          std::string_view("/!?").find(text[1]) != std::string_view::npos);
}

/// Whether "](" is followed by a scheme other than http, https and mailto: "javascript:", "data:".
bool is_foreign_link(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("](")) return false;
  std::string target;
  for (const char c : text.substr(at + 2, text.find_first_of(")/", at + 2) - at - 2))
    if (!std::isspace(static_cast<unsigned char>(c)) && c != '<')
      target += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t colon = target.find_first_of(":&");
  if (colon == std::string::npos || target.find('#') < colon) return false;
  const std::string scheme = target.substr(0, colon);
  return scheme != "http" && scheme != "https" && scheme != "mailto";
}

/// Code does not reach from one cell of a table into the next, nor from one line into another.
void add_segment(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\\') {  // the next character is text
      out += text.substr(i, 2);
      i += 2;
    } else if (text[i] == '`') {
      const std::size_t ticks = backticks_at(text, i), end = end_of_code(text, i + ticks, ticks);
      if (end != std::string_view::npos) {
        out += text.substr(i, end - i);
        i = end;
      } else {
        for (std::size_t tick = 0; tick < ticks; ++tick) out += "\\`";
        i += ticks;
      }
    } else if (begins_html(text.substr(i))) {
      const auto own = std::find_if(own_tags.begin(), own_tags.end(),
                                    [&](std::string_view tag) { return text.substr(i).starts_with(tag); });
      out += own == own_tags.end() ? "&lt;" : *own;
      i += own == own_tags.end() ? 1 : own->size();
    } else if (is_foreign_link(text, i)) {
      out += "\\]";
      ++i;
    } else {
      out += text[i++];
    }
  }
}

void add_table_line(std::string& out, std::string_view line) {
  for (std::size_t from = 0; from < line.size();) {
    std::size_t bar = from;
    while (bar < line.size() && line[bar] != '|') bar += line[bar] == '\\' ? 2 : 1;
    bar = std::min(bar, line.size());
    add_segment(out, line.substr(from, bar - from));
    if (bar < line.size()) out += '|';
    from = bar + 1;
  }
}

}  // namespace

std::string safe_markdown(std::string_view document) {
  std::string out;
  out.reserve(document.size() + document.size() / 64);
  bool in_fence = false;
  for (std::size_t from = 0; from < document.size();) {
    const std::size_t end = std::min(document.find('\n', from), document.size());
    const std::string_view line = document.substr(from, end - from);
    const bool is_fence = line.starts_with("```");
    if (is_fence || in_fence)
      out += line;
    else if (line.starts_with('|'))
      add_table_line(out, line);
    else
      add_segment(out, line);
    in_fence = in_fence != is_fence;
    if (end < document.size()) out += '\n';
    from = end + 1;
  }
  return out;
}

void write_markdown_file(const std::filesystem::path& path, std::string_view document) {
  write_text_file(path, safe_markdown(document));
}

}  // namespace ablate::reports
