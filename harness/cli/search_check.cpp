#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/check_files.h"
#include "harness/cli/commands.h"
#include "harness/cli/searched_space.h"
#include "harness/registry/registry.h"
#include "reports/ablation/pairs.h"
#include "reports/search/replay.h"

namespace ablate {
namespace {

struct search_check_arguments {
  std::vector<std::string> records;
  std::string out;
};

/// A workload of a record as a space whose points are those that it measured.
struct recorded_workload {
  std::vector<search::point> points;
  std::vector<const variant_facts*> facts;
  std::vector<search::answer> answers;
  search::beginning begin;
};

bool begins_at(const operation& of, const variant_facts& v) {
  if (v.name == of.baseline) return true;
  const auto published = of.preset("published");
  return std::ranges::find(published, &v) != published.end();
}

recorded_workload recorded_workload_of(const operation& of, const record& from,
                                       const reports::operation_view& view,
                                       const reports::comparable_cases& row) {
  recorded_workload out;
  for (const measured_case* c : own_cases(from, view, row)) {
    const variant_facts* v = of.find_variant(c->variant);
    if (!v || std::ranges::find(out.facts, v) != out.facts.end()) continue;
    const std::size_t number = out.points.size();
    named_words values;
    for (const switch_entry& entry : v->switches) values.emplace_back(entry.first, entry.second);
    out.points.push_back({v->name, values});
    out.facts.push_back(v);
    out.answers.push_back({.point = number, .time = c->time, .quality = c->quality});
    if (v->name == of.baseline) out.begin.baseline = number;
    if (begins_at(of, *v)) out.begin.points.push_back(number);
  }
  return out;
}

std::string workload_text(const reports::comparable_cases& row) {
  std::vector<std::string> out;
  for (const auto& [name, value] : row.axes) out.push_back(name + "=" + value);
  return fmt::format("{} @{} {}", fmt::join(out, " "), row.cache_state, row.method);
}

void search_check(const search_check_arguments& given) {
  const search::settings how{.limits = reports::limits_of(reports::shipped_policy())};
  std::vector<search::replayed_workload> all;
  std::size_t left_out = 0;
  for (const std::filesystem::path& file : files_to_check(given.records)) {
    const record from = read_record(file);
    const std::filesystem::path folder = file.parent_path();
    const std::string name = (folder.parent_path().filename() / folder.filename()).string();
    for (const reports::operation_view& view : reports::operation_views(from)) {
      const operation* of = find_operation(view.name);
      if (!of) continue;
      for (const reports::comparable_cases& row : view.rows) {
        recorded_workload w = recorded_workload_of(*of, from, view, row);
        const search::space points(w.points, declared_difference(*of, w.facts));
        const auto found =
            w.begin.points.empty() ? std::nullopt : search::replayed(points, w.begin, w.answers, how);
        if (found)
          all.push_back({name, view.name, workload_text(row), *found});
        else
          ++left_out;
      }
    }
  }
  write_or_print_check(given.out, "search", search::replays_json(all, left_out),
                       search::replays_markdown(all, left_out));
}

}  // namespace

void add_search_check_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "search-check",
      "Hold `search` against records: how many points it needs, and by how much its winner is slower than the "
      "fastest. Needs no GPU");
  const auto given = std::make_shared<search_check_arguments>();
  command->add_option("records", given->records, "Records [all of results/]")->type_name("RECORD...");
  command->add_option("--out", given->out, "Write search.json and search.md there instead of printing")
      ->type_name("DIR");
  command->footer(
      "A record that has a point answers for the GPU. A workload counts if it has eight points or more that are "
      "compared with the baseline and that steps in one switch reach from there, or from a published variant.");
  command->callback([given] { search_check(*given); });
}

}  // namespace ablate
