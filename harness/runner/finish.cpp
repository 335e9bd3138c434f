#include "harness/runner/finish.h"

#include <map>
#include <string>
#include <vector>

#include "reports/record/merge.h"
#include "reports/record/writer.h"
#include "reports/text/bad_input.h"

namespace ablate {

using nlohmann::ordered_json;

namespace {

/// What one specimen did.
struct specimen_part {
  std::vector<ordered_json> benchmarks, unmeasured;
};

/// A part's context: what the newest run says of itself, and what the part's own says of device and time.
ordered_json context_of_part(const journal_contents& from, const std::string& specimen) {
  const auto own = from.contexts.find(specimen);
  if (own == from.contexts.end()) return from.context;
  ordered_json context = own->second;
  const ordered_json& facts = from.context.at("ablate");
  for (const char* key : {"suite", "seed", "settings", "shard", "operations", "kernels", "counters"})
    if (facts.contains(key)) context["ablate"][key] = facts[key];
  return context;
}

/// The record of a run that went on on another device.
ordered_json record_of_parts(const journal_contents& from, std::map<std::string, specimen_part>& parts,
                             const std::string& journal) {
  std::vector<merge_input> inputs;
  for (auto& [specimen, of] : parts) {
    inputs.push_back({journal, formed_record(context_of_part(from, specimen), std::move(of.benchmarks),
                                             std::move(of.unmeasured))});
  }
  std::vector<std::string> order;
  for (const ordered_json& planned : from.planned) order.push_back(planned.at("case").at("name"));
  return merged_record(std::move(inputs), {}, order);
}

}  // namespace

finished_run finish_run(const journal_contents& from, const std::filesystem::path& journal,
                        const std::filesystem::path& record) {
  if (from.context.is_null())
    throw bad_input(journal.string(), "", "expected a run that came as far as its device, found none");
  if (from.planned.empty() && !from.entries.empty())
    throw bad_input(journal.string(), "",
                    "expected the cases that the run planned, found none; an older version wrote it");
  finished_run out;
  std::map<std::string, specimen_part> parts;
  std::set<std::string> names;
  std::string newest;
  for (const auto& [specimen, context] : from.contexts)
    if (context == from.context) newest = specimen;
  for (const ordered_json& planned : from.planned) {
    const auto ended = from.entries.find(planned.at("key").get<std::string>());
    const ordered_json& entry = ended == from.entries.end() ? planned.at("case") : ended->second;
    out.statuses.insert(entry.at("status").get<std::string>());
    specimen_part& to = parts[specimen_in(entry, newest)];
    (entry.contains("time_us") ? to.benchmarks : to.unmeasured).push_back(entry);
    if (names.insert(entry.at("name").get<std::string>()).second) {
      ++out.cases;
      out.measured += entry.contains("time_us") ? 1 : 0;
    }
  }
  if (parts.size() > 1) {
    write_formed_record(record, record_of_parts(from, parts, journal.string()));
    return out;
  }
  const std::string on = parts.empty() ? newest : parts.begin()->first;
  specimen_part& only = parts[on];
  write_record(record, context_of_part(from, on), std::move(only.benchmarks), std::move(only.unmeasured));
  return out;
}

}  // namespace ablate
