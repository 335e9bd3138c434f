#include "harness/cli/search_run.h"

#include <optional>
#include <set>

#include "base/text/bad_input.h"
#include "harness/build_facts.h"
#include "harness/cli/search_launches.h"
#include "reports/ablation/limits.h"
#include "reports/search/budgeted.h"
#include "reports/search/journal.h"

namespace ablate {
namespace {

/// Of those imported, how many join the beginning.
constexpr std::size_t imported_points = 8;

/// A search goes on in the journal of its runs, which must not be another run's.
void refuse_folder_of_a_run(const std::filesystem::path& out) {
  if (std::filesystem::exists(out / "search.jsonl")) return;
  for (const char* file : {"record.json", "journal.jsonl"})
    if (std::filesystem::exists(out / file))
      throw bad_input((out / file).string(), "", "is of a run that is no search; expected another --out");
}

nlohmann::ordered_json identity_of_search(const searched_space& of, const search_options& how) {
  // The suite's hash covers operation, axes and points.
  return {{"suite", of.from.hash},
          {"sources", this_build().source_hash},
          {"strategy", how.strategy},
          {"seed", how.seed},
          {"gpu", how.gpu}};
}

}  // namespace

search::result run_search(const operation& of, const searched_space& searched, const search_options& how,
                          const search_tools& with) {
  search::beginning begin = searched.begin;
  std::optional<search::imported_times> imported;
  if (!how.t4.empty()) {
    imported = search::read_t4(how.t4, searched.points);
    begin.hints_us = imported->us;
    for (const std::size_t p : imported->fastest(imported_points)) begin.points.push_back(p);
  }
  refuse_folder_of_a_run(how.run.out);
  search::search_journal journal(how.run.out / "search.jsonl", identity_of_search(searched, how),
                                 searched.points, how.resume);
  run_options options = how.run;
  options.resume = how.resume;
  search::budgeted_measurer measurer(
      how.budget_s, journal, search_launches(searched.from, options, searched.ids, with.run, with.wait),
      with.now_s);
  const search::settings settings{.limits = reports::limits_of(reports::shipped_policy()), .seed = how.seed};
  const auto strategy = how.strategy == "random" ? search::at_random : search::by_halving;
  search::outcome found = strategy(searched.points, begin, settings, measurer);

  search::result out{{of.name, searched.axes, searched.cache_state, how.strategy, how.seed, how.budget_s},
                     &searched.points,
                     std::move(found),
                     begin.baseline,
                     measurer.spent_s(),
                     measurer.replayed(),
                     "",
                     "",
                     std::string(this_build().version),
                     how.run.out.string(),
                     std::move(imported)};
  if (const auto file = how.run.out / "record.json"; std::filesystem::exists(file)) {
    const record made = read_record(file);
    out.device = made.device_name;
    out.date = made.date;
  }
  return out;
}

int exit_code_of(const search::result& r) {
  std::set<std::string> statuses;
  for (std::size_t p = 0; p < r.of->points().size(); ++p)
    for (const search::answer& a : r.found.seen.of(p)) statuses.insert(a.status);
  if (statuses.contains("wrong")) return 3;
  if (statuses.contains("failed") || statuses.contains("timeout")) return 75;
  return r.found.found ? 0 : 4;
}

}  // namespace ablate
