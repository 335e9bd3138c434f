#include "reports/claims/claims.h"

#include "harness/cli/claim_names.h"
#include "reports/claims/claims_ledger.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate claims` does, on one record.
void feed_claims(const std::filesystem::path& file) {
  static const std::vector<claim_evidence> records = {read_claim_evidence(seed("record/whole.json"))};
  const std::vector<claim> claims = read_claims(file);
  check_names(claims, records);
  const std::vector<claim_ledger> ledgers = ledgers_of(claims, records, any_effect);
  ledger_text(ledgers, any_effect, true);
  ledger_markdown(ledgers, any_effect);
  figures_markdown(ledgers);
  ledger_json(ledgers, any_effect).dump();
}

const registered claims_target("claims", feed_claims);

}  // namespace
}  // namespace ablate::fuzz
