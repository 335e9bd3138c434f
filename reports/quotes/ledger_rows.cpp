#include "reports/quotes/ledger_rows.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/text/bad_input.h"

namespace ablate::reports {
namespace {

constexpr const char* counts_header = "| source |";

struct claim_link {
  std::string id;
  std::string folder;  ///< of claims/, from where the row is: "results/h200/", or nothing in the ledger
};

/// The claim that a row is about: "| [id](folder/claims/list.md#id) | …". By hand: what std::regex needs of
/// the stack grows with the line.
std::optional<claim_link> claim_of(const std::string& row) {
  constexpr std::string_view claims = "claims/";
  if (!row.starts_with("| [")) return std::nullopt;
  const std::size_t id_end = row.find(']'), link_end = row.find(") |");
  if (link_end == row.npos || row.compare(id_end, 2, "](") != 0) return std::nullopt;
  const std::string link = row.substr(id_end + 2, link_end - id_end - 2);
  const std::size_t anchor = link.find('#');
  if (anchor == link.npos || link.find_first_of(" )") != link.npos) return std::nullopt;
  const std::string file = link.substr(0, anchor);
  const std::size_t name = file.rfind('/') + 1, at = name - claims.size();
  if (name < claims.size() || file.compare(at, claims.size(), claims) != 0 || !file.ends_with(".md"))
    return std::nullopt;
  if (at > 0 && file[at - 1] != '/') return std::nullopt;
  return claim_link{row.substr(3, id_end - 3), file.substr(0, at)};
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> out;
  for (std::size_t at = 2, end; (end = row.find(" |", at)) != row.npos; at = end + 3)
    out.push_back(row.substr(at, end - at));
  return out;
}

struct quoted_ledger {
  std::string counts;
  std::map<std::string, std::vector<std::string>> cells;  ///< of the claims' rows, by id
};

/// A claim's row of the ledger as it is quoted, with its link led from another folder.
std::string quoted_row(const std::vector<std::string>& cells, const std::string& folder) {
  const std::size_t path = cells[0].find("](") + 2;
  return fmt::format("| {}{}{} | {} | {} | {} | {} |\n", cells[0].substr(0, path), folder,
                     cells[0].substr(path), cells[1], cells[3], cells[4], cells[5]);
}

/// Its rows have the cells claim, statement, about, verdict, figure, expected and more.
quoted_ledger read_ledger(const std::string& text) {
  quoted_ledger out;
  std::istringstream in(text);
  bool in_counts = false, had_counts = false;
  for (std::string line; std::getline(in, line);) {
    in_counts = line.starts_with("|") && (in_counts || (!had_counts && line.starts_with(counts_header)));
    had_counts |= in_counts;
    if (in_counts) out.counts += line + "\n";
    const auto claim = claim_of(line);
    const std::vector<std::string> cells = cells_of(line);
    if (claim && cells.size() >= 6) out.cells.emplace(claim->id, cells);
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
    const auto claim = claim_of(line);
    if (!claim) {
      out += line + "\n";
      continue;
    }
    const auto cells = quoted.cells.find(claim->id);
    if (cells == quoted.cells.end())
      throw bad_input(name, fmt::format("line {}", number), "the ledger has no claim '" + claim->id + "'");
    out += shown(quoted_row(cells->second, claim->folder));
  }
  return out;
}

}  // namespace ablate::reports
