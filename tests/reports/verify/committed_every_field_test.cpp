// Every field of a record is judged, or listed here with the reason why it cannot be.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "harness/cli/data_sheets.h"
#include "reports/verify/dates.h"
#include "tests/reports/verify/small_committed_record.h"

namespace ablate::verify::committed_every_field_test {
namespace {

using nlohmann::ordered_json;

/// Objects by names of things: one of them stands for all.
const std::set<std::string> by_name = {"axes",     "switches",   "ceilings",     "buffers",
                                       "quality",  "kernels",    "instrumented", "theoretical_occupancy",
                                       "variants", "operations", "metrics"};

/// Each kind of field once, with the place of the first; `kind` has a * where names or numbers vary.
void collect(const ordered_json& value, const std::string& at, const std::string& kind,
             std::map<std::string, std::string>& to) {
  if (value.is_array() && !value.empty() && !(kind == "/benchmarks")) {
    collect(value[0], at + "/0", kind + "/*", to);
  } else if (value.is_object()) {
    const std::string last = kind.substr(kind.rfind('/') + 1);
    for (const auto& [key, child] : value.items()) {
      std::string escaped;
      for (const char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
      collect(child, at + "/" + escaped, kind + "/" + (by_name.contains(last) ? "*" : escaped), to);
      if (by_name.contains(last)) break;
    }
  } else if (!value.is_structured() && !value.is_null()) {
    to.emplace(kind, at);
  }
}

ordered_json changed(const ordered_json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_string()) return value.get<std::string>() + "0";
  if (value.is_number_float()) return value.get<double>() == 0 ? 1.0 : 2 * value.get<double>();
  return value.get<std::int64_t>() == 0 ? std::int64_t{1} : 2 * value.get<std::int64_t>();
}

/// All that is found, a refusal of the reader included.
std::string found_in(const checked_record& r) {
  try {
    std::string out;
    for (const finding& f :
         verify({r}, {}, {data_sheet_of, {}, parse_date("2026-12-24T00:00:00+00:00")}).findings)
      out += f.text() + "\n";
    return out;
  } catch (const std::exception& refused) {
    return refused.what();
  }
}

/// What cannot be judged, and why: words of whoever ran it, what was seen of a moment, and what only another
/// measurement can show.
const std::map<std::string, std::string>& not_judged() {
  static const std::map<std::string, std::string> all = {
#include "tests/reports/verify/not_judged.inc"
  };
  return all;
}

TEST(CommittedEveryField, IsJudgedOrListed) {
  const checked_record good = small_committed_record("results/h200/selection_attention_sharing/record.json");
  ASSERT_EQ(found_in(good), "");
  std::map<std::string, std::string> fields;
  collect(good.json.at("context"), "/context", "/context", fields);
  const std::size_t i = first_case(good);
  const std::string entry = "/benchmarks/" + std::to_string(i);
  collect(good.json.at("benchmarks").at(i), entry, "/benchmarks/*", fields);
  for (const auto& [kind, at] : fields) {
    checked_record forged = good;
    ordered_json& field = forged.json.at(ordered_json::json_pointer(at));
    field = changed(field);
    const bool is_found = !found_in(forged).empty();
    EXPECT_EQ(is_found, !not_judged().contains(kind))
        << kind << (is_found ? " is judged, so it must not be listed" : " is not judged, and not listed");
  }
  for (const auto& [kind, why] : not_judged())
    EXPECT_TRUE(fields.contains(kind)) << kind << " is listed, and no field";
}

}  // namespace
}  // namespace ablate::verify::committed_every_field_test
