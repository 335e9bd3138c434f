// A record in an older form and the same in the present one: no report tells them apart.
#include <map>

#include "base/record/identity.h"
#include "base/record/record_file.h"
#include "reports/claims/claims_judge.h"
#include "reports/page/html_data.h"
#include "reports/report/report.h"
#include "tests/reports/counted_record.h"

namespace ablate::reports::rewrite_test {
namespace {

using nlohmann::ordered_json;

/// The counted record as version 1.1 wrote it: an object of counters for each kernel, with all digits and the
/// longest kernel's cycles as the case's, static facts of kernels that no case launched, everything on one
/// line.
std::filesystem::path older_record(const std::filesystem::path& folder) {
  const auto path = counted_record(folder);
  ordered_json older = parse_record_as_written(path);
  older["context"]["ablate"]["record_schema"] = "1.1.0";
  older["context"]["ablate"].erase("upgraded_from");
  ordered_json& counters = older["benchmarks"][15]["counters"];
  counters["values"]["sm__cycles_elapsed.max"] = counters["kernels"][1]["values"]["sm__cycles_elapsed.max"];
  counters["kernels"][1]["values"]["sm__warps_active.avg.pct_of_peak_sustained_active"] = 12.345678901;
  ordered_json& facts = older["context"]["ablate"]["kernels"];
  const ordered_json build = {{"sm_90a",
                               {{"registers", 32},
                                {"spill_store_bytes", 0},
                                {"spill_load_bytes", 0},
                                {"stack_bytes", 0},
                                {"static_shared_bytes", 0}}}};
  for (const char* kernel :
       {"ablate::scatter::clear(int*, int)", "ablate::idle()", "void ablate::idle<int>()"})
    facts[kernel] = build;
  std::ofstream(path, std::ios::binary) << older.dump();
  return path;
}

std::map<std::string, std::string> report_of(const std::filesystem::path& record) {
  const auto out = record.parent_path() / "report";
  std::filesystem::remove_all(out);
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({record}, out);
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out))
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), out).string()] = text_of(entry.path());
  return files;
}

TEST(RewriteRecord, GivesTheSameReports) {
  const auto path = older_record(fresh_folder());
  const auto before = report_of(path);
  EXPECT_GT(before.size(), 5u);
  rewrite_record(path, path);
  const auto after = report_of(path);
  ASSERT_EQ(after.size(), before.size());
  for (const auto& [name, text] : before) EXPECT_EQ(after.at(name), text) << name;
}

TEST(RewriteRecord, ChangesNothingButForm) {
  const auto path = older_record(fresh_folder());
  const ordered_json before = parse_record_as_written(path);
  rewrite_record(path, path);
  ordered_json after = parse_record_as_written(path);
  EXPECT_EQ(after["context"]["ablate"]["kernels"].size(), 3u) << "those that no case launched go";
  after["context"]["ablate"]["kernels"] = before["context"]["ablate"]["kernels"];
  EXPECT_EQ(after, before);
}

TEST(RewriteRecord, TwiceIsOnce) {
  const auto path = older_record(fresh_folder());
  rewrite_record(path, path);
  const std::string once = text_of(path);
  rewrite_record(path, path);
  EXPECT_EQ(text_of(path), once);
}

TEST(RewriteRecord, LeavesClaimsTheirEvidenceAndHistoriesTheirIdentity) {
  const auto path = older_record(fresh_folder());
  const ordered_json evidence = read_claim_evidence(path).entries;
  const auto identity = [&] { return history::record_hash(history::without_form(parse_record_file(path))); };
  const std::string before = identity();
  rewrite_record(path, path);
  EXPECT_EQ(read_claim_evidence(path).entries, evidence);
  EXPECT_EQ(identity(), before);
}

TEST(RewriteRecord, DerivesNothingAnew) {
  const auto path = older_record(fresh_folder());
  ordered_json older = parse_record_file(path);
  older["benchmarks"][2]["floors"]["bytes_us"] = 123.5;
  older["context"]["ablate"]["ceilings"]["dram_bytes"]["rate_per_s"] = 1e12;
  std::ofstream(path, std::ios::binary) << older.dump();
  rewrite_record(path, path);
  const ordered_json after = parse_record_file(path);
  EXPECT_EQ(after["benchmarks"][2]["floors"]["bytes_us"], 123.5);
  EXPECT_EQ(after["context"]["ablate"]["ceilings"]["dram_bytes"]["rate_per_s"], 1e12);
}

}  // namespace
}  // namespace ablate::reports::rewrite_test
