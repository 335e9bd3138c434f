#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/record/facts.h"
#include "base/record/old_names.h"
#include "base/record/old_selection.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/markdown_text.h"
#include "base/text/names.h"
#include "base/text/terminal.h"
#include "base/text/text_file.h"
#include "harness/cli/commands.h"
#include "harness/cli/record_files.h"
#include "harness/cli/registered_space.h"
#include "harness/registry/registry.h"
#include "reports/ablation/limits.h"
#include "reports/attribute/outputs.h"
#include "reports/views/rivals.h"

namespace ablate {

namespace {

using names = std::vector<std::string>;
using reports::comparable_cases;
using reports::operation_view;
using rows_of_view = std::vector<const comparable_cases*>;

struct attribute_arguments {
  names records, axes, switches;
  std::string operation, from, to, out;
  bool json = false;
};

/// The first is shown; all have to be launches of one thing.
std::vector<record> read_launches(const names& given) {
  std::vector<record> out;
  for (const std::filesystem::path& path : files_of_launches(given)) {
    record read = read_record(path);
    if (out.empty())
      require_checked(read);
    else
      reports::expect_launch_of(out.front(), read);
    reports::expect_another_launch(out, read);
    out.push_back(std::move(read));
  }
  return out;
}

/// "voxelize/warp_match" or "warp_match".
struct named_point {
  std::string operation, point;
};

named_point point_named(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return {"", text};
  return {old_names::known().todays_operation(text.substr(0, slash)), text.substr(slash + 1)};
}

/// Where it was measured. Throws bad_input with the nearest name.
std::string measured_variant(const record& from, const operation_view& view, const std::string& asked) {
  std::string name =
      asked == "baseline" ? view.baseline : old_names::known().todays_variant(view.name, asked, {});
  // Of several spellings of one point a record has one.
  if (const operation* of = find_operation(view.name))
    if (const variant_facts* found = of->find_variant(name)) name = found->name;
  names known;
  for (const std::string& variant : view.variants)
    if (!reports::rival_of(from, view.name, variant)) known.push_back(variant);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw bad_input(from.path.string(), "", no_such("measured point of " + view.name, asked, known));
  return name;
}

/// Beside the first point, the one that is the fastest on the most of these workloads, of those of equal
/// quality.
std::optional<std::string> fastest(const record& r, const operation_view& view, const rows_of_view& rows,
                                   const std::string& from) {
  std::vector<std::pair<std::string, std::size_t>> leads;
  for (const comparable_cases* row : rows) {
    const measured_case *first = row->of(from), *best = nullptr;
    if (!first) continue;
    for (const measured_case* c : own_cases(r, view, *row))
      if (c->variant != from && !view.differ_in_quality(*first, *c) &&
          (!best || c->time.median_us < best->time.median_us))
        best = c;
    if (!best) continue;
    auto lead =
        std::find_if(leads.begin(), leads.end(), [&](const auto& l) { return l.first == best->variant; });
    if (lead == leads.end()) lead = leads.insert(leads.end(), {best->variant, 0});
    ++lead->second;
  }
  const auto most = std::max_element(leads.begin(), leads.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == leads.end() ? std::nullopt : std::optional(most->first);
}

/// The workloads of these axis values.
rows_of_view rows_with(const record& from, const operation_view& view, const names& words) {
  std::vector<case_words> cases;
  for (case_words& c : all_case_words(from))
    if (c.operation == view.name) {
      c.variant.clear();  // the two points say which
      cases.push_back(std::move(c));
    }
  const case_vocabulary known(cases);
  std::vector<selection_term> terms;
  for (const std::string& word : todays_terms(words, cases)) terms.push_back(known.term(word, "--axes"));
  refuse_repeated(terms, "--axes");
  rows_of_view out;
  for (const comparable_cases& row : view.rows)
    if (std::all_of(terms.begin(), terms.end(), [&](const selection_term& term) {
          return has_value({"", view.name, "", row.cache_state, row.axes}, term);
        }))
      out.push_back(&row);
  if (out.empty()) throw bad_input(from.path.string(), "", why_none_has(terms, cases));
  return out;
}

int compute_capability_of(const record& from) {
  const std::string text = reports::fact(from.device, "compute_capability").value_or("");
  const std::size_t dot = text.find('.');
  int major = 0, minor = 0;
  if (dot == text.npos) return 0;
  std::from_chars(text.data(), text.data() + dot, major);
  std::from_chars(text.data() + dot + 1, text.data() + text.size(), minor);
  return 10 * major + minor;
}

/// The operation that is asked for, by its option or with a point; all, where none is.
std::vector<operation_view> asked_views(const record& from, const attribute_arguments& given) {
  std::vector<operation_view> all = reports::operation_views(from);
  names known;
  for (const operation_view& view : all) known.push_back(view.name);
  names asked;
  for (const std::string& name : {old_names::known().todays_operation(given.operation),
                                  point_named(given.from).operation, point_named(given.to).operation})
    if (!name.empty() && std::find(asked.begin(), asked.end(), name) == asked.end()) asked.push_back(name);
  if (asked.size() > 1)
    throw bad_input(
        "attribute", "",
        fmt::format("'{}' and '{}' are two operations; expected two points of one", asked[0], asked[1]));
  if (asked.empty()) return all;
  std::erase_if(all, [&](const operation_view& view) { return view.name != asked.front(); });
  if (all.empty())
    throw bad_input(from.path.string(), "", no_such("measured operation", asked.front(), known));
  return all;
}

bool names_points(const attribute_arguments& given) {
  return !given.from.empty() || !given.to.empty() || !given.operation.empty();
}

attribute::attribution attributed(const record& from, const operation_view& view,
                                  const attribute_arguments& given, const reports::case_launches& launches,
                                  const reports::effect_limits& limits) {
  const rows_of_view rows = rows_with(from, view, given.axes);
  const std::string asked_first = point_named(given.from).point, asked_second = point_named(given.to).point;
  const std::string first = measured_variant(from, view, asked_first.empty() ? "baseline" : asked_first);
  const bool wants_fastest = asked_second.empty() || asked_second == "best";
  const std::optional<std::string> second = wants_fastest
                                                ? fastest(from, view, rows, first)
                                                : std::optional(measured_variant(from, view, asked_second));
  if (!second)
    throw bad_input(
        from.path.string(), "",
        fmt::format("no other point of {} was measured than '{}'; expected two", view.name, first));
  std::optional<registered_space> space;
  if (const operation* of = find_operation(view.name)) space.emplace(*of, compute_capability_of(from));
  return attribute::attribution_of(from, view, rows, first, *second, space ? &*space : nullptr, launches,
                                   limits);
}

void write_files(const std::vector<attribute::attribution>& all, const attribute_arguments& given,
                 const std::string& json, const reports::effect_limits& limits) {
  const std::filesystem::path folder = given.out;
  std::filesystem::create_directories(folder);
  std::string text = "# What each switch is worth, in any order\n\n";
  for (const attribute::attribution& of : all)
    text += attribute::attribution_markdown(of, given.switches, limits) + "\n";
  reports::write_markdown_file(folder / "attribution.md", text);
  reports::write_text_file(folder / "attribution.json", json);
  attribute::write_attribution_csv(all, folder / "attribution.csv");
}

void attribute_speed_up(const attribute_arguments& given) {
  const std::vector<record> records = read_launches(given.records);
  const record& from = records.front();
  std::vector<const record*> more;
  for (std::size_t i = 1; i < records.size(); ++i) more.push_back(&records[i]);
  const reports::case_launches launches(from, more);
  const reports::effect_limits limits = reports::limits_of(reports::shipped_policy());
  const std::vector<operation_view> views = asked_views(from, given);
  if (views.empty())
    throw bad_input(from.path.string(), "", "expected a record with cases, found calibrations");

  std::vector<attribute::attribution> found;
  std::string refused;
  for (const operation_view& view : views) try {
      found.push_back(attributed(from, view, given, launches, limits));
    } catch (const bad_input& why) {
      if (names_points(given) || views.size() == 1) throw;
      refused += fmt::format("\n{}: {}\n", view.name, why.what());
    }
  const reports::terminal on = reports::standard_output();
  auto all_json = nlohmann::ordered_json::array();
  std::string text =
      reports::wrapped(fmt::format("{}, {}, {:.10}", from.path.string(), from.device_name, from.date), on);
  for (const attribute::attribution& of : found) {
    all_json.push_back(attribute::attribution_json(of));
    text += "\n" + attribute::attribution_text(of, given.switches, limits, on);
  }
  const std::string json = reports::json_text(all_json.size() == 1 ? all_json.front() : all_json, 1) + "\n";
  if (!given.out.empty()) write_files(found, given, json, limits);
  fmt::print("{}", given.json ? json : text + refused);
}

}  // namespace

void add_attribute_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "attribute",
      "What each switch is worth between two points, in any order: Shapley shares of their speed-up. Needs "
      "no GPU");
  const auto given = std::make_shared<attribute_arguments>();
  command
      ->add_option("records", given->records,
                   "A record written by `ablate run`, or a directory with record.json and further launches, "
                   "record-*.json; several records must be launches of one suite and build")
      ->required()
      ->type_name("RECORD...");
  command->add_option("--operation", given->operation, "Only this operation [all that were measured]")
      ->type_name("OPERATION");
  command
      ->add_option("--from", given->from,
                   "The first point: a variant, or a point as cases spell it, with or without its operation: "
                   "voxelize/global_atomic [the baseline]")
      ->type_name("POINT");
  command->add_option("--to", given->to, "The second point [at equal quality, the fastest on most workloads]")
      ->type_name("POINT");
  command
      ->add_option("--axes", given->axes, "Only these workloads: --axes points=65536,131072 cache=hot [all]")
      ->type_name("AXIS=VALUE,...");
  command->add_option("--switch", given->switches, "Show only the shares of these switches")
      ->type_name("SWITCH...");
  command
      ->add_option("--out", given->out, "Directory for attribution.md, attribution.csv and attribution.json")
      ->type_name("DIR");
  command->add_flag("--json", given->json, "Print the contents of attribution.json instead of the table");
  command->footer(
      "Shares are exact if every point between the two that can run was measured. Otherwise the command to "
      "measure the missing points is printed: at most 4(N+1), for N switches.");
  command->callback([given] { attribute_speed_up(*given); });
}

}  // namespace ablate
