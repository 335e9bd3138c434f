#include "base/record/writer.h"

#include <cmath>
#include <limits>

#include "base/record/record.h"
#include "base/record/record_file.h"
#include "tests/reports/made_record.h"

namespace ablate::reports::writer_test {
namespace {

using nlohmann::ordered_json;

/// A calibration as the runner hands it in.
ordered_json calibration(const std::string& ceiling, const std::string& name, double median,
                         const ordered_json& work) {
  ordered_json out = made_record()["benchmarks"][0];
  out.erase("floors");
  out["name"] = out["run_name"] = name;
  out["ceiling"] = ceiling;
  out["work"] = work;
  for (const char* key : {"median", "min", "ci95_low", "ci95_high"}) out["time_us"][key] = median;
  return out;
}

ordered_json write_and_read(const std::vector<ordered_json>& benchmarks) {
  const auto path = fresh_folder() / "record.json";
  write_record(path, made_record()["context"], benchmarks);
  return parse_record_as_written(path);
}

TEST(Writer, TheBestVariantIsTheCeiling) {
  const ordered_json bytes = {{"bytes", 1e9}, {"flops", 0}, {"atomics", 0}};
  const ordered_json none = {{"bytes", 0}, {"flops", 0}, {"atomics", 0}};
  const auto out = write_and_read(
      {calibration("dram_bytes", "ceilings/slow/@hot", 1000, bytes),
       calibration("dram_bytes", "ceilings/fast/@hot", 500, bytes),
       calibration("launch", "ceilings/late/@hot", 3, none),
       calibration("launch", "ceilings/early/@hot", 2, none),
       calibration("atomics_equal", "ceilings/a/@hot", 10, {{"bytes", 0}, {"flops", 0}, {"atomics", 1000}}),
       calibration("tensor_bf16_flops", "ceilings/t/@hot", 10,
                   {{"bytes", 0}, {"flops", 5000}, {"atomics", 0}}),
       calibration("random_read_sectors_16mib", "ceilings/r/@hot", 10,
                   {{"bytes", 32000}, {"flops", 0}, {"atomics", 0}}),
       calibration("random_cas_16mib", "ceilings/c/@hot", 10,
                   {{"bytes", 0}, {"flops", 0}, {"atomics", 500}})});
  const auto& ceilings = out["context"]["ablate"]["ceilings"];
  EXPECT_DOUBLE_EQ(ceilings["dram_bytes"]["rate_per_s"], 2e12);
  EXPECT_EQ(ceilings["dram_bytes"]["case"], "ceilings/fast/@hot");
  EXPECT_DOUBLE_EQ(ceilings["launch"]["us"], 2);
  EXPECT_EQ(ceilings["launch"]["case"], "ceilings/early/@hot");
  EXPECT_DOUBLE_EQ(ceilings["atomics_equal"]["rate_per_s"], 1e8);
  EXPECT_DOUBLE_EQ(ceilings["tensor_bf16_flops"]["rate_per_s"], 5e8);
  EXPECT_DOUBLE_EQ(ceilings["random_read_sectors_16mib"]["rate_per_s"], 1e8);
  EXPECT_DOUBLE_EQ(ceilings["random_cas_16mib"]["rate_per_s"], 5e7);
}

TEST(Writer, EveryCaseGetsItsFloors) {
  ordered_json made = made_record();
  std::vector<ordered_json> benchmarks = made["benchmarks"];
  for (ordered_json& entry : benchmarks) entry.erase("floors");
  const auto out = write_and_read(benchmarks);
  EXPECT_EQ(nlohmann::json(out["benchmarks"]), nlohmann::json(made["benchmarks"])) << "in another order";
}

TEST(Writer, ARecordWithoutCalibrationsHasNoFloors) {
  const auto out = write_and_read({made_record()["benchmarks"][2]});
  EXPECT_TRUE(out["context"]["ablate"]["ceilings"].empty());
  EXPECT_TRUE(out["context"]["ablate"]["ceilings"].is_object());
  EXPECT_TRUE(out["benchmarks"][0]["floors"].is_null());
}

TEST(Writer, WritesTheSameBytesAgainAndOneEntryALine) {
  const ordered_json made = made_record();
  const auto folder = fresh_folder();
  write_record(folder / "deeper" / "record.json", made["context"], made["benchmarks"], made["unmeasured"]);
  const std::string text = text_of(folder / "deeper" / "record.json");
  const ordered_json read = parse_record_as_written(folder / "deeper" / "record.json");
  EXPECT_EQ(nlohmann::json(read), nlohmann::json(made)) << "in another order";
  write_record(folder / "again.json", read["context"], read["benchmarks"], read["unmeasured"]);
  EXPECT_EQ(text_of(folder / "again.json"), text);
  std::istringstream lines(text);
  std::size_t entries = 0;
  for (std::string line; std::getline(lines, line);) entries += line.starts_with("{\"name\":");
  EXPECT_EQ(entries, made["benchmarks"].size() + made["unmeasured"].size());
  for (const auto& entry : std::filesystem::directory_iterator(folder / "deeper"))
    EXPECT_EQ(entry.path().filename(), "record.json");
}

TEST(Writer, RefusesWhatIsNotFinite) {
  const auto folder = fresh_folder();
  const ordered_json made = made_record();
  record broken = record_of(made["context"], made["benchmarks"], made["unmeasured"]);
  broken.cases[3].time.mad_us = std::numeric_limits<double>::quiet_NaN();
  try {
    ablate::write_record(folder / "record.json", broken);
    FAIL() << "a NaN was written";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "record: /benchmarks/3/time_us/mad: expected a finite number");
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "record.json"));
}

TEST(Writer, RefusesACeilingOfNoKnownUnit) {
  EXPECT_THROW(write_and_read({calibration("bananas", "ceilings/b/@hot", 1,
                                           {{"bytes", 1}, {"flops", 0}, {"atomics", 0}})}),
               std::invalid_argument);
  EXPECT_THROW(write_and_read({calibration("dram_bytes", "ceilings/b/@hot", 1,
                                           {{"bytes", 0}, {"flops", 0}, {"atomics", 0}})}),
               std::invalid_argument);
}

TEST(Writer, SaysWhenTheFileCannotBeWritten) {
  const auto folder = fresh_folder();
  std::filesystem::create_directories(folder / "record.json");
  const ordered_json made = made_record();
  EXPECT_THROW(write_record(folder / "record.json", made["context"], made["benchmarks"], made["unmeasured"]),
               std::runtime_error);
}

}  // namespace
}  // namespace ablate::reports::writer_test
