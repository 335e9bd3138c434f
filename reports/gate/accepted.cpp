#include "reports/gate/accepted.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "base/text/names.h"
#include "reports/gate/static_facts.h"

namespace ablate::gate {
namespace {

using reports::json_place;

std::string day_of(const json_place& at) {
  const std::string text = at.text();
  int year = 0;
  unsigned month = 0, day = 0;
  static const std::regex form("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  if (std::regex_match(text, form)) {
    year = std::stoi(text.substr(0, 4));
    month = static_cast<unsigned>(std::stoi(text.substr(5, 2)));
    day = static_cast<unsigned>(std::stoi(text.substr(8, 2)));
  }
  if (!std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month), std::chrono::day(day))
           .ok())
    at.refuse(fmt::format("expected a day as in 2026-12-31, found '{}'", text));
  return text;
}

/// A case's id says where it runs except for the chip, and a gate has only one; a kernel is compared in
/// several places.
accepted_change change_of(const json_place& at, bool of_cases, const std::vector<std::string>& known,
                          const std::string& where) {
  const char* names = of_cases ? "case" : "kernel";
  std::vector<std::string> keys = {names, "quantity", "reason", "up_to", "until"};
  if (!of_cases) keys.push_back("place");
  at.expect_keys(keys);
  accepted_change out;
  const json_place kernel = at.at(names);
  out.kernel = kernel.text();
  try {
    out.pattern = std::regex(out.kernel);
  } catch (const std::regex_error&) {
    kernel.refuse(fmt::format("expected a regular expression (ECMAScript), found '{}'", out.kernel));
  }
  const json_place quantity = at.at("quantity");
  out.quantity = quantity.text();
  if (std::find(known.begin(), known.end(), out.quantity) == known.end())
    quantity.refuse(no_such("quantity", out.quantity, known));
  const json_place reason = at.at("reason");
  out.reason = reason.text();
  if (out.reason.empty()) reason.refuse("expected why the change is accepted, found an empty text");
  if (const auto place = at.find("place")) out.place = place->text();
  if (const auto up_to = at.find("up_to")) out.up_to = up_to->number();
  if (const auto until = at.find("until")) out.until = day_of(*until);
  out.where = where;
  return out;
}

std::vector<accepted_change> changes_of(const std::filesystem::path& path, bool of_cases,
                                        const std::vector<std::string>& known) {
  const nlohmann::ordered_json json = reports::parse_json_file(path);
  const std::string file = path.string();
  std::vector<accepted_change> out;
  std::size_t index = 0;
  for (const json_place& change : json_place(json, file).at("accepted").elements()) {
    const std::string where = fmt::format("{}: /accepted/{}", file, index++);
    if (change.find("case").has_value() == of_cases) out.push_back(change_of(change, of_cases, known, where));
  }
  return out;
}

}  // namespace

std::vector<accepted_change> read_accepted(const std::filesystem::path& path) {
  return changes_of(path, false, static_quantity_names());
}

std::vector<accepted_change> read_accepted_of_cases(const std::filesystem::path& path,
                                                    const std::vector<std::string>& quantities) {
  return changes_of(path, true, quantities);
}

std::string day_of_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

}  // namespace ablate::gate
