#include "reports/gate/affected.h"
#include "base/text/counted_noun.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "reports/gate/static_gate.h"

namespace ablate::gate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr const char* list_version = "1.0.0";
constexpr const char* list_major = "1.";

std::string extent(const std::array<long, 3>& of) { return fmt::format("{}x{}x{}", of[0], of[1], of[2]); }

/// Bytes that nobody sets on one side say nothing. Such a byte is marked if it differed between descriptions
/// of one program; that it may not have is why arguments are compared only if the sources differ.
bool same_arguments(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at + 1 < a.size(); at += 2)
    if (a.compare(at, 2, b, at, 2) != 0 && a[at] != '.' && b[at] != '.') return false;
  return true;
}

/// How one launch differs from the other, or nothing.
std::string difference(const requested_launch& a, const requested_launch& b, bool same_sources) {
  const std::string kernel = kernel_label(b.kernel);
  if (a.kernel != b.kernel) return fmt::format("launches {} instead of {}", kernel, kernel_label(a.kernel));
  if (b.code.empty()) return fmt::format("the machine code of {} is not in the program", kernel);
  if (a.code != b.code) return fmt::format("the machine code of {} changed", kernel);
  if (a.grid != b.grid)
    return fmt::format("{}: grid {} instead of {}", kernel, extent(b.grid), extent(a.grid));
  if (a.block != b.block)
    return fmt::format("{}: block {} instead of {}", kernel, extent(b.block), extent(a.block));
  if (a.dynamic_shared_bytes != b.dynamic_shared_bytes)
    return fmt::format("{}: {} B of dynamic shared memory instead of {} B", kernel, b.dynamic_shared_bytes,
                       a.dynamic_shared_bytes);
  if (!same_sources && !same_arguments(a.arguments, b.arguments))
    return fmt::format("{}: other arguments", kernel);
  requested_launch with_same_arguments = a;
  with_same_arguments.arguments = b.arguments;
  if (with_same_arguments != b)
    return fmt::format("{}: launched differently (cluster, cooperative, overlap)", kernel);
  return "";
}

/// Why a case is affected; nothing if it is not.
std::string why_affected(const requested_case& a, const requested_case& b, bool same_sources) {
  if (a.why_not_applicable.empty() != b.why_not_applicable.empty())
    return b.why_not_applicable.empty() ? "it has become applicable" : "it is no longer applicable";
  for (const requested_case* side : {&a, &b})
    if (!side->why_unknown.empty())
      return fmt::format("its launches cannot be described without a GPU: {}", side->why_unknown);
  if (b.is_timed_by_host && !same_sources) return "the host clock times it, and host code may have changed";
  for (std::size_t i = 0; i < std::min(a.launches.size(), b.launches.size()); ++i)
    if (std::string why = difference(a.launches[i], b.launches[i], same_sources); !why.empty()) return why;
  if (a.launches.size() != b.launches.size())
    return fmt::format("{} launches instead of {}", b.launches.size(), a.launches.size());
  if (a.input != b.input) return "its input differs";
  return "";
}

const requested_case* find(const program_launches& in, const std::string& id) {
  const auto found =
      std::find_if(in.cases.begin(), in.cases.end(), [&](const requested_case& c) { return c.id == id; });
  return found == in.cases.end() ? nullptr : &*found;
}

/// Hashes by kernel; a library's are of its own.
std::map<std::string, std::set<std::string>> code_of(const program_launches& of) {
  std::map<std::string, std::set<std::string>> out;
  for (const requested_case& c : of.cases)
    for (const requested_launch& launch : c.launches) out[launch.kernel].insert(launch.code);
  return out;
}

std::vector<changed_kernel> changed_kernels(const program_launches& baseline,
                                            const program_launches& candidate) {
  const auto before = code_of(baseline), after = code_of(candidate);
  std::vector<changed_kernel> out;
  for (const auto& [kernel, code] : after) {
    const auto was = before.find(kernel);
    if (was != before.end() && was->second == code) continue;
    out.push_back({kernel, was == before.end() ? "new" : "changed", {}});
  }
  for (const auto& [kernel, code] : before)
    if (!after.contains(kernel)) out.push_back({kernel, "gone", {}});
  for (changed_kernel& changed : out)
    for (const requested_case& c : (changed.what == "gone" ? baseline : candidate).cases)
      if (std::any_of(c.launches.begin(), c.launches.end(),
                      [&](const requested_launch& launch) { return launch.kernel == changed.kernel; }))
        changed.cases.push_back(c.id);
  return out;
}

/// The first unaffected case of each operation, then the second ones, until there are enough.
void choose_controls(std::vector<affected_case>& cases, const program_launches& candidate, std::size_t most) {
  std::map<std::string, std::vector<affected_case*>> by_operation;
  for (affected_case& c : cases)
    if (const requested_case* of = find(candidate, c.id); of && !c.is_in && !of->is_timed_by_host)
      by_operation[of->operation].push_back(&c);
  std::size_t chosen = 0;
  for (std::size_t place = 0; chosen < most; ++place) {
    bool any = false;
    for (auto& [operation, free] : by_operation) {
      if (place >= free.size() || chosen == most) continue;
      free[place]->is_control = any = true;
      free[place]->why = "control: nothing of it changed, so it must stay SAME";
      ++chosen;
    }
    if (!any) return;
  }
}

std::string cases_text(std::size_t count) { return reports::counted_noun(count, "case"); }

}  // namespace

std::string summary(const affected& of) {
  const std::size_t count = of.affected_count();
  if (count == 0)
    return fmt::format(
        "Nothing that runs changed: {} of the suite launch the same machine code in the same way on "
        "an {}.",
        cases_text(of.cases.size()), of.chip);
  return fmt::format("{} of {} affected on an {}; {} of them are timed as controls.", cases_text(count),
                     cases_text(of.cases.size()), of.chip, of.controls().size());
}

std::vector<std::string> affected::to_time() const {
  std::vector<std::string> out;
  for (const affected_case& c : cases)
    if (c.is_in && c.only_in.empty()) out.push_back(c.id);
  if (out.empty()) return out;
  for (std::string& control : controls()) out.push_back(std::move(control));
  return out;
}

std::vector<std::string> affected::gone() const {
  std::vector<std::string> out;
  for (const affected_case& c : cases)
    if (c.only_in == "baseline") out.push_back(c.id);
  return out;
}

std::vector<std::string> affected::controls() const {
  std::vector<std::string> out;
  for (const affected_case& c : cases)
    if (c.is_control) out.push_back(c.id);
  return out;
}

std::size_t affected::affected_count() const {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [](const affected_case& c) { return c.is_in; }));
}

affected affected_by(const program_launches& baseline, const program_launches& candidate,
                     std::size_t most_controls) {
  if (baseline.chip != candidate.chip)
    throw bad_input(
        "--chip", "",
        fmt::format("expected launches on one chip, found {} and {}", baseline.chip, candidate.chip));
  if (baseline.suite_hash != candidate.suite_hash)
    throw bad_input("suite", "", "expected launches of one suite; the two programs described different ones");
  affected out{baseline.commit, candidate.commit, candidate.chip, candidate.suite_hash, {}, {}, 0};
  const bool same_sources = baseline.source_hash == candidate.source_hash;
  const bool same_compiler = baseline.cuda_compiler == candidate.cuda_compiler;
  out.kernels = changed_kernels(baseline, candidate);
  for (const requested_case& c : candidate.cases) {
    const requested_case* was = find(baseline, c.id);
    if (!c.why_not_applicable.empty() && (!was || !was->why_not_applicable.empty())) {
      ++out.not_applicable;
      continue;
    }
    std::string why = was ? why_affected(*was, c, same_sources) : "the baseline does not have it";
    if (why.empty() && !same_compiler) why = "another CUDA compiler built the program";
    const bool is_in = !why.empty();
    out.cases.push_back({c.id, is_in, false, is_in ? why : "the same machine code, launched in the same way",
                         was ? "" : "candidate"});
  }
  for (const requested_case& was : baseline.cases)
    if (was.why_not_applicable.empty() && !find(candidate, was.id))
      out.cases.push_back({was.id, true, false, "the candidate does not have it", "baseline"});
  choose_controls(out.cases, candidate, most_controls);
  return out;
}

ordered_json to_json(const affected& of) {
  ordered_json kernels = ordered_json::array(), cases = ordered_json::array();
  for (const changed_kernel& k : of.kernels)
    kernels.push_back({{"kernel", k.kernel}, {"what", k.what}, {"cases", k.cases}});
  for (const affected_case& c : of.cases)
    cases.push_back({{"id", c.id},
                     {"affected", c.is_in},
                     {"control", c.is_control},
                     {"why", c.why},
                     {"only_in", c.only_in}});
  return {{"schema_version", list_version}, {"baseline", of.baseline},
          {"candidate", of.candidate},      {"chip", of.chip},
          {"suite_hash", of.suite_hash},    {"not_applicable", of.not_applicable},
          {"kernels", std::move(kernels)},  {"cases", std::move(cases)}};
}

affected read_affected(const std::filesystem::path& file) {
  const ordered_json json = reports::parse_json_file(file);
  const std::string name = file.string();
  const json_place at(json, name);
  if (!at.at("schema_version").text().starts_with(list_major))
    at.at("schema_version").refuse_value("version 1 of what `ablate static diff` writes");
  affected out{at.at("baseline").text(),
               at.at("candidate").text(),
               at.at("chip").text(),
               at.at("suite_hash").text(),
               {},
               {},
               static_cast<std::size_t>(at.at("not_applicable").count())};
  for (const json_place& k : at.at("kernels").elements()) {
    changed_kernel changed{k.at("kernel").text(), k.at("what").text(), {}};
    for (const json_place& id : k.at("cases").elements()) changed.cases.push_back(id.text());
    out.kernels.push_back(std::move(changed));
  }
  for (const json_place& c : at.at("cases").elements())
    out.cases.push_back({c.at("id").text(), c.at("affected").boolean(), c.at("control").boolean(),
                         c.at("why").text(), c.at("only_in").text()});
  return out;
}

std::string affected_text(const affected& of, bool all) {
  std::string out;
  for (const changed_kernel& k : of.kernels)
    out += fmt::format("{:<8} {} ({})\n", k.what, kernel_label(k.kernel), cases_text(k.cases.size()));
  if (!of.kernels.empty()) out += "\n";
  for (const affected_case& c : of.cases)
    if (all || c.is_in || c.is_control)
      out += fmt::format("{:<8} {}: {}\n", c.is_in ? "in" : c.is_control ? "control" : "out", c.id, c.why);
  return out + summary(of) + "\n";
}

std::string affected_markdown(const affected& of) {
  std::string out = summary(of) + "\n";
  if (!of.kernels.empty()) {
    out += "\n| kernel | machine code | cases |\n| --- | --- | ---: |\n";
    for (const changed_kernel& k : of.kernels)
      out += fmt::format("| `{}` | {} | {} |\n", kernel_label(k.kernel), k.what, k.cases.size());
  }
  if (of.affected_count() > 0) {
    out += "\n| case | why it is timed |\n| --- | --- |\n";
    for (const affected_case& c : of.cases)
      if (c.is_in || c.is_control) out += fmt::format("| `{}` | {} |\n", c.id, c.why);
  }
  return out;
}

}  // namespace ablate::gate
