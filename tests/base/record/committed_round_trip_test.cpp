#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/record/record.h"
#include "base/record/record_file.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "tests/support/committed_records.h"

namespace ablate::committed_round_trip_test {
namespace {

using nlohmann::ordered_json;
using test_support::committed_records;

ordered_json written_again(const ordered_json& read) {
  record r;
  from_json(reports::json_place(read, "record.json"), r);
  return to_json(r);
}

/// The pointer of the first place where two documents are not the same text; nothing if they are.
std::optional<std::string> first_difference(const ordered_json& a, const ordered_json& b,
                                            const std::string& pointer = "") {
  if (a.is_object() && b.is_object()) {
    for (auto of_a = a.begin(), of_b = b.begin(); of_a != a.end() || of_b != b.end(); ++of_a, ++of_b) {
      if (of_a == a.end()) return reports::child_pointer(pointer, of_b.key()) + " more";
      if (of_b == b.end()) return reports::child_pointer(pointer, of_a.key()) + " less";
      const std::string here = reports::child_pointer(pointer, of_a.key());
      if (of_a.key() != of_b.key()) return here + " where '" + of_b.key() + "' is";
      if (auto inner = first_difference(of_a.value(), of_b.value(), here)) return inner;
    }
    return std::nullopt;
  }
  if (a.is_array() && b.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (auto inner = first_difference(a[i], b[i], pointer + "/" + std::to_string(i))) return inner;
    return std::nullopt;
  }
  return a.dump() == b.dump() ? std::nullopt : std::optional(pointer + ": " + a.dump() + ", " + b.dump());
}

/// All of a record's text comes back: no key is lost or added, none elsewhere, no number spelled otherwise.
TEST(CommittedRoundTrip, WritesWhatItRead) {
  for (const auto& path : committed_records()) {
    const ordered_json read = reports::parse_record_as_written(path);
    const auto difference = first_difference(read, written_again(read));
    EXPECT_FALSE(difference) << path << ": " << *difference;
  }
}

/// A key that no struct knows is lost on the way, and so is one in another place.
TEST(CommittedRoundTrip, FindsWhatIsLost) {
  const ordered_json read = reports::parse_record_as_written(committed_records().front());
  ordered_json more = read;
  more["benchmarks"][0]["time_us"]["mood"] = 7;
  EXPECT_EQ(first_difference(more, written_again(more)), "/benchmarks/0/time_us/mood less");
  ordered_json elsewhere = read;
  elsewhere["benchmarks"][0].erase("iterations");
  elsewhere["benchmarks"][0]["iterations"] = read["benchmarks"][0]["iterations"];
  EXPECT_EQ(first_difference(elsewhere, written_again(elsewhere)),
            "/benchmarks/0/real_time where 'iterations' is");
  ordered_json spelled = read;
  spelled["benchmarks"][0]["work"]["bytes"] = 4096;
  EXPECT_EQ(first_difference(spelled, written_again(spelled)), "/benchmarks/0/work/bytes: 4096, 4096.0");
}

}  // namespace
}  // namespace ablate::committed_round_trip_test
