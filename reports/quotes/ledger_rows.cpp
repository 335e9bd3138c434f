#include "reports/quotes/ledger_rows.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "reports/text/bad_input.h"

namespace ablate::reports {
namespace {

constexpr const char* counts_header = "| source |";
constexpr const char* ledger_link = "](claims/";
constexpr const char* document_link = "](results/h200/claims/";

/// The claim that a row is about: "| [id](claims/list.md#id) | …".
std::optional<std::string> id_of(const std::string& row, const std::string& link) {
  const std::size_t end = row.find(link);
  if (!row.starts_with("| [") || end == row.npos || row.find(']') != end) return std::nullopt;
  return row.substr(3, end - 3);
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> out;
  for (std::size_t at = 2, end; (end = row.find(" |", at)) != row.npos; at = end + 3)
    out.push_back(row.substr(at, end - at));
  return out;
}

struct quoted_ledger {
  std::string counts;
  std::map<std::string, std::string> rows;  ///< by claim id, as in the document
};

/// Its rows have the cells claim, statement, about, verdict, figure, expected and more.
quoted_ledger read_ledger(const std::string& text) {
  quoted_ledger out;
  std::istringstream in(text);
  bool in_counts = false, had_counts = false;
  for (std::string line; std::getline(in, line);) {
    in_counts = line.starts_with("|") && (in_counts || (!had_counts && line.starts_with(counts_header)));
    had_counts |= in_counts;
    if (in_counts) out.counts += line + "\n";
    const auto id = id_of(line, ledger_link);
    const std::vector<std::string> cells = cells_of(line);
    if (!id || cells.size() < 6) continue;
    std::string link = cells[0];
    link.replace(link.find(ledger_link), std::string(ledger_link).size(), document_link);
    out.rows.emplace(
        *id, fmt::format("| {} | {} | {} | {} | {} |\n", link, cells[1], cells[3], cells[4], cells[5]));
  }
  return out;
}

std::string without_digits(std::string text) {
  for (char& c : text)
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) c = '#';
  return text;
}

}  // namespace

std::string with_ledger_rows(const std::string& document, const std::string& ledger, const std::string& name,
                             bool is_bare) {
  const quoted_ledger quoted = read_ledger(ledger);
  const auto shown = [&](const std::string& text) { return is_bare ? without_digits(text) : text; };
  std::istringstream in(document);
  std::string out;
  bool in_counts = false;
  std::size_t number = 1;
  for (std::string line; std::getline(in, line); ++number) {
    const bool begins = line.starts_with(counts_header);
    in_counts = begins || (in_counts && line.starts_with("|"));
    if (begins) out += shown(quoted.counts);
    if (in_counts) continue;
    const auto id = id_of(line, document_link);
    if (!id) {
      out += line + "\n";
      continue;
    }
    const auto row = quoted.rows.find(*id);
    if (row == quoted.rows.end())
      throw bad_input(name, fmt::format("line {}", number), "the ledger has no claim '" + *id + "'");
    out += shown(row->second);
  }
  return out;
}

}  // namespace ablate::reports
