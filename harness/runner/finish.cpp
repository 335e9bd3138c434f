#include "harness/runner/finish.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/record/merge.h"
#include "base/record/upgrade.h"
#include "base/record/writer.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"

namespace ablate {

using nlohmann::ordered_json;

namespace {

/// What one specimen did.
struct specimen_part {
  std::vector<ordered_json> benchmarks, unmeasured;
};

/// As this version has it, whichever wrote the journal.
record read_part(const ordered_json& context, const specimen_part& of, const std::string& journal) {
  ordered_json json = {{"context", context}, {"benchmarks", of.benchmarks}, {"unmeasured", of.unmeasured}};
  reports::upgrade(json, journal);
  record out{};
  from_json(reports::json_place(json, journal), out);
  return out;
}

using parts_of_run = std::map<std::string, specimen_part>;

/// A part's record: what the newest run says of itself, and what the part's own says of device and time.
record record_of_part(const journal_contents& from, const parts_of_run::value_type& part,
                      const std::string& journal) {
  record out = read_part(from.context, part.second, journal);
  const auto context = from.contexts.find(part.first);
  if (context == from.contexts.end()) return out;
  const record own = read_part(context->second, {}, journal);
  out.date = own.date;
  out.benchmark = own.benchmark;
  out.command = own.command;
  out.build = own.build;
  out.host = own.host;
  out.device = own.device;
  out.evidence = own.evidence;
  out.specimen = own.specimen;
  out.worker = own.worker;
  if (out.worker && from.neighbors) out.worker->neighbors = from.neighbors;
  return out;
}

/// One record of what several devices measured. They are of one kind, but their settings may differ.
record record_of_parts(const journal_contents& from, const parts_of_run& parts, const std::string& journal,
                       const std::vector<std::string>& order) {
  std::vector<merge_input> inputs;
  for (const auto& part : parts)
    inputs.push_back({journal, formed_record(record_of_part(from, part, journal))});
  return merged_record(std::move(inputs), {merge_difference::device}, order);
}

void write_parts(const journal_contents& from, const parts_of_run& parts, const std::string& newest,
                 const std::string& journal, const std::vector<std::string>& order,
                 const std::filesystem::path& record) {
  if (parts.size() > 1) return write_formed_record(record, record_of_parts(from, parts, journal, order));
  const parts_of_run::value_type none(newest, {});
  write_record(record, record_of_part(from, parts.empty() ? none : *parts.begin(), journal));
}

long replica_of(const planned_entry& planned) { return planned.replica.value_or(1); }

/// Calibrations are in the record of every replica: they are what its ceilings come from.
bool is_in(const planned_entry& planned, long replica) {
  return replica_of(planned) == replica || planned.is.contains("ceiling");
}

/// The cases that ended, on whichever device; a calibration is planned on each.
std::set<std::string> ended_names(const journal_contents& from, long replica) {
  std::set<std::string> out;
  for (const planned_entry& planned : from.planned)
    if (is_in(planned, replica) && from.entries.contains(planned.key))
      out.insert(planned.is.at("name").get<std::string>());
  return out;
}

void write_replica(const journal_contents& from, long replica, const std::string& newest,
                   const std::filesystem::path& journal, const std::filesystem::path& record,
                   finished_run& out) {
  parts_of_run parts;
  std::vector<std::string> order;
  const std::set<std::string> ended_somewhere = ended_names(from, replica);
  std::set<std::string> names;
  for (const planned_entry& planned : from.planned) {
    if (!is_in(planned, replica)) continue;
    const ordered_json& is = planned.is;
    const auto name = is.at("name").get<std::string>();
    const auto ended = from.entries.find(planned.key);
    const bool is_new = names.insert(name).second;
    // A calibration that one device did not reach is that of another.
    if (ended == from.entries.end() && (ended_somewhere.contains(name) || !is_new)) continue;
    const ordered_json& entry = ended == from.entries.end() ? is : ended->second;
    order.push_back(name);
    specimen_part& to = parts[specimen_in(entry, newest)];
    (entry.contains("time_us") ? to.benchmarks : to.unmeasured).push_back(entry);
    if (replica_of(planned) != replica) continue;
    out.statuses.insert(entry.at("status").get<std::string>());
    if (is_new) {
      ++out.cases;
      out.measured += entry.contains("time_us") ? 1 : 0;
    }
    if (is.contains("ceiling")) continue;
    ++out.asked;
    if (entry.contains("time_us")) continue;
    ++out.unmeasured;
    out.statuses_of_unmeasured.insert(entry.at("status").get<std::string>());
  }
  write_parts(from, parts, newest, journal.string(), order, record);
}

}  // namespace

finished_run finish_run(const journal_contents& from, const std::filesystem::path& journal,
                        const std::filesystem::path& record) {
  if (from.context.is_null())
    throw bad_input(journal.string(), "", "expected a run that got as far as its device, found none");
  if (from.planned.empty() && !from.entries.empty())
    throw bad_input(journal.string(), "",
                    "expected the cases that the run planned, found none; an older version wrote it");
  std::string newest;
  for (const auto& [specimen, context] : from.contexts)
    if (context == from.context) newest = specimen;
  std::set<long> replicas = {1};
  for (const planned_entry& planned : from.planned) replicas.insert(replica_of(planned));
  finished_run out;
  for (const long replica : replicas) {
    const std::filesystem::path file =
        replica == 1 ? record : record.parent_path() / fmt::format("replica-{}", replica) / record.filename();
    write_replica(from, replica, newest, journal, file, out);
  }
  return out;
}

}  // namespace ablate
