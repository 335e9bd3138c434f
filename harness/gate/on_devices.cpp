#include "harness/gate/on_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/record/facts.h"
#include "base/text/text.h"
#include "harness/gate/outputs.h"
#include "harness/gate/report.h"

namespace ablate::gate {
namespace {

using nlohmann::ordered_json;

std::string uuid_of(const std::optional<record>& r) {
  return r ? reports::fact(r->device, "uuid").value_or("") : "";
}

/// Which GPU a program took is the driver's answer to a number; the records tell.
void expect_device(const gate_device& on, gate_outcome& of) {
  for (const std::optional<record>* side : {&of.baseline, &of.candidate})
    if (const std::string found = uuid_of(*side);
        !on.uuid.empty() && *side && found != on.uuid && !of.tool_failure)
      of.tool_failure = fmt::format("expected launches on {} ({}), found some on {}", on.name, on.uuid,
                                    found.empty() ? "a GPU without UUID" : found);
}

constexpr int exit_codes_by_weight[] = {3, 1, 75, 4};

const char* word_of_code(int code) {
  switch (code) {
    case 3:
      return "WRONG";
    case 1:
      return "FAIL";
    case 75:
      return "FAILED";
    default:
      return "PASS";
  }
}

/// The findings of one device, so that it is computed once.
std::vector<gate_report> reports_of(const std::vector<device_gate>& gates) {
  std::vector<gate_report> out;
  for (const device_gate& g : gates) out.push_back(report_of(g.outcome, g.request, g.command));
  return out;
}

bool weighs_more(weight a, weight b) { return static_cast<int>(a) < static_cast<int>(b); }

std::string device_table(const std::vector<device_gate>& gates, const reports::terminal& on) {
  std::vector<std::vector<reports::terminal_cell>> rows(1);
  rows.front().push_back({"VERDICT", reports::ink::faint});
  for (const device_gate& g : gates) rows.front().push_back({g.on.name, reports::ink::faint});
  rows.front().push_back({"CASE", reports::ink::faint});
  for (const case_on_devices& c : cases_on(gates)) {
    if (!c.differs && c.verdict == "SAME") continue;
    rows.emplace_back();
    rows.back().push_back({c.verdict});
    for (std::size_t i = 0; i < gates.size(); ++i)
      rows.back().push_back({c.verdicts[i].empty() ? "-" : c.verdicts[i] + " " + c.changes[i]});
    rows.back().push_back({c.name + (c.differs ? " (differs by device)" : "")});
  }
  return rows.size() == 1 ? "" : "\n" + reports::laid_out(rows, {.wrap = {gates.size() + 1}}, on);
}

}  // namespace

std::string device_gate::title() const {
  return on.uuid.empty() ? on.name : fmt::format("{} ({})", on.name, on.uuid);
}

std::vector<device_gate> run_on_devices(const gate_request& request, const std::vector<gate_device>& devices,
                                        const std::vector<gate_command>& commands) {
  std::vector<device_gate> out;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    gate_request here = request;
    here.device = devices[i].option;
    here.out = request.out / devices[i].name;
    if (i > 0) here.findings.reset();
    out.push_back({devices[i], here, commands[i], run_gate(here)});
    expect_device(devices[i], out.back().outcome);
  }
  return out;
}

std::vector<case_on_devices> cases_on(const std::vector<device_gate>& gates) {
  std::vector<case_on_devices> out;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const device_gate& g = gates[i];
    for (const case_decision& d : by_effect(g.outcome.decision)) {
      const finding f = finding_of(d, g.request, g.command, g.outcome.decision.invalid_run.has_value());
      const auto [place, is_new] = places.emplace(d.name, out.size());
      if (is_new) {
        out.push_back({d.name, {}, {}, f.verdict, f.weighs});
        out.back().verdicts.resize(gates.size());
        out.back().changes.resize(gates.size());
      }
      case_on_devices& c = out[place->second];
      c.verdicts[i] = f.verdict;
      c.changes[i] = change_text(d);
      if (!weighs_more(f.weighs, c.weighs)) continue;
      c.weighs = f.weighs;
      c.verdict = f.verdict;
    }
  }
  for (case_on_devices& c : out)
    c.differs = std::any_of(c.verdicts.begin(), c.verdicts.end(),
                            [&](const std::string& word) { return word != c.verdicts.front(); });
  std::stable_sort(out.begin(), out.end(), [](const case_on_devices& a, const case_on_devices& b) {
    return weighs_more(a.weighs, b.weighs);
  });
  return out;
}

gate_report report_of(const std::vector<device_gate>& gates) {
  const std::vector<gate_report> each = reports_of(gates);
  gate_report out;
  out.gate = "timing";
  for (const int code : exit_codes_by_weight)
    if (out.exit_code == 0 &&
        std::any_of(each.begin(), each.end(), [&](const gate_report& r) { return r.exit_code == code; }))
      out.exit_code = code;
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    for (const auto& [name, value] : each[i].facts)
      out.facts.emplace_back(gates[i].on.name + ", " + name, value);
    for (finding f : each[i].findings) {
      f.place = (f.place.empty() ? "" : f.place + ", ") + gates[i].title();
      f.message = gates[i].on.name + ": " + f.message;
      out.findings.push_back(std::move(f));
    }
    if (each[i].exit_code != out.exit_code) continue;
    if (reasons.empty()) out.verdict = out.exit_code == 4 ? each[i].verdict : word_of_code(out.exit_code);
    reasons.push_back(gates[i].on.name + ": " + each[i].reason);
  }
  out.reason = reports::joined(reasons, "; ");
  return out;
}

std::string devices_text(const std::vector<device_gate>& gates, bool all, const reports::terminal& on) {
  std::string out;
  for (const device_gate& g : gates)
    out += fmt::format("{}== {}\n", out.empty() ? "" : "\n", g.title()) +
           gate_text(g.outcome, g.request, g.command, all, on);
  out += "\n== all devices\n" + device_table(gates, on);
  return out + conclusion_text(report_of(gates));
}

std::string devices_markdown(const std::vector<device_gate>& gates) {
  std::string out = report_markdown(report_of(gates));
  std::vector<std::string> header = {"case", "verdict"};
  for (const device_gate& g : gates) header.push_back(g.on.name);
  out += "\n" + reports::table_header(header, 1);
  for (const case_on_devices& c : cases_on(gates)) {
    std::vector<std::string> cells = {"`" + c.name + "`" + (c.differs ? " (differs by device)" : ""),
                                      c.verdict};
    for (std::size_t i = 0; i < gates.size(); ++i)
      cells.push_back(c.verdicts[i].empty() ? "" : c.verdicts[i] + " " + c.changes[i]);
    out += reports::table_row(cells);
  }
  return out;
}

ordered_json devices_json(const std::vector<device_gate>& gates, const gate_command& command) {
  const gate_report r = report_of(gates);
  ordered_json cases = ordered_json::array(), devices = ordered_json::array();
  for (const case_on_devices& c : cases_on(gates)) {
    ordered_json verdicts = ordered_json::object();
    for (std::size_t i = 0; i < gates.size(); ++i)
      if (!c.verdicts[i].empty()) verdicts[gates[i].on.name] = c.verdicts[i];
    cases.push_back({{"name", c.name},
                     {"verdict", c.verdict},
                     {"differs_by_device", c.differs},
                     {"verdicts", std::move(verdicts)}});
  }
  for (const device_gate& g : gates)
    devices.push_back({{"name", g.on.name},
                       {"uuid", g.on.uuid.empty() ? ordered_json() : ordered_json(g.on.uuid)},
                       {"gate", gate_json(g.outcome, g.request, g.command)}});
  return {{"devices_gate_schema", "1.0.0"}, {"verdict", r.verdict},    {"reason", r.reason},
          {"exit_code", r.exit_code},       {"command", command.text}, {"cases", std::move(cases)},
          {"devices", std::move(devices)}};
}

}  // namespace ablate::gate
