#pragma once

#include <string>

namespace ablate::reports {

/// The document with its table of counts by source replaced by the ledger's, and with the ledger's words in
/// the row of every claim that it lists. Bare: with # for each digit of these. Throws bad_input naming the
/// line of a claim that the ledger lacks.
std::string with_ledger_rows(const std::string& document, const std::string& ledger, const std::string& name,
                             bool is_bare);

}  // namespace ablate::reports
