#include "reports/verify/verify.h"

#include <fmt/format.h>

#include "reports/record/compact_counters.h"
#include "reports/record/record.h"

namespace ablate::verify {

using nlohmann::ordered_json;

checked_record read(const std::filesystem::path& path) {
  read_record(path);  // refuses what is no record
  return {path.string(), reports::parse_record_file(path)};
}

verification verify(const std::vector<checked_record>& records, const std::vector<checked_record>& beside,
                    const data_sheets& sheets) {
  verification out;
  for (const checked_record& r : records) {
    std::vector<const checked_record*> others;
    for (const std::vector<checked_record>* of : {&records, &beside})
      for (const checked_record& other : *of)
        if (&other != &r) others.push_back(&other);
    out.cases += r.json.at("benchmarks").size();
    check_by_itself(r, out.findings);
    out.with_data_sheet += check_floors(r, sheets, out.findings);
    out.with_fleet += check_fleet(r, others, out.findings);
    out.with_counts += check_counts(r, others, out.findings);
  }
  return out;
}

std::string verification_text(const verification& v, std::size_t records) {
  std::string out;
  for (const finding& f : v.findings) out += f.text() + "\n";
  out += fmt::format("{} {}, {} cases: {}\n", records, records == 1 ? "record" : "records", v.cases,
                     v.findings.empty() ? "nothing found" : fmt::format("{} findings", v.findings.size()));
  out += fmt::format("  {:>6} cases held against a data sheet\n", v.with_data_sheet);
  out += fmt::format("  {:>6} cases whose counts were held against another record of the same sources\n",
                     v.with_counts);
  out += fmt::format("  {:>6} ceilings held against those of three or more other records of the product\n",
                     v.with_fleet);
  return out;
}

ordered_json verification_json(const verification& v) {
  ordered_json findings = ordered_json::array();
  for (const finding& f : v.findings)
    findings.push_back({{"file", f.file}, {"pointer", f.pointer}, {"what", f.what}});
  return {{"cases", v.cases},
          {"held_against",
           {{"data_sheet", v.with_data_sheet}, {"counts", v.with_counts}, {"fleet", v.with_fleet}}},
          {"findings", std::move(findings)}};
}

}  // namespace ablate::verify
