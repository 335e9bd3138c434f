#include "harness/runner/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "harness/runner/run_identity.h"
#include "reports/text/bad_input.h"

namespace ablate {

namespace {

/// Each case's entry in the record if the run does not reach it.
nlohmann::ordered_json plan_of(const std::vector<keyed_case>& cases) {
  auto plan = nlohmann::ordered_json::array();
  for (const keyed_case& c : cases)
    plan.push_back(
        {{"key", c.key}, {"case", unmeasured_entry(c.is, "interrupted", "the run ended before this case")}});
  return plan;
}

/// Whether a retry may succeed: the file may exist by then, memory be free, the device work.
bool is_worth_another_try(const nlohmann::ordered_json& entry) {
  const std::string status = entry.at("status");
  return status == "failed" || status == "out_of_memory" || status == "input_missing";
}

/// Each case's bundle is on one specimen: one begun on another and left, or to be mended, is measured anew.
class bundle_state {
 public:
  void add(const nlohmann::ordered_json* kept) {
    whole_ &= kept != nullptr;
    if (kept) specimens_.insert(specimen_in(*kept, ""));
  }
  bool must_begin_anew(const std::string& here) const {
    if (specimens_.empty() || (whole_ && specimens_.size() == 1)) return false;
    return specimens_.size() > 1 || *specimens_.begin() != here;
  }

 private:
  bool whole_ = true;
  std::set<std::string> specimens_;
};

/// The journalled cases of this run that must run again.
std::set<std::string> to_run_again(const std::vector<keyed_case>& cases, const journal_contents& before,
                                   const std::string& specimen) {
  std::map<std::size_t, bundle_state> bundles;
  std::set<std::string> keys;
  for (const keyed_case& c : cases) {
    const auto found = before.entries.find(c.key);
    const bool is_kept = found != before.entries.end() && !is_worth_another_try(found->second);
    if (found != before.entries.end() && !is_kept) keys.insert(c.key);
    bundles[c.bundle].add(is_kept ? &found->second : nullptr);
  }
  for (const keyed_case& c : cases)
    if (before.entries.contains(c.key) && bundles.at(c.bundle).must_begin_anew(specimen)) keys.insert(c.key);
  return keys;
}

/// The specimens of the cases that stay, but for the one that goes on.
std::set<std::string> other_specimens(const std::vector<keyed_case>& cases, const journal_contents& before,
                                      const std::set<std::string>& again, const std::string& here) {
  std::set<std::string> out;
  for (const keyed_case& c : cases)
    if (const auto found = before.entries.find(c.key);
        found != before.entries.end() && !again.contains(c.key))
      out.insert(specimen_in(found->second, ""));
  out.erase(here);
  return out;
}

/// The other specimens' calibrations, for the floors of their cases.
std::vector<keyed_case> calibrations_of(const std::set<std::string>& specimens,
                                        const std::vector<keyed_case>& cases, const case_keys& keys) {
  std::vector<keyed_case> out;
  for (const std::string& specimen : specimens)
    for (const keyed_case& c : cases)
      if (!c.is.ceiling.empty()) out.push_back({c.is, keys.of(c.is, specimen)});
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
                                "its record first (`ablate record`)",
                                differing));
}

void require_finished(const journal_contents& before, const std::string& journal) {
  if (!before.is_unfinished()) return;
  const std::string how_far =
      before.planned.empty() ? fmt::format("{} cases", before.entries.size())
                             : fmt::format("{} of {} cases", before.ended_cases(), before.planned.size());
  throw bad_input(journal, "",
                  fmt::format("holds an unfinished run ({}); expected --resume to go on with it, another "
                              "--out, or its removal",
                              how_far));
}

/// Calibrations are for the cases that run here; where all of them stay on other devices, none do.
void drop_idle_calibrations(std::vector<keyed_case>& cases, const journal_contents& before,
                            const std::set<std::string>& again, const std::set<std::string>& others) {
  const bool is_idle = std::all_of(cases.begin(), cases.end(), [&](const keyed_case& c) {
    return !c.is.ceiling.empty() || (before.entries.contains(c.key) && !again.contains(c.key));
  });
  if (is_idle && !others.empty())
    std::erase_if(cases, [](const keyed_case& c) { return !c.is.ceiling.empty(); });
}

}  // namespace

std::unique_ptr<journal> begin_journal(const run_options& options, const device_identity& device,
                                       const case_keys& keys, std::vector<keyed_case>& cases) {
  const std::filesystem::path path = options.out / "journal.jsonl";
  const std::string specimen = specimen_of(device);
  // No error: a job that a scheduler starts again says --resume the first time, too.
  if (options.resume && !std::filesystem::exists(path))
    fmt::print(stderr, "Nothing to resume in {}: starting with the first case.\n", options.out.string());
  std::filesystem::create_directories(options.out);
  auto out = std::make_unique<journal>(path);
  journal_contents before = out->read();
  const nlohmann::ordered_json identity = identity_of_run(device);
  if (options.resume) {
    require_same_identity(before, identity, path.string());
  } else {
    require_finished(before, path.string());
    out->clear();
    before = {};
  }
  const std::set<std::string> again = to_run_again(cases, before, specimen);
  const std::set<std::string> others = other_specimens(cases, before, again, specimen);
  std::vector<keyed_case> planned = calibrations_of(others, cases, keys);
  drop_idle_calibrations(cases, before, again, others);
  std::erase_if(planned, [&](const keyed_case& c) { return !before.entries.contains(c.key); });
  planned.insert(planned.end(), cases.begin(), cases.end());
  out->write_begin(identity, plan_of(planned), again);
  const std::size_t all = cases.size();
  std::erase_if(
      cases, [&](const keyed_case& c) { return before.entries.contains(c.key) && !again.contains(c.key); });
  if (cases.size() < all)
    fmt::print(stderr, "Resuming: {} of {} cases are done{}{}.\n", all - cases.size(), all,
               others.empty() ? "" : fmt::format(", some of them on {}", fmt::join(others, ", ")),
               again.empty() ? ""
                             : fmt::format("; {} that failed, ran out of memory, lacked their input or whose "
                                           "bundle was begun on another device run again",
                                           again.size()));
  return out;
}

}  // namespace ablate
