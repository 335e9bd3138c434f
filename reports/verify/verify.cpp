#include "reports/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/record/record.h"
#include "base/record/record_file.h"
#include "base/text/bad_input.h"
#include "base/text/or_null.h"

namespace ablate::verify {

using nlohmann::ordered_json;

namespace {

/// The case of a place within `benchmarks`; empty for another place.
std::string case_at(const checked_record& r, const std::string& pointer) {
  constexpr std::string_view list = "/benchmarks/";
  if (!pointer.starts_with(list)) return "";
  std::size_t i = 0;
  std::from_chars(pointer.data() + list.size(), pointer.data() + pointer.size(), i);
  return r.json.at("benchmarks").at(i).at("name").get<std::string>();
}

/// What every record has is not looked for before each check: without it a file is no record.
[[noreturn]] void refuse(const checked_record& r, const ordered_json::exception& lacking) {
  const std::string_view message = lacking.what();
  throw bad_input(
      r.file, "",
      fmt::format("expected a record as `ablate run` writes it: {}", message.substr(message.find(' ') + 1)));
}

}  // namespace

std::string finding::text() const {
  return fmt::format("{}: {}{}: {}{}", file, pointer, case_name.empty() ? "" : " (" + case_name + ")",
                     weight == severity::mark ? "mark: " : "", what);
}

std::size_t verification::contradictions() const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity::contradiction, &finding::weight));
}

checked_record read(const std::filesystem::path& path) {
  read_record(path);  // refuses what is no record
  return {path.string(), reports::parse_record_file(path)};
}

verification verify(const std::vector<checked_record>& records, const std::vector<checked_record>& beside,
                    const held_against& against) {
  verification out;
  for (const checked_record& r : records) {
    std::vector<const checked_record*> others;
    for (const std::vector<checked_record>* of : {&records, &beside})
      for (const checked_record& other : *of)
        if (&other != &r) others.push_back(&other);
    out.cases += r.json.at("benchmarks").size();
    const std::size_t first = out.findings.size();
    try {
      check_by_itself(r, out.findings);
      check_derived(r, out.findings);
      check_alike(r, out.findings);
      check_counted(r, out.findings);
      check_context(r, against, out.findings);
      out.with_plan += check_complete(r, against.plans, out.findings);
      out.with_data_sheet += check_floors(r, against.sheets, out.findings);
      out.with_fleet += check_fleet(r, others, out.findings);
      out.with_counts += check_counts(r, others, out.findings);
    } catch (const ordered_json::exception& lacking) {
      refuse(r, lacking);
    }
    for (std::size_t i = first; i < out.findings.size(); ++i)
      out.findings[i].case_name = case_at(r, out.findings[i].pointer);
  }
  return out;
}

std::string verification_text(const verification& v, std::size_t records) {
  std::string out;
  for (const finding& f : v.findings) out += f.text() + "\n";
  out += fmt::format("{} {}, {} cases: {}\n", records, records == 1 ? "record" : "records", v.cases,
                     v.findings.empty() ? "nothing found"
                                        : fmt::format("{} contradictions, {} marks", v.contradictions(),
                                                      v.findings.size() - v.contradictions()));
  out += fmt::format("  {:>6} cases checked against a data sheet\n", v.with_data_sheet);
  out += fmt::format("  {:>6} cases whose counts were checked against another record of the same sources\n",
                     v.with_counts);
  out += fmt::format("  {:>6} cases of records whose plan is known\n", v.with_plan);
  out += fmt::format("  {:>6} ceilings checked against those of three or more other records of the product\n",
                     v.with_fleet);
  return out;
}

ordered_json verification_json(const verification& v) {
  ordered_json findings = ordered_json::array();
  for (const finding& f : v.findings)
    findings.push_back({{"file", f.file},
                        {"pointer", f.pointer},
                        {"case", reports::text_or_null(f.case_name)},
                        {"severity", f.weight == severity::mark ? "mark" : "contradiction"},
                        {"what", f.what}});
  return {{"cases", v.cases},
          {"held_against",
           {{"data_sheet", v.with_data_sheet},
            {"counts", v.with_counts},
            {"fleet", v.with_fleet},
            {"plan", v.with_plan}}},
          {"findings", std::move(findings)}};
}

}  // namespace ablate::verify
