// Models around what claims measure: figures of the whole, what is refused, and what the ledger draws.
#include <gmock/gmock.h>

#include "reports/claims/claims_ledger.h"
#include "tests/reports/made_claims.h"
#include "tests/support/refusal.h"

namespace ablate::reports::claims_models_test {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Three layers and a rest; a quarter of the rows was measured.
ordered_json made_models() {
  return {{"made",
           {{"title", "Three layers"},
            {"layers", 3},
            {"rest_us", 0.008},
            {"whole", {{"value", "instrumented.valid"}}},
            {"assumptions", {"All layers are alike.", "The rest is stated."}}}}};
}

constexpr const char* of_model =
    R"({"value": "time_us.median", "per": "instrumented.hits", "model": "made",
        "of": {"operation": "scatter", "variants": "direct"}, "over": {"variants": "merged"}})";

std::vector<claim> read_with(const ordered_json& models, const std::string& quantity = of_model) {
  return read_claims(written(
      "claims.json",
      ordered_json{{"name", "n"},
                   {"description", "d"},
                   {"models", models},
                   {"claims", {made_claim(quantity, R"("published": 2, "expectation": {"at_least": 1.8})")}}}
          .dump()));
}

std::string refused(const ordered_json& models, const std::string& quantity = of_model) {
  return test_support::refusal_from([&] { read_with(models, quantity); });
}

TEST(ClaimModels, AFigureIsOfTheWhole) {
  const claim_result result = judge(read_with(made_models()).front(), evidence_of(made_cases()), any_effect);
  ASSERT_EQ(result.pieces.size(), 2u);
  // 8 us and 4 of 250 units, three times and 0.008: (0.096 + 0.008) / (0.048 + 0.008).
  EXPECT_DOUBLE_EQ(result.pieces[0].figure.value, 0.104 / 0.056);
  EXPECT_DOUBLE_EQ(result.pieces[0].figure.low, 0.104 / (3 * 5 / 250.0 + 0.008));
  EXPECT_DOUBLE_EQ(result.pieces[0].figure.high, 0.104 / (3 * 3 / 250.0 + 0.008));
  EXPECT_DOUBLE_EQ(result.pieces[1].figure.value, 0.104 / 0.2);
}

TEST(ClaimModels, TheLedgerTellsWhatWasMeasuredFromWhatIsModelled) {
  const std::vector<claim> claims = read_with(made_models());
  const std::vector<claim_evidence> records = {evidence_of(made_cases())};
  const std::string markdown = ledger_markdown(ledgers_of(claims, records, any_effect), any_effect);
  EXPECT_THAT(markdown, HasSubstr("### Three layers\n\n- All layers are alike.\n- The rest is stated.\n"));
  EXPECT_THAT(markdown, HasSubstr("a layer, ms, measured"));
  // 1000 units: a layer 32 us and 16, of a quarter of them; the whole 104 us and 56.
  EXPECT_THAT(markdown, HasSubstr("| 0.03200, of 1 / 4 | 0.01600, of 1 / 4 | 0.000104 | 0.000056 | 1.857"));
  EXPECT_THAT(markdown, HasSubstr("| 2.000 | inconclusive, one launch |"));
}

TEST(ClaimModels, ClaimsWithoutOneLeaveTheLedgerAsItIs) {
  const std::vector<claim> claims =
      read_made({made_claim(made_ratio, R"("expectation": {"at_least": 0.1})")});
  const std::vector<claim_evidence> records = {evidence_of(made_cases())};
  EXPECT_THAT(ledger_markdown(ledgers_of(claims, records, any_effect), any_effect),
              Not(HasSubstr("modelled")));
}

TEST(ClaimModels, WhatIsNoModelIsRefusedAtItsPlace) {
  EXPECT_EQ(refused(made_models()), "accepted");
  EXPECT_THAT(refused({{"mode", made_models()["made"]}}), HasSubstr("did you mean 'mode'?"));
  EXPECT_THAT(refused(ordered_json::object()), HasSubstr("/claims/0/quantity/model"));
  ordered_json without = made_models();
  without["made"].erase("assumptions");
  EXPECT_THAT(refused(without), HasSubstr("assumptions"));
  ordered_json negative = made_models();
  negative["made"]["rest_us"] = -1;
  EXPECT_THAT(refused(negative), HasSubstr("/models/made/rest_us"));
  EXPECT_THAT(refused(made_models(), R"({"value": "time_us.median", "unit": "us", "model": "made",
                                 "of": {"operation": "scatter", "variants": "direct"}})"),
              HasSubstr("expected an over beside it"));
}

}  // namespace
}  // namespace ablate::reports::claims_models_test
