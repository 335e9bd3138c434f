#include "reports/gate/accepted.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "reports/gate/static_facts.h"
#include "reports/json_place.h"
#include "reports/names.h"

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

accepted_change change_of(const json_place& at, const std::string& file, std::size_t index) {
  const std::vector<std::string> keys = {"kernel", "quantity", "reason", "place", "up_to", "until"};
  for (const auto& [key, value] : at.members())
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) value.refuse(no_such("key", key, keys));
  accepted_change out;
  const json_place kernel = at.at("kernel");
  out.kernel = kernel.text();
  try {
    out.pattern = std::regex(out.kernel);
  } catch (const std::regex_error&) {
    kernel.refuse(fmt::format("expected a regular expression (ECMAScript), found '{}'", out.kernel));
  }
  const json_place quantity = at.at("quantity");
  out.quantity = quantity.text();
  const std::vector<std::string> known = static_quantity_names();
  if (std::find(known.begin(), known.end(), out.quantity) == known.end())
    quantity.refuse(no_such("quantity", out.quantity, known));
  const json_place reason = at.at("reason");
  out.reason = reason.text();
  if (out.reason.empty()) reason.refuse("expected why the change is accepted, found an empty text");
  if (const auto place = at.find("place")) out.place = place->text();
  if (const auto up_to = at.find("up_to")) out.up_to = up_to->number();
  if (const auto until = at.find("until")) out.until = day_of(*until);
  out.where = fmt::format("{}: /accepted/{}", file, index);
  return out;
}

}  // namespace

std::vector<accepted_change> read_accepted(const std::filesystem::path& path) {
  const nlohmann::ordered_json json = reports::parse_json_file(path);
  const std::string file = path.string();
  std::vector<accepted_change> out;
  for (const json_place& change : json_place(json, file).at("accepted").elements())
    out.push_back(change_of(change, file, out.size()));
  return out;
}

std::string day_of_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

}  // namespace ablate::gate
