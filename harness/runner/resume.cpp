#include "harness/runner/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/record/case_json.h"
#include "base/text/bad_input.h"
#include "harness/build_facts.h"
#include "harness/runner/measured_entry.h"
#include "harness/runner/run_identity.h"

namespace ablate {

namespace {

using specimens = std::set<std::string>;

/// Each case's entry in the record if the run does not reach it.
std::vector<planned_entry> plan_of(const std::vector<keyed_case>& cases) {
  std::vector<planned_entry> plan;
  for (const keyed_case& c : cases)
    plan.push_back({c.key, to_json(unmeasured_entry(c.spec, "interrupted", "the run ended before this case")),
                    c.replica > 1 ? std::optional(c.replica) : std::nullopt});
  return plan;
}

/// Whether a retry may succeed: the file may exist by then, memory be free, the device work.
bool is_worth_another_try(const nlohmann::ordered_json& entry) {
  const std::string status = entry.at("status");
  return status == "failed" || status == "out_of_memory" || status == "input_missing";
}

/// The bundle of a case, in one of its replicas.
using bundle_key = std::pair<std::size_t, long>;
bundle_key bundle_of(const keyed_case& c) { return {c.bundle, c.replica}; }

/// Each case's bundle is on one specimen: one begun on another and left, or to be mended, is measured again.
class bundle_state {
 public:
  void add(const nlohmann::ordered_json* kept) {
    whole_ &= kept != nullptr;
    if (kept) specimens_.insert(specimen_in(*kept, ""));
  }
  bool must_begin_anew(const specimens& here) const {
    if (specimens_.empty() || (whole_ && specimens_.size() == 1)) return false;
    return specimens_.size() > 1 || !here.contains(*specimens_.begin());
  }

 private:
  bool whole_ = true;
  specimens specimens_;
};

/// The journalled cases of this run that must run again.
std::set<std::string> to_run_again(const std::vector<keyed_case>& cases, const journal_contents& before,
                                   const specimens& here, bool tries_failed_again) {
  std::map<bundle_key, bundle_state> bundles;
  std::set<std::string> keys;
  for (const keyed_case& c : cases) {
    const auto found = before.entries.find(c.key);
    const bool is_kept =
        found != before.entries.end() && (!tries_failed_again || !is_worth_another_try(found->second));
    if (found != before.entries.end() && !is_kept) keys.insert(c.key);
    // A calibration's key names its specimen.
    if (c.spec.ceiling.empty()) bundles[bundle_of(c)].add(is_kept ? &found->second : nullptr);
  }
  for (const keyed_case& c : cases)
    if (c.spec.ceiling.empty() && before.entries.contains(c.key) &&
        bundles.at(bundle_of(c)).must_begin_anew(here))
      keys.insert(c.key);
  return keys;
}

/// Marks the cases that stay, and gives each bundle that has some to the specimen that they are on.
void mark_done(std::vector<keyed_case>& cases, const journal_contents& before,
               const std::set<std::string>& again) {
  std::map<bundle_key, std::string> of_bundle;
  for (keyed_case& c : cases) {
    const auto found = before.entries.find(c.key);
    c.is_done = found != before.entries.end() && !again.contains(c.key);
    if (c.is_done && c.spec.ceiling.empty()) of_bundle[bundle_of(c)] = specimen_in(found->second, "");
  }
  for (keyed_case& c : cases)
    if (const auto found = of_bundle.find(bundle_of(c)); c.spec.ceiling.empty() && found != of_bundle.end())
      c.specimen = found->second;
}

/// The specimens of the cases that stay.
specimens kept_specimens(const std::vector<keyed_case>& cases) {
  specimens out;
  for (const keyed_case& c : cases)
    if (c.is_done) out.insert(c.specimen);
  return out;
}

/// The calibrations that other specimens left, for the floors of their cases.
std::vector<keyed_case> calibrations_of(const specimens& others, const std::vector<keyed_case>& cases,
                                        const case_keys& keys, const journal_contents& before) {
  std::vector<keyed_case> out;
  std::set<std::string> seen;
  for (const std::string& specimen : others)
    for (const keyed_case& c : cases) {
      if (c.spec.ceiling.empty()) continue;
      keyed_case there = c;
      there.key = keys.of(c.spec, specimen);
      if (before.entries.contains(there.key) && seen.insert(there.key).second)
        out.push_back(std::move(there));
    }
  return out;
}

/// A record covers one kind of device, driver and build: results from others cannot go into it.
void require_same_identity(const journal_contents& before, const nlohmann::ordered_json& identity,
                           const std::string& journal) {
  if (before.entries.empty()) return;
  const std::string differing = differences(before.identity, identity);
  if (!differing.empty())
    throw bad_input(journal, "",
                    fmt::format("cannot be resumed here: it was written by {}; expected another --out, or "
                                "its record first (`{} dev record`)",
                                differing, this_build().program));
}

void require_finished(const journal_contents& before, const std::string& journal) {
  if (!before.is_unfinished()) return;
  const std::string how_far =
      before.planned.empty() ? fmt::format("{} cases", before.entries.size())
                             : fmt::format("{} of {} cases", before.ended_cases(), before.planned.size());
  throw bad_input(journal, "",
                  fmt::format("contains an unfinished run ({}); expected --resume to continue it, another "
                              "--out, or its removal",
                              how_far));
}

void require_no_record(const std::filesystem::path& folder) {
  const std::filesystem::path record = folder / "record.json";
  if (std::filesystem::exists(record))
    throw bad_input(record.string(), "",
                    "is of a finished run; expected another --out, --resume to keep what it measured, or "
                    "--overwrite to measure all of it again");
}

/// Calibrations are for the cases that are measured beside them: where all stay on other devices, none run.
void drop_idle_calibrations(std::vector<keyed_case>& cases, const specimens& kept) {
  const bool is_idle = std::all_of(cases.begin(), cases.end(),
                                   [](const keyed_case& c) { return !c.spec.ceiling.empty() || c.is_done; });
  if (is_idle && !kept.empty())
    std::erase_if(cases,
                  [&](const keyed_case& c) { return !c.spec.ceiling.empty() && !kept.contains(c.specimen); });
}

/// What a resumed run says at its start.
void print_resumed(const std::vector<keyed_case>& cases, const specimens& others, std::size_t again) {
  const auto done = std::count_if(cases.begin(), cases.end(), [](const keyed_case& c) { return c.is_done; });
  if (done == 0) return;
  fmt::print(stderr, "Resuming: {} of {} cases are done{}{}.\n", done, cases.size(),
             others.empty() ? "" : fmt::format(", some of them on {}", fmt::join(others, ", ")),
             again == 0 ? ""
                        : fmt::format("; {} run again: they failed, ran out of memory, lacked their input, "
                                      "or were in a bundle that was not finished on another device",
                                      again));
}

}  // namespace

std::unique_ptr<journal> begin_journal(const run_options& options,
                                       const std::vector<device_identity>& devices, const case_keys& keys,
                                       std::vector<keyed_case>& cases) {
  const std::filesystem::path path = options.out / "journal.jsonl";
  specimens here;
  for (const device_identity& device : devices) here.insert(specimen_of(device));
  // No error: a job that a scheduler starts again says --resume the first time, too.
  if (options.resume && !std::filesystem::exists(path))
    fmt::print(stderr, "Nothing to resume in {}: starting with the first case.\n", options.out.string());
  std::filesystem::create_directories(options.out);
  auto out = std::make_unique<journal>(path);
  journal_contents before = out->read();
  const nlohmann::ordered_json identity = identity_of_run(devices);
  if (options.resume) {
    require_same_identity(before, identity, path.string());
    out->take_in_workers();
  } else {
    require_finished(before, path.string());
    if (options.keeps_finished) require_no_record(options.out);
    out->take_in_workers();
    out->clear();
    before = {};
  }
  const std::set<std::string> again = to_run_again(cases, before, here, options.tries_failed_again);
  mark_done(cases, before, again);
  const specimens kept = kept_specimens(cases);
  specimens others = kept;
  for (const std::string& specimen : here) others.erase(specimen);
  std::vector<keyed_case> planned = calibrations_of(others, cases, keys, before);
  drop_idle_calibrations(cases, kept);
  planned.insert(planned.end(), cases.begin(), cases.end());
  out->write_begin(identity, plan_of(planned), again);
  print_resumed(cases, others, again.size());
  return out;
}

}  // namespace ablate
