#include "reports/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/record/asked_suite.h"
#include "base/record/facts.h"
#include "base/record/identity.h"
#include "base/record/old_names.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/markdown_text.h"
#include "base/text/names.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "reports/ablation/limits.h"
#include "reports/history/database.h"
#include "reports/page/html.h"
#include "reports/plots/figures.h"
#include "reports/plots/render.h"
#include "reports/question/answer.h"
#include "reports/sections/record_report.h"
#include "reports/side_by_side/side_by_side.h"
#include "reports/summary/csv.h"
#include "reports/summary/summary.h"
#include "reports/summary/table_csv.h"
#include "reports/views/case_launches.h"

namespace ablate {
namespace {

using namespace reports;

using launches = std::vector<record>;  ///< of one suite and build; the first is shown

using file_names = std::set<std::string>;

/// Removes what an earlier report left and this one does not have. Call it after writing the
/// replacements, which may fail.
void remove_others(const std::filesystem::path& folder, const file_names& kept,
                   bool (*is_ours)(const std::string& name)) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && is_ours(name) && !kept.contains(name))
      std::filesystem::remove(entry.path());
  }
}

bool is_specification(const std::string& name) { return name.ends_with(".vl.json"); }
bool is_drawing(const std::string& name) { return name.ends_with(".svg"); }
bool is_beside_a_summary(const std::string& name) {
  return name == "answer.svg" || name == "ladder.svg" ||
         (name.find("exhibit-") != name.npos && is_drawing(name));
}

std::vector<launches> read_all(const std::vector<std::filesystem::path>& paths) {
  std::vector<launches> out;
  for (const auto& path : paths) {
    record read = read_record(path);
    const auto like = std::find_if(out.begin(), out.end(),
                                   [&](const launches& of) { return are_launches_of_one(of.front(), read); });
    if (like == out.end()) {
      require_checked(read);
      out.emplace_back().push_back(std::move(read));
      continue;
    }
    expect_another_launch(*like, read);
    like->push_back(std::move(read));
  }
  return out;
}

/// Labels that tell the records apart, as short as possible: device, suite, commit, sources, date.
std::vector<std::string> labels_of(const std::vector<launches>& all) {
  using fact = std::string (*)(const record&);
  constexpr fact facts[] = {
      [](const record& r) { return r.device_name; }, [](const record& r) { return r.suite_name; },
      [](const record& r) {
        return fmt::format("commit {:.7}{}", r.build.commit, r.build.dirty ? " with changes" : "");
      },
      [](const record& r) { return fmt::format("sources {:.8}", r.build.source_hash); },
      [](const record& r) { return r.date; }};
  std::vector<std::string> out(all.size());
  if (all.size() == 1) return {all.front().front().device_name};
  for (const fact& of : facts) {
    std::set<std::string> values;
    for (const launches& l : all) values.insert(of(l.front()));
    if (values.size() == 1 || std::set(out.begin(), out.end()).size() == all.size()) continue;
    for (std::size_t i = 0; i < all.size(); ++i) out[i] += (out[i].empty() ? "" : ", ") + of(all[i].front());
  }
  // Only the order in which they are given tells them apart.
  if (std::set(out.begin(), out.end()).size() < all.size())
    for (std::size_t i = 0; i < all.size(); ++i)
      out[i] += fmt::format("{}record {}", out[i].empty() ? "" : ", ", i + 1);
  return out;
}

std::vector<history::trend> trends_of(const record& r, const std::optional<std::filesystem::path>& history) {
  std::vector<history::trend> out;
  if (!history) return out;
  for (history::series& s : history::database::open(*history).series_of(r))
    out.push_back(history::trend_of(std::move(s)));
  return out;
}

/// The floors of this device. A file for none of the devices is left for the first record to refuse.
const gate::noise_floors* floors_for(const record& r, bool is_first, const std::vector<launches>& all,
                                     const std::vector<gate::noise_floors>& floors) {
  for (const gate::noise_floors& f : floors)
    if (f.fingerprint == history::device_fingerprint(r)) return &f;
  for (const gate::noise_floors& f : floors)
    if (is_first && std::none_of(all.begin(), all.end(), [&](const launches& l) {
          return f.fingerprint == history::device_fingerprint(l.front());
        }))
      return &f;
  return nullptr;
}

/// The suites that are named, each of some record and with a question that a report can answer.
std::vector<asked_suite> named_suites(const std::vector<std::filesystem::path>& files,
                                      const std::vector<launches>& all) {
  std::vector<asked_suite> out;
  for (const auto& file : files) {
    out.push_back(read_asked_suite(file));
    if (!out.back().question)
      throw bad_input(file.string(), "/report",
                      "expected a key 'question' in the suite's report, found none");
    if (std::none_of(all.begin(), all.end(),
                     [&](const launches& l) { return l.front().suite_name == out.back().name; }))
      throw bad_input(file.string(), "/name",
                      fmt::format("expected the suite of a record, found '{}'; the record is of '{}'",
                                  out.back().name, all.front().front().suite_name));
  }
  return out;
}

bool has_answer(const record& r, const suite_question& question, const gate::gate_policy& policy) {
  return question.has_families() &&
         !answer_of(r, question, process_launches(r, {}, limits_of(policy))).parts.empty();
}

/// What the record is asked: by a suite that is named, or by its own and, where that asks nothing, or what
/// nothing in the record answers, by the published one of that name.
asked_suite asked_of(const record& r, const std::vector<asked_suite>& named,
                     const std::optional<std::filesystem::path>& published, const gate::gate_policy& policy) {
  for (const asked_suite& s : named)
    if (s.name == r.suite_name) return s;
  asked_suite out{r.suite_name, r.report.question};
  if (!published) return out;
  const auto file = *published / (r.suite_name + ".json");
  if (!std::filesystem::is_regular_file(file)) return out;
  const bool is_answered = out.question && has_answer(r, *out.question, policy);
  if (is_answered && out.question->ladder && !out.question->exhibits.empty()) return out;
  const std::optional<suite_question> own = out.question, since = read_asked_suite(file).question;
  if (!since) return out;
  if (!own || (!is_answered && has_answer(r, *since, policy))) out.question = since;
  out.question->ladder = own && own->ladder ? own->ladder : since->ladder;
  out.question->exhibits = own && !own->exhibits.empty() ? own->exhibits : since->exhibits;
  return out;
}

/// The records, and everything shown of them.
struct made_report {
  std::vector<launches> read;
  std::vector<record_report> records;
  std::optional<side_by_side> sides;  ///< with several records

  std::vector<const plot*> plots() const {
    std::vector<const plot*> out;
    if (sides)
      for (const plot& p : sides->plots) out.push_back(&p);
    for (const record_report& r : records)
      for (const plot* p : r.all_plots()) out.push_back(p);
    return out;
  }
};

/// A variant's name, and what each operation that had one of that name calls it today.
std::vector<std::string> names_today(const std::string& variant) {
  std::vector<std::string> out = {variant};
  for (const old_names::rule& rule : old_names::known().rules().variants)
    if (rule.variant == variant)
      out.push_back(old_names::known().todays_variant(rule.operation, variant, {}));
  return out;
}

made_report made_of(const std::vector<std::filesystem::path>& paths, const report_options& options) {
  std::vector<std::string> drawn;
  for (const std::string& variant : options.drawn)
    for (std::string& name : names_today(variant)) drawn.push_back(std::move(name));
  made_report out{read_all(paths), {}, std::nullopt};
  const gate::gate_policy policy = shipped_policy();
  std::vector<gate::noise_floors> floors;
  for (const auto& file : options.floors) floors.push_back(gate::read_floors(file));
  const std::vector<std::string> labels = labels_of(out.read);
  const std::vector<asked_suite> named = named_suites(options.suites, out.read);
  for (std::size_t i = 0; i < out.read.size(); ++i) {
    const record& shown = out.read[i].front();
    std::vector<const record*> more;
    for (std::size_t j = 1; j < out.read[i].size(); ++j) more.push_back(&out.read[i][j]);
    const std::vector<history::trend> trends = trends_of(shown, options.history);
    const asked_suite asked = asked_of(shown, named, options.published_suites, policy);
    const report_extras extras{
        &policy, floors_for(shown, i == 0, out.read, floors), &options.claims,
        &trends, asked.question ? &*asked.question : nullptr, drawn.empty() ? nullptr : &drawn};
    out.records.push_back(report_of(shown, std::move(more), extras, labels[i],
                                    out.read.size() > 1 ? slug(labels[i]) + "-" : ""));
  }
  if (out.records.size() > 1) out.sides = put_side_by_side(out.records, policy);
  return out;
}

/// These variants as the records call them today. Throws bad_input for one that none of them has.
std::vector<std::string> known_variants(const std::vector<std::string>& variants, const made_report& made) {
  std::vector<std::string> known, out;
  for (const record_report& r : made.records)
    for (const operation_view& view : r.views)
      known.insert(known.end(), view.variants.begin(), view.variants.end());
  for (const std::string& variant : variants) {
    const std::size_t before = out.size();
    for (const std::string& name : names_today(variant))
      if (std::find(known.begin(), known.end(), name) != known.end()) out.push_back(name);
    if (out.size() == before)
      throw bad_input("--variants", "",
                      fmt::format("no variant '{}'{}; `ablate list OPERATION` names them", variant,
                                  did_you_mean(variant, known)));
  }
  return out;
}

/// A plot of none of the variants that are asked for is not in the report; its name is known all the same.
std::vector<const plot*> named_plots(const made_report& made, const std::vector<std::string>& names,
                                     const std::vector<std::filesystem::path>& paths,
                                     report_options options) {
  known_variants(options.drawn, made);
  const std::vector<const plot*> plots = made.plots();
  if (options.drawn.empty() || !unknown_figure(plots, names)) return plots_named(plots, names);
  const std::vector<std::string> chosen = std::exchange(options.drawn, {});
  plots_named(made_of(paths, options).plots(), names);  // refuses what no report names
  throw bad_input("--variants", "",
                  fmt::format("figure '{}' shows none of {}", joined(names), joined(chosen)));
}

std::vector<std::filesystem::path> write_specifications(const std::vector<const plot*>& plots,
                                                        const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<std::filesystem::path> out;
  for (const plot* p : plots) {
    out.push_back(folder / (p->name + ".vl.json"));
    write_text_file(out.back(), json_text(p->specification, 1) + "\n");
  }
  return out;
}

/// Copies a drawing beside the summary, which shows it; its name, or an empty one.
std::string beside_summary(const std::optional<plot>& drawn, const std::filesystem::path& drawings,
                           const std::filesystem::path& out) {
  if (!drawn) return "";
  const std::string name = drawn->name + ".svg";
  write_text_file(out / name, read_text_file(drawings / name));
  return name;
}

}  // namespace

void write_report(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& out,
                  const report_options& options) {
  const made_report made = made_of(paths, options);
  const std::filesystem::path drawings = out / "plots";
  const std::filesystem::path specifications = drawings / "specs";
  std::filesystem::create_directories(specifications);

  file_names specified, drawn;
  for (const plot* p : made.plots()) {
    specified.insert(p->name + ".vl.json");
    drawn.insert(p->name + ".svg");
  }
  const auto written = write_specifications(made.plots(), specifications);
  remove_others(specifications, specified, is_specification);
  const std::optional<std::string> not_drawn = render_svg(written, drawings);
  remove_others(drawings, not_drawn ? file_names() : drawn, is_drawing);
  write_csv(made.records, out);
  write_ablation_csv(made.records, out);
  write_table_csv(made.records, out);
  std::string summary;
  if (made.sides) {
    write_side_csv(*made.sides, out);
    summary += side_summary(*made.sides, !not_drawn) + "---\n\n";
  } else {
    std::filesystem::remove(out / "side_by_side.csv");
  }
  file_names beside;
  for (std::size_t i = 0; i < made.records.size(); ++i) {
    summary_pictures pictures;
    if (!not_drawn)
      pictures = {beside_summary(made.records[i].answer_drawn, drawings, out),
                  beside_summary(made.records[i].ladder_drawn, drawings, out),
                  {}};
    if (!not_drawn)
      for (const shown_exhibit& exhibit : made.records[i].exhibits)
        pictures.exhibits.push_back(beside_summary(exhibit.drawn, drawings, out));
    beside.insert(pictures.exhibits.begin(), pictures.exhibits.end());
    beside.insert({pictures.answer, pictures.ladder});
    summary += record_summary(made.records[i], pictures);
    if (i + 1 < made.records.size()) summary += "---\n\n";
  }
  remove_others(out, beside, is_beside_a_summary);
  const std::optional<std::string> no_page =
      write_html(made.records, made.sides ? &*made.sides : nullptr, out / "report.html");
  if (not_drawn) summary += *not_drawn + " The specifications are in plots/specs.\n";
  if (no_page) summary += (not_drawn ? "\n" : "") + *no_page + "\n";
  write_markdown_file(out / "summary.md", summary);
}

std::vector<figure_name> report_figures(const std::vector<std::filesystem::path>& paths,
                                        const report_options& options) {
  const made_report made = made_of(paths, options);
  std::vector<figure_name> out;
  for (const plot* p : made.plots()) out.push_back({p->name, p->title});
  return out;
}

drawn_figures write_figures(const std::vector<std::filesystem::path>& paths,
                            const std::vector<std::string>& names, const std::filesystem::path& out,
                            const paper_format& format, const report_options& options) {
  const made_report made = made_of(paths, options);
  const std::vector<const plot*> plots = named_plots(made, names, paths, options);
  if (!options.drawn.empty()) check_variants(plots, known_variants(options.drawn, made));
  drawn_figures drawn;
  drawn.note = draw_figures(plots, format, out);
  for (const plot* p : plots)
    drawn.figures.push_back({out / (p->name + ".svg"), caption_of(p->specification)});
  return drawn;
}

}  // namespace ablate
