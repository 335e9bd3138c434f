#include "base/record/merge.h"

#include <gmock/gmock.h>

#include "base/record/record_file.h"
#include "base/text/bad_input.h"
#include "tests/support/paths.h"

namespace ablate::merge_entries_test {
namespace {

using nlohmann::ordered_json;

constexpr const char* uuid = "GPU-1";

/// A record whose cases all name one GPU.
ordered_json of_one_gpu() {
  ordered_json out = reports::parse_record_as_written(
      test_support::source_path("results/h200/selection_attention_sharing/record.json"));
  out["context"]["ablate"]["device"]["uuid"] = uuid;
  for (ordered_json& entry : out["benchmarks"]) entry["specimen"] = uuid;
  return out;
}

record merged(const ordered_json& of) { return merged_record({read_merge_input(of, "record.json")}, {}); }

TEST(MergeEntries, ACaseThatNamesNoGpuIsOfTheRecordsOwn) {
  ordered_json with_rival = of_one_gpu();
  with_rival["benchmarks"].back().erase("specimen");
  EXPECT_EQ(merged(with_rival).cases.size(), with_rival["benchmarks"].size());
}

TEST(MergeEntries, ACaseOfAnotherGpuIsNotComparedWithTheOthers) {
  ordered_json divided = of_one_gpu();
  divided["benchmarks"].back()["specimen"] = "GPU-2";
  try {
    merged(divided);
    ADD_FAILURE() << "a bundle of two GPUs";
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("with which this case is compared"));
  }
}

}  // namespace
}  // namespace ablate::merge_entries_test
