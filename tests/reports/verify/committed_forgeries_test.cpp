#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/record/floors.h"
#include "harness/cli/data_sheets.h"
#include "reports/verify/verify.h"
#include "tests/support/committed_records.h"
#include "tests/support/paths.h"

namespace ablate::verify::committed_forgeries_test {
namespace {

using nlohmann::ordered_json;

/// Reads each once, for all tests of this process.
const std::vector<checked_record>& all_records() {
  static const std::vector<checked_record> all = [] {
    std::vector<checked_record> out;
    for (const auto& path : test_support::committed_records()) out.push_back(read(path));
    return out;
  }();
  return all;
}

const checked_record& record_named(const std::string& suite) {
  for (const checked_record& r : all_records())
    if (r.file.ends_with("h200/" + suite + "/record.json.xz")) return r;
  throw std::runtime_error("no record of " + suite);
}

std::string text_of(const std::vector<finding>& findings) {
  std::string out;
  for (const finding& f : findings) out += f.text() + "\n";
  return out;
}

/// "h200/psh /work/flops CASE", as in known_marks.txt.
std::string mark_of(const finding& f) {
  const std::string folder = f.file.substr(0, f.file.rfind('/'));
  const std::size_t suite = folder.rfind('/'), chip = folder.rfind('/', suite - 1);
  const std::size_t field = f.pointer.find('/', std::string_view("/benchmarks/").size());
  return folder.substr(chip + 1) + " " + f.pointer.substr(field) + " " + f.case_name;
}

/// By record, field and case, each under its reason: none may be missing, and no other be there.
std::set<std::string> known_marks() {
  std::ifstream in(test_support::source_path("tests/reports/verify/known_marks.txt"));
  std::set<std::string> out;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') out.insert(line);
  return out;
}

const held_against& all_known() {
  static const held_against all = {data_sheet_of};
  return all;
}

TEST(CommittedRecordsVerified, HaveNoContradictionsAndTheKnownMarksAlone) {
  const verification found = verify(all_records(), {}, all_known());
  std::set<std::string> marks = known_marks();
  for (const finding& f : found.findings)
    if (f.weight == severity::contradiction || marks.erase(mark_of(f)) == 0) ADD_FAILURE() << f.text();
  for (const std::string& gone : marks) ADD_FAILURE() << "no longer found: " << gone;
  EXPECT_GT(found.with_plan, 3000u);
  EXPECT_EQ(found.with_data_sheet, found.cases);
  EXPECT_GT(found.with_counts, 500u);
  EXPECT_GT(found.with_fleet, 500u);
}

TEST(CommittedRecordsVerified, TheOneOfAProjectOutsideOfTheTreeIsCleanToo) {
  const checked_record rows = read(test_support::source_path("tests/package/results/h200/rows/record.json"));
  const verification found = verify({rows}, {}, all_known());
  EXPECT_EQ(text_of(found.findings), "");
  EXPECT_EQ(found.with_data_sheet, found.cases);
  std::set<std::string> variants;
  for (const ordered_json& entry : rows.json.at("benchmarks")) {
    if (entry.contains("ceiling")) continue;
    EXPECT_FALSE(entry.at("counters").at("values").empty()) << entry.at("name");
    if (entry.at("operation") == "softmax") variants.insert(entry.at("variant").get<std::string>());
    EXPECT_EQ(entry.at("check").contains("against"), entry.at("operation") == "row_sums");
  }
  EXPECT_EQ(variants.size(), 4u);
}

/// Multiplies all times of an entry, so that they agree with each other.
void scale(ordered_json& entry, double factor) {
  const auto by = [&](ordered_json& us) { us = us.get<double>() * factor; };
  ordered_json& time = entry["time_us"];
  for (const char* key : {"median", "min", "mad", "ci95_low", "ci95_high"}) by(time[key]);
  for (ordered_json& sample : time["samples"]) by(sample);
  for (const char* key : {"real_time", "cpu_time"}) entry[key] = time["median"];
  ordered_json& floors = entry["floors"];
  if (floors.is_object() && floors["time_over_floor"].is_number()) by(floors["time_over_floor"]);
}

/// By the floors of ceilings that are scaled, too, and of a rival its turns.
void scale_what_follows(ordered_json& entry, double factor) {
  ordered_json& floors = entry["floors"];
  for (auto& [key, value] : floors.items())
    if (value.is_number()) value = value.get<double>() * (key == "time_over_floor" ? 1 / factor : factor);
  if (entry.contains("in_turns"))
    for (ordered_json& round : entry["in_turns"])
      for (auto& [variant, turn] : round.items())
        turn["median_us"] = turn["median_us"].get<double>() * factor;
}

void scale_ceiling(ordered_json& ceiling, double factor) {
  if (ceiling.contains("rate_per_s")) ceiling["rate_per_s"] = ceiling["rate_per_s"].get<double>() / factor;
  if (ceiling.contains("us")) ceiling["us"] = ceiling["us"].get<double>() * factor;
}

void scale_calibration(ordered_json& record, const std::string& name, double factor) {
  ordered_json& ceiling = record["context"]["ablate"]["ceilings"][name];
  for (ordered_json& entry : record["benchmarks"])
    if (entry["name"] == ceiling["case"]) scale(entry, factor);
  scale_ceiling(ceiling, factor);
}

ordered_json& first_of(ordered_json& record, const std::function<bool(const ordered_json&)>& wanted) {
  for (ordered_json& entry : record["benchmarks"])
    if (!entry.contains("ceiling") && wanted(entry)) return entry;
  throw std::runtime_error("no such entry");
}

ordered_json& any_case(ordered_json& record) {
  return first_of(record, [](const ordered_json&) { return true; });
}

/// A case that must read far more than an empty launch takes.
ordered_json& case_of_many_bytes(ordered_json& record) {
  return first_of(record, [](const ordered_json& entry) {
    const ordered_json& floors = entry["floors"];
    return entry["cache_state"] == "cold-clean" && floors.contains("dram_us") &&
           floors["dram_us"].get<double>() > 4 * floors["launch_us"].get<double>();
  });
}

struct forgery {
  std::string what;
  std::function<void(ordered_json&)> forge;
  std::string found_at;  ///< part of the pointer of a finding; empty: cannot be found, and why
  std::string why_not = {};
};

const std::vector<forgery>& forgeries() {
  static const std::vector<forgery> all = {
      {"a median that its samples do not have",
       [](ordered_json& r) {
         ordered_json& entry = any_case(r);
         for (const char* key : {"median", "ci95_low"}) entry["time_us"][key] = entry["time_us"]["min"];
         entry["real_time"] = entry["cpu_time"] = entry["time_us"]["median"];
       },
       "/time_us/median"},
      {"an interval that is narrower than the samples'",
       [](ordered_json& r) {
         ordered_json& time = any_case(r)["time_us"];
         time["ci95_low"] = time["median"];
       },
       "/time_us/ci95_low"},
      {"another real_time for Google Benchmark's tools",
       [](ordered_json& r) { any_case(r)["real_time"] = any_case(r)["real_time"].get<double>() / 2; },
       "/real_time"},
      {"more launches than there were samples",
       [](ordered_json& r) { any_case(r)["iterations"] = 1'000'000; }, "/iterations"},
      {"the time of one variant under the name of another",
       [](ordered_json& r) { any_case(r)["variant"] = "better"; }, "/name"},
      {"a harder workload under the name of an easier one",
       [](ordered_json& r) {
         ordered_json& axes = any_case(r)["axes"];
         axes.front() = axes.front().get<std::string>() + "0";
       },
       "/name"},
      {"a case that takes next to no time",
       [](ordered_json& r) { scale(any_case(r), 0.001 / any_case(r)["real_time"].get<double>()); },
       "/time_us/median"},
      {"a case that moves its bytes faster than the memory can",
       [](ordered_json& r) {
         ordered_json& entry = case_of_many_bytes(r);
         scale(entry, 0.5 * entry["floors"]["dram_us"].get<double>() / entry["real_time"].get<double>());
       },
       "/time_us/median"},
      {"a calibration that multiplies faster than any clock lets it",
       [](ordered_json& r) { scale_calibration(r, "fma_f32_flops", 0.9); }, "/time_us/median"},
      {"a counted launch that moves bytes faster than the memory can",
       [](ordered_json& r) {
         for (ordered_json& entry : r["benchmarks"])
           if (entry.value("ceiling", "") == "dram_copy_bytes") {
             ordered_json& rate = entry["counters"]["values"]["dram__bytes_read.sum.per_second"];
             rate = rate.get<double>() * 1.5;
           }
       },
       "/counters/values/dram__bytes_read.sum.per_second"},
      {"a ceiling that no calibration reached",
       [](ordered_json& r) {
         ordered_json& rate = r["context"]["ablate"]["ceilings"]["l2_bytes"]["rate_per_s"];
         rate = rate.get<double>() / 2;  // so that every hot case looks twice as good
       },
       "/context/ablate/ceilings/l2_bytes"},
      {"a ceiling with its calibration", [](ordered_json& r) { scale_calibration(r, "l2_bytes", 1.5); },
       "/context/ablate/ceilings/l2_bytes"},
      {"a kernel that executes fewer instructions than the one of these sources",
       [](ordered_json& r) {
         for (ordered_json& entry : r["benchmarks"])
           if (entry.value("ceiling", "") == "dram_copy_bytes") {
             ordered_json& count = entry["counters"]["values"]["smsp__inst_executed.sum"];
             count = count.get<double>() * 0.99;
           }
       },
       "/counters/values/smsp__inst_executed.sum"},
      {"an error above the accepted one",
       [](ordered_json& r) {
         ordered_json& check = first_of(
             r, [](const ordered_json& entry) { return entry["check"].contains("accepted_error"); })["check"];
         check["max_error"] = 1 + check["accepted_error"].get<double>();
       },
       "/check/max_error"},
      {"one case that is 5 % faster, its samples too",
       [](ordered_json& r) {
         scale(first_of(r, [](const ordered_json& entry) { return entry["real_time"].get<double>() > 100; }),
               0.95);
       },
       "", "no count and no floor depends on it, and no other record has the case"},
      {"the whole record 1 % faster",
       [](ordered_json& r) {
         for (ordered_json& entry : r["benchmarks"]) {
           scale(entry, 0.99);
           scale_what_follows(entry, 0.99);
         }
         for (auto& [name, ceiling] : r["context"]["ablate"]["ceilings"].items())
           scale_ceiling(ceiling, 0.99);
       },
       "", "GPUs of one product differ by more"},
      {"another GPU", [](ordered_json& r) { r["context"]["ablate"]["device"]["uuid"] = "GPU-0"; }, "",
       "a UUID is a name; two GPUs of one kind measure alike"},
      {"counts of a case that no other record of these sources has",
       [](ordered_json& r) {
         ordered_json& counters = any_case(r)["counters"];
         ordered_json& count = counters["values"]["smsp__inst_executed.sum"];
         count = count.get<double>() * 0.9;
         counters["kernels"][0]["values"]["smsp__inst_executed.sum"] = count;
       },
       "", "there is nothing to hold them against"},
  };
  return all;
}

/// Forged is one of two records of the same sources; the others are the fleet.
verification of_forged(const forgery& forged) {
  checked_record made = record_named("attention_quick");
  forged.forge(made.json);
  std::vector<checked_record> beside;
  for (const char* suite : {"attention_overflow", "shared_memory_siblings", "voxelization", "psh"})
    beside.push_back(record_named(suite));
  return verify({made}, beside, all_known());
}

TEST(CommittedForgeries, AreFoundOrSaidNotToBe) {
  for (const forgery& forged : forgeries()) {
    const verification found = of_forged(forged);
    if (forged.found_at.empty()) {
      EXPECT_EQ(text_of(found.findings), "") << forged.what << " is said not to be found: " << forged.why_not;
      continue;
    }
    std::string pointers;
    for (const finding& f : found.findings) pointers += f.pointer + "\n";
    EXPECT_THAT(pointers, ::testing::HasSubstr(forged.found_at)) << forged.what;
  }
}

/// What check_floors finds in a record of this suite where one case takes `factor` of its time.
std::string floors_found(const std::string& suite, const std::string& case_prefix, double factor) {
  checked_record made = record_named(suite);
  scale(first_of(made.json,
                 [&](const ordered_json& entry) {
                   return entry["name"].get<std::string>().starts_with(case_prefix);
                 }),
        factor);
  std::vector<finding> found;
  check_floors(made, data_sheet_of, found);
  return text_of(found);
}

// Of the 119 GB that were counted, 110 were moved again: launches that found more of them in L2 can be
// faster.
TEST(CommittedForgeries, BytesMovedAgainInTheCountedLaunchBoundOthersByHalf) {
  const std::string suite = "selection_attention", reads_again = "selection_attention/staged/images=1024/";
  EXPECT_EQ(floors_found(suite, reads_again, 1), "");
  EXPECT_EQ(floors_found(suite, reads_again, 0.85), "");
  EXPECT_THAT(floors_found(suite, reads_again, 0.45), ::testing::HasSubstr("DRAM bytes counted beyond it"));
}

TEST(CommittedForgeries, BytesThatMustBeMovedBoundAllLaunches) {
  const std::string suite = "block_pooling", reads_once = "block_pooling/warp_per_block/images=1024/";
  EXPECT_EQ(floors_found(suite, reads_once, 1), "");
  EXPECT_THAT(floors_found(suite, reads_once, 0.85), ::testing::HasSubstr("the bytes of its work"));
}

TEST(CommittedForgeries, ATrueRecordBesideThemIsClean) {
  EXPECT_EQ(text_of(of_forged({"nothing", [](ordered_json&) {}, ""}).findings), "");
}

}  // namespace
}  // namespace ablate::verify::committed_forgeries_test
