#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/claims/claims.h"
#include "reports/claims/claims_judge.h"
#include "reports/claims/claims_limits.h"
#include "tests/reports/made_record.h"

namespace ablate::reports {

// Every record here is made by hand: no machine measured these numbers.

struct made_time {
  double median, low, high;
};

inline nlohmann::ordered_json made_case(const std::string& variant, const std::string& layout, made_time t) {
  nlohmann::ordered_json entry = made_record()["benchmarks"][2];
  entry["operation"] = "scatter";
  entry["variant"] = variant;
  entry["switches"] = {{"merge", variant == "direct" ? "off" : "on"}};
  entry["axes"] = {{"items", "1000"}, {"layout", layout}};
  entry["cache_state"] = "cold-clean";
  entry["name"] = "scatter/" + variant + "/items=1000/layout=" + layout + "/@cold-clean";
  entry["time_us"]["median"] = t.median;
  entry["time_us"]["ci95_low"] = t.low;
  entry["time_us"]["ci95_high"] = t.high;
  entry["instrumented"] = {{"hits", 250}, {"misses", 750}, {"valid", 1000}};
  return entry;
}

/// Two layouts, two variants that merge and the direct one: ratios 0.5 and 2 of `merged`, 0.25 and 4 of
/// `packed`.
inline std::vector<nlohmann::ordered_json> made_cases() {
  return {made_case("direct", "rows", {8, 8, 8}),       made_case("merged", "rows", {4, 3, 5}),
          made_case("packed", "rows", {2, 2, 2}),       made_case("direct", "columns", {8, 7.5, 10}),
          made_case("merged", "columns", {16, 15, 20}), made_case("packed", "columns", {32, 32, 32})};
}

/// Where and when a made record was measured.
struct made_origin {
  std::string chip = "h200", device = "Imaginary GPU", suite = "made", date = "2026-01-02T03:04:05+00:00";
};

inline claim_evidence evidence_of(const std::vector<nlohmann::ordered_json>& cases,
                                  const made_origin& origin = {}) {
  nlohmann::ordered_json record = made_record();
  nlohmann::ordered_json& facts = record["context"]["ablate"];
  facts["device"]["chip"] = origin.chip;
  facts["device"]["name"] = origin.device;
  facts["suite"]["name"] = origin.suite;
  record["context"]["date"] = origin.date;
  record["benchmarks"] = cases;
  record["unmeasured"] = nlohmann::ordered_json::array();
  return read_claim_evidence(written(origin.suite + ".json", record.dump()));
}

inline nlohmann::ordered_json made_claim(const std::string& quantity, const std::string& rest) {
  return nlohmann::ordered_json::parse(
      R"({"id": "made", "registered": "2026-01-01", "source": {"document": "d", "section": "s"}, "statement": "t.", "quantity": )" +
      quantity + ", " + rest + "}");
}

inline nlohmann::ordered_json waiting_claim(const std::string& waits_for) {
  nlohmann::ordered_json out = made_claim("0", R"("waits_for": )" + waits_for);
  out.erase("quantity");
  return out;
}

inline std::vector<claim> read_made(const std::vector<nlohmann::ordered_json>& claims) {
  return read_claims(written(
      "claims.json", nlohmann::ordered_json{{"name", "n"}, {"description", "d"}, {"claims", claims}}.dump()));
}

inline const std::string made_ratio =
    R"({"value": "time_us.median", "of": {"operation": "scatter", "variants": "merged"}, "over": {"variants": "direct"}})";

}  // namespace ablate::reports
