#include "reports/gate/static_gate.h"
#include "base/text/counted_noun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/text/text.h"

namespace ablate::gate {
namespace {

constexpr int regression = 1;
constexpr int inconclusive = 4;

std::string value_text(double value) { return fmt::format("{}", value); }

bool is_worse(const static_quantity& q, double before, double after, double tolerance) {
  const double slack = q.has_tolerance ? tolerance * before : 0;
  switch (q.when) {
    case worse::rising:
      return after > before + slack;
    case worse::falling:
      return after < before - slack;
    case worse::changing:
      return std::abs(after - before) > slack;
  }
  return true;
}

/// A function's name without its template arguments: usable verbatim with --filter.
std::string plain_name(const std::string& demangled) {
  const std::string name = reports::short_kernel_name(demangled);
  return name.substr(0, name.find('<'));
}

class comparison {
 public:
  comparison(const static_facts_file& baseline, const static_facts_file& candidate,
             const std::vector<accepted_change>& accepted, const static_gate_options& options)
      : baseline_(baseline),
        candidate_(candidate),
        accepted_(accepted),
        options_(options),
        same_compiler_(baseline.cuda_compiler == candidate.cuda_compiler),
        used_(accepted.size(), false) {}

  gate_report run() {
    architectures_ = architectures_of(candidate_);
    for (const auto& [name, before] : baseline_.kernels) {
      const auto after = candidate_.kernels.find(name);
      if (after == candidate_.kernels.end())
        vanished(name, "", "kernel");
      else
        compare(name, before, after->second);
    }
    for (const auto& [name, after] : candidate_.kernels)
      if (!baseline_.kernels.contains(name)) is_new(name, "", "kernel");
    note_accepted();
    conclude();
    return std::move(report_);
  }

 private:
  static std::set<std::string> architectures_of(const static_facts_file& of) {
    std::set<std::string> out;
    for (const auto& [name, kernel] : of.kernels)
      for (const auto& [architecture, code] : kernel.code) out.insert(architecture);
    return out;
  }

  void compare(const std::string& name, const kernel_static_facts& before, const kernel_static_facts& after) {
    const std::size_t findings_before = report_.findings.size();
    bool is_compared = false;
    for (const auto& [architecture, code] : before.code) {
      // An architecture missing from the whole program is reported once, not for every kernel.
      if (!architectures_.contains(architecture)) continue;
      const auto found = after.code.find(architecture);
      if (found == after.code.end()) {
        vanished(name, architecture, "machine code");
        continue;
      }
      compare(name, architecture, code, found->second);
      is_compared = true;
    }
    compared_ += is_compared;
    for (const auto& [architecture, code] : after.code)
      if (!before.code.contains(architecture)) is_new(name, architecture, "machine code");
    compare_launches(name, before, after);
    if (is_compared && report_.findings.size() == findings_before)
      add(name, "", "", "", "", "SAME", weight::passed, "nothing moved");
  }

  void compare(const std::string& name, const std::string& architecture, const kernel_code& before,
               const kernel_code& after) {
    for (const static_quantity& q : resource_quantities())
      compare_count(name, architecture, q, before.resources, after.resources);
    if (before.sass && after.sass)
      for (const static_quantity& q : sass_quantities())
        compare_count(name, architecture, q, *before.sass, *after.sass);
    else if (before.sass && candidate_.has_sass)
      vanished(name, architecture, "count of SASS");
  }

  void compare_count(const std::string& name, const std::string& place, const static_quantity& q,
                     const counts& before, const counts& after) {
    const auto value = [&](const counts& of) {
      const auto found = of.find(q.name);
      return found == of.end() ? 0.0 : static_cast<double>(found->second);
    };
    const double old_value = value(before), new_value = value(after);
    judge(name, place, q, old_value, new_value, acceptance(name, {place}, q, old_value, new_value));
  }

  /// A launch is reported once for all variants and chips where it changed alike.
  void compare_launches(const std::string& name, const kernel_static_facts& before,
                        const kernel_static_facts& after) {
    struct places {
      std::set<std::string> chips, variants;
    };
    using movement = std::tuple<std::size_t, double, double, const accepted_change*>;
    std::map<movement, places> moved;
    places gone, come;
    const auto enter = [](places& to, const std::pair<std::string, std::string>& by) {
      to.variants.insert(by.first);
      to.chips.insert(by.second);
    };
    for (const auto& [by, launch] : before.launched_by) {
      const auto found = after.launched_by.find(by);
      if (found == after.launched_by.end()) {
        enter(gone, by);
        continue;
      }
      const std::pair<double, double> values[] = {
          {launch.dynamic_shared_bytes, found->second.dynamic_shared_bytes},
          {launch.occupancy, found->second.occupancy}};
      for (std::size_t i = 0; i < std::size(values); ++i)
        if (const auto& [old_value, new_value] = values[i]; old_value != new_value)
          enter(
              moved[{i, old_value, new_value,
                     acceptance(name, {by.first, by.second}, launch_quantities()[i], old_value, new_value)}],
              by);
    }
    for (const auto& [by, launch] : after.launched_by)
      if (!before.launched_by.contains(by)) enter(come, by);

    const auto text = [](const places& at) {
      return fmt::format("{} ({})", fmt::join(at.variants, ", "), fmt::join(at.chips, ", "));
    };
    for (const auto& [movement, at] : moved) {
      const auto& [quantity, old_value, new_value, accepted] = movement;
      judge(name, text(at), launch_quantities()[quantity], old_value, new_value, accepted);
    }
    if (!gone.variants.empty()) vanished(name, text(gone), "launch");
    if (!come.variants.empty()) is_new(name, text(come), "launch");
  }

  void judge(const std::string& name, const std::string& place, const static_quantity& q, double before,
             double after, const accepted_change* accepted) {
    if (before == after) return;
    const std::string old_value = value_text(before), new_value = value_text(after);
    const std::string moved = fmt::format("{}: {} on {} went from {} to {}", kernel_label(name), q.name,
                                          place, old_value, new_value);
    if (!is_worse(q, before, after, options_.instruction_tolerance)) {
      const bool within =
          q.has_tolerance && std::abs(after - before) <= options_.instruction_tolerance * before;
      add(name, place, q.name, old_value, new_value, within ? "WITHIN" : "BETTER", weight::noted,
          moved +
              (within ? ", within the tolerance" : ", which is no worse: rewrite the baseline to keep it"));
    } else if (!same_compiler_) {
      add(name, place, q.name, old_value, new_value, "INCONCLUSIVE", weight::inconclusive,
          moved + ", but another CUDA compiler made it");
    } else if (accepted) {
      add(name, place, q.name, old_value, new_value, "ACCEPTED", weight::noted,
          moved + ", accepted: " + accepted->reason);
    } else {
      add(name, place, q.name, old_value, new_value, "WORSE", weight::failed, moved);
    }
  }

  /// The entry that accepts a regression; `words` are the places that it may name.
  const accepted_change* acceptance(const std::string& name, const std::vector<std::string>& words,
                                    const static_quantity& q, double before, double after) {
    if (!is_worse(q, before, after, options_.instruction_tolerance)) return nullptr;
    for (std::size_t i = 0; i < accepted_.size(); ++i) {
      const accepted_change& a = accepted_[i];
      const bool here = !a.place || std::find(words.begin(), words.end(), *a.place) != words.end();
      if (a.quantity != q.name || !here || !std::regex_search(name, a.pattern)) continue;
      used_[i] = true;
      const bool reaches = !a.up_to || (q.when == worse::falling ? after >= *a.up_to : after <= *a.up_to);
      if (reaches && !a.has_ended(options_.today)) return &a;
    }
    return nullptr;
  }

  void vanished(const std::string& name, const std::string& place, const char* what) {
    ++gone_;
    add(name, place, "", "", "", "GONE", same_compiler_ ? weight::failed : weight::inconclusive,
        fmt::format("{}: the {}{}{} vanished", kernel_label(name), what, place.empty() ? "" : " of ", place));
  }

  void is_new(const std::string& name, const std::string& place, const char* what) {
    add(name, place, "", "", "", "NEW", weight::noted,
        fmt::format("{}: the {}{}{} is not in the baseline", kernel_label(name), what,
                    place.empty() ? "" : " of ", place));
  }

  void add(const std::string& name, const std::string& place, const std::string& quantity,
           const std::string& baseline, const std::string& candidate, const char* verdict, weight w,
           const std::string& message) {
    std::string command;
    if (w == weight::failed || w == weight::inconclusive)
      command = fmt::format("{} --filter '{}'", options_.command, plain_name(name));
    report_.findings.push_back(
        {kernel_label(name), place, quantity, baseline, candidate, verdict, w, message, std::move(command)});
  }

  void note_accepted() {
    if (!options_.notes_unused) return;
    for (std::size_t i = 0; i < accepted_.size(); ++i) {
      const accepted_change& a = accepted_[i];
      const char* why = a.has_ended(options_.today) ? "has ended"
                        : !used_[i]                 ? "matches no change here"
                                                    : nullptr;
      if (why)
        report_.findings.push_back({a.kernel, a.place.value_or(""), a.quantity, "", "", "UNUSED",
                                    weight::noted, fmt::format("{}: the accepted change {}", a.where, why),
                                    ""});
    }
  }

  void conclude() {
    report_.gate = "static";
    report_.facts = {{"baseline", side_text(baseline_)}, {"candidate", side_text(candidate_)}};
    std::vector<std::string> missing;
    for (const std::string& architecture : architectures_of(baseline_))
      if (!architectures_.contains(architecture)) missing.push_back(architecture);
    if (!missing.empty())
      report_.facts.emplace_back("not compared", fmt::format("{}: the candidate has no machine code for it",
                                                             fmt::join(missing, ", ")));
    if (!(baseline_.has_sass && candidate_.has_sass))
      report_.facts.emplace_back("not compared", fmt::format("SASS: the {} did not count it (cuobjdump)",
                                                             baseline_.has_sass ? "candidate" : "baseline"));
    report_.facts.emplace_back("tolerance of instruction counts",
                               fmt::format("{:g} %", 100 * options_.instruction_tolerance));
    const std::size_t gone = same_compiler_ ? gone_ : 0;
    const std::size_t failed = findings_of(report_, weight::failed).size() - (options_.strict ? 0 : gone);
    if (failed > 0) {
      report_.verdict = "FAIL";
      report_.reason = reports::counted_noun(failed, "change") + " for the worse";
      report_.exit_code = regression;
    } else if (compared_ == 0) {
      report_.verdict = "INCONCLUSIVE";
      report_.reason = "no kernel has machine code on both sides";
      report_.exit_code = inconclusive;
    } else if (gone > 0) {
      report_.verdict = "INCONCLUSIVE";
      report_.reason = fmt::format(
          "{} of the baseline vanished and {} no longer compared; `static write` makes a baseline without",
          gone == 1 ? "1 kernel, code or launch" : fmt::format("{} kernels, codes or launches", gone),
          gone == 1 ? "is" : "are");
      report_.exit_code = inconclusive;
    } else if (!same_compiler_ || (options_.strict && (!missing.empty() || lacks_sass()))) {
      report_.verdict = "INCONCLUSIVE";
      report_.reason = same_compiler_ ? "not all machine code could be compared"
                                      : fmt::format("CUDA compiler {} made the baseline, {} the candidate",
                                                    baseline_.cuda_compiler, candidate_.cuda_compiler);
      report_.exit_code = inconclusive;
    } else {
      report_.verdict = "PASS";
      report_.reason = fmt::format("{} kernels compared, none worse", compared_);
    }
    print_verdict(report_, options_.command);
  }

  bool lacks_sass() const { return baseline_.has_sass && !candidate_.has_sass; }

  static std::string side_text(const static_facts_file& of) {
    return fmt::format("{} kernels for {}, CUDA compiler {}{}", of.kernels.size(),
                       fmt::join(architectures_of(of), ", "), of.cuda_compiler,
                       of.has_sass ? ", SASS counted" : "");
  }

  const static_facts_file& baseline_;
  const static_facts_file& candidate_;
  const std::vector<accepted_change>& accepted_;
  const static_gate_options& options_;
  const bool same_compiler_;
  std::set<std::string> architectures_;  ///< of the candidate
  std::vector<bool> used_;               ///< which entries of `accepted_` were used
  std::size_t gone_ = 0;                 ///< what vanished
  std::size_t compared_ = 0;  ///< kernels that have machine code for one architecture on both sides
  gate_report report_;
};

}  // namespace

gate_report compare_static_facts(const static_facts_file& baseline, const static_facts_file& candidate,
                                 const std::vector<accepted_change>& accepted,
                                 const static_gate_options& options) {
  return comparison(baseline, candidate, accepted, options).run();
}

std::string kernel_label(const std::string& demangled) {
  std::string out = reports::short_kernel_name(demangled);
  constexpr std::string_view everywhere = "ablate::";
  for (std::size_t at = out.find(everywhere); at != std::string::npos; at = out.find(everywhere, at))
    out.erase(at, everywhere.size());
  return out;
}

}  // namespace ablate::gate
