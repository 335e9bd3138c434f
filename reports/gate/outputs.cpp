#include "reports/gate/outputs.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace ablate::gate {
namespace {

using nlohmann::ordered_json;

const char* word_of(weight w) {
  switch (w) {
    case weight::failed:
      return "failed";
    case weight::inconclusive:
      return "inconclusive";
    case weight::noted:
      return "noted";
    case weight::passed:
      return "passed";
  }
  return "";
}

/// "registers, sm_90a"
std::string what_of(const finding& f) {
  return f.quantity + (f.quantity.empty() || f.place.empty() ? "" : ", ") + f.place;
}

std::string heading(const gate_report& r) {
  return fmt::format("{} gate: {}{}{}", r.gate, r.verdict, r.reason.empty() ? "" : ": ", r.reason);
}

/// By weight, heaviest first; each weight in its own order.
std::vector<const finding*> not_passed(const gate_report& r) {
  std::vector<const finding*> out;
  for (const weight w : {weight::failed, weight::inconclusive, weight::noted})
    for (const finding* f : findings_of(r, w)) out.push_back(f);
  return out;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string in_xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        // XML 1.0 allows no other control characters, not even escaped ones.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\t') out += c;
    }
  }
  return out;
}

/// These characters are special in GitHub's commands, more of them in properties than in messages.
std::string in_command(const std::string& text, bool is_property) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (is_property && c == ':')
      out += "%3A";
    else if (is_property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::vector<const finding*> findings_of(const gate_report& r, weight w) {
  std::vector<const finding*> out;
  for (const finding& f : r.findings)
    if (f.weighs == w) out.push_back(&f);
  return out;
}

void print_verdict(gate_report& r, const std::string& command) {
  if (r.exit_code == 0 || !findings_of(r, weight::failed).empty()) return;
  r.findings.push_back(
      {"the gate", "", "", "", "", r.verdict, weight::failed, "the gate: " + r.reason, command});
}

std::string conclusion_text(const gate_report& r) {
  std::string commands;
  for (const finding* f : findings_of(r, weight::failed))
    if (!f->command.empty() && commands.find("  " + f->command + "\n") == std::string::npos)
      commands += "  " + f->command + "\n";
  return (commands.empty() ? "" : "\nto compare the failures again:\n" + commands) + "\n" + heading(r) + "\n";
}

std::string report_text(const gate_report& r) {
  std::string out;
  for (const auto& [name, value] : r.facts) out += fmt::format("{}: {}\n", name, value);
  std::vector<std::vector<std::string>> rows = {
      {"VERDICT", "QUANTITY", "WHERE", "BASELINE", "CANDIDATE", "SUBJECT"}};
  for (const finding* f : not_passed(r))
    rows.push_back({f->verdict, or_dash(f->quantity), or_dash(f->place), or_dash(f->baseline),
                    or_dash(f->candidate), f->subject});
  if (rows.size() > 1) out += "\n" + reports::columns(rows);
  return out + conclusion_text(r);
}

std::string report_markdown(const gate_report& r) {
  std::string out = "## " + heading(r) + "\n\n";
  for (const auto& [name, value] : r.facts) out += fmt::format("- {}: {}\n", name, value);
  out += fmt::format("- passed: {}\n", findings_of(r, weight::passed).size());
  const auto shown = not_passed(r);
  if (shown.empty()) return out;
  out +=
      "\n" + reports::table_header({"verdict", "subject", "quantity", "where", "baseline", "candidate"}, 4);
  for (const finding* f : shown)
    out += reports::table_row({f->weighs == weight::failed ? "**" + f->verdict + "**" : f->verdict,
                               "`" + f->subject + "`", f->quantity, f->place, f->baseline, f->candidate});
  std::string messages;
  for (const finding* f : findings_of(r, weight::failed)) {
    messages += fmt::format("- {}", f->message);
    if (!f->command.empty()) messages += fmt::format(": `{}`", f->command);
    messages += "\n";
  }
  return out +
         (messages.empty() ? "" : "\nFailures, with the command that compares each again:\n\n" + messages);
}

ordered_json report_json(const gate_report& r) {
  ordered_json facts = ordered_json::object();
  for (const auto& [name, value] : r.facts) facts[name] = value;
  ordered_json findings = ordered_json::array();
  for (const finding& f : r.findings)
    findings.push_back({{"subject", f.subject},
                        {"place", f.place},
                        {"quantity", f.quantity},
                        {"baseline", f.baseline},
                        {"candidate", f.candidate},
                        {"verdict", f.verdict},
                        {"weight", word_of(f.weighs)},
                        {"message", f.message},
                        {"command", f.command}});
  return {{"gate", r.gate},           {"verdict", r.verdict},      {"reason", r.reason},
          {"exit_code", r.exit_code}, {"facts", std::move(facts)}, {"findings", std::move(findings)}};
}

std::string report_junit(const gate_report& r) {
  const std::size_t failed = findings_of(r, weight::failed).size();
  const std::size_t skipped = findings_of(r, weight::inconclusive).size();
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"ablate {} gate\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n<properties>\n",
      in_xml(r.gate), r.findings.size(), failed, skipped);
  std::vector<std::pair<std::string, std::string>> properties = r.facts;
  properties.emplace_back("verdict", r.verdict);
  properties.emplace_back("reason", r.reason);
  for (const auto& [name, value] : properties)
    out += fmt::format("<property name=\"{}\" value=\"{}\"/>\n", in_xml(name), in_xml(value));
  out += "</properties>\n";
  for (const finding& f : r.findings) {
    const std::string what = what_of(f);
    out += fmt::format("<testcase classname=\"ablate.{}\" name=\"{}\"", in_xml(r.gate),
                       in_xml(f.subject + (what.empty() ? "" : ": " + what)));
    const std::string command = f.command.empty() ? "" : "\n" + f.command;
    switch (f.weighs) {
      case weight::failed:
        out += fmt::format("><failure type=\"{}\" message=\"{}\">{}</failure></testcase>\n",
                           in_xml(f.verdict), in_xml(f.message), in_xml(f.message + command));
        break;
      case weight::inconclusive:
        out += fmt::format("><skipped message=\"{}\"/></testcase>\n", in_xml(f.message));
        break;
      case weight::noted:
        out += fmt::format("><system-out>{}</system-out></testcase>\n", in_xml(f.message));
        break;
      case weight::passed:
        out += "/>\n";
        break;
    }
  }
  return out + "</testsuite>\n</testsuites>\n";
}

std::string report_annotations(const gate_report& r) {
  std::string out;
  for (const finding* f : not_passed(r)) {
    const char* command = f->weighs == weight::failed         ? "error"
                          : f->weighs == weight::inconclusive ? "warning"
                                                              : "notice";
    const std::string title = fmt::format("{} gate: {}", r.gate, f->verdict);
    const std::string message = f->message + (f->command.empty() ? "" : "\n" + f->command);
    out += fmt::format("::{} title={}::{}\n", command, in_command(title, true), in_command(message, false));
  }
  return out;
}

}  // namespace ablate::gate
