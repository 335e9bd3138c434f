#include "reports/gate/noise_floors.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/facts.h"
#include "base/record/identity.h"
#include "base/record/old_names.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"

namespace ablate::gate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr const char* schema = "1.1.0";

std::string word_of(const ordered_json& device, const char* key) {
  return reports::fact(device, key).value_or("unknown");
}

}  // namespace

std::optional<double> noise_floors::floor_pct(const std::string& name) const {
  const auto found = cases.find(name);
  return found == cases.end() ? std::nullopt : std::optional(found->second.floor_pct);
}

ordered_json to_json(const noise_floors& of) {
  ordered_json out{{"floors_schema", schema},
                   {"date", of.date},
                   {"policy", of.policy},
                   {"suite", {{"name", of.suite}, {"hash", of.suite_hash}}},
                   {"fingerprint", of.fingerprint},
                   {"device", of.device},
                   {"sources", {of.sources.first, of.sources.second}},
                   {"builds", of.builds},
                   {"runs", of.runs},
                   {"pairs", of.pairs},
                   {"cases", ordered_json::object()},
                   {"counter_bands_pct", of.counter_bands_pct}};
  for (const auto& [name, c] : of.cases)
    out["cases"][name] = {{"floor_pct", c.floor_pct}, {"baseline_us", c.baseline_us}, {"effects", c.effects}};
  return out;
}

noise_floors read_floors(const std::filesystem::path& path) {
  const ordered_json json = reports::parse_json_file(path);
  const std::string file = path.string();
  const json_place root(json, file);
  const json_place version = root.at("floors_schema");
  if (!version.text().starts_with("1."))
    version.refuse(fmt::format("expected noise floors of schema 1.x.y, found '{}'", version.text()));
  noise_floors out;
  out.path = path;
  out.date = root.at("date").text();
  out.policy = root.at("policy").text();
  out.suite = root.at("suite").at("name").text();
  out.suite_hash = root.at("suite").at("hash").text();
  out.fingerprint = root.at("fingerprint").text();
  out.device = root.at("device").json();
  const auto sources = root.at("sources").elements();
  if (sources.size() != 2) root.at("sources").refuse("expected the hashes of two builds' sources");
  out.sources = {sources[0].text(), sources[1].text()};
  // Floors of schema 1.0 are of two builds.
  if (const auto builds = root.find("builds")) out.builds = static_cast<std::size_t>(builds->count());
  out.runs = static_cast<std::size_t>(root.at("runs").count());
  out.pairs = static_cast<std::size_t>(root.at("pairs").count());
  for (const auto& [name, c] : root.at("cases").members()) {
    noise_floors::case_floor& to = out.cases[old_names::known().todays_id(name)];
    to.floor_pct = c.at("floor_pct").not_negative();
    to.baseline_us = c.at("baseline_us").positive();
    for (const json_place& effect : c.at("effects").elements()) to.effects.push_back(effect.number());
  }
  for (const auto& [name, counters] : root.at("counter_bands_pct").members())
    for (const auto& [counter, band] : counters.members())
      out.counter_bands_pct[old_names::known().todays_id(name)][counter] = band.not_negative();
  return out;
}

std::vector<std::string> check_floors(const noise_floors& floors, const record& r, const gate_policy& policy,
                                      const std::vector<std::string>& cases) {
  if (const std::string here = history::device_fingerprint(r); here != floors.fingerprint)
    throw bad_input(floors.path.string(), "/fingerprint",
                    fmt::format("expected noise floors of this device ({}), found those of another ({})",
                                here, floors.fingerprint));
  std::vector<std::string> notes;
  const gate_policy::calibration_rules& wanted = policy.calibration;
  if (floors.runs < wanted.runs || floors.pairs < wanted.pairs)
    notes.push_back(fmt::format("The noise floors rest on {} runs of {} pairs; the policy requires {} of {}.",
                                floors.runs, floors.pairs, wanted.runs, wanted.pairs));
  if (floors.builds < wanted.builds)
    notes.push_back(
        fmt::format("The noise floors rest on {} builds; the policy requires {}: another link order alone "
                    "may be SLOWER here.",
                    floors.builds, wanted.builds));
  const auto without = std::count_if(cases.begin(), cases.end(),
                                     [&](const std::string& name) { return !floors.cases.contains(name); });
  if (without > 0)
    notes.push_back(fmt::format("{} of {} cases have no noise floor: delta is the policy's minimum there.",
                                without, cases.size()));
  for (const auto& [key, name] : {std::pair("driver", "driver"), std::pair("uuid", "specimen")})
    if (const auto of_floors = word_of(floors.device, key), of_record = word_of(r.device, key);
        of_floors != of_record)
      notes.push_back(fmt::format("The noise floors were calibrated with another {} ({}; here {}).", name,
                                  of_floors, of_record));
  if (floors.suite_hash != r.suite_hash)
    notes.push_back("The suite changed since the noise floors were calibrated.");
  if (floors.policy != policy.name)
    notes.push_back(fmt::format("The noise floors were calibrated under the policy '{}'.", floors.policy));
  return notes;
}

}  // namespace ablate::gate
