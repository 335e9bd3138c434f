#include "reports/quotes/ledger_rows.h"

#include <gtest/gtest.h>

#include <string>

namespace ablate::reports::ledger_rows_test {
namespace {

const std::string ledger =
    "| [a-01](claims/a.md#a-01) | one | case | reproduced | 1.25 | at least 1 | record |\n";

std::string quoted(const std::string& document) {
  return with_ledger_rows(document, ledger, "page.md", false);
}

TEST(LedgerRows, AreLedFromTheDocumentsFolder) {
  EXPECT_EQ(quoted("| [a-01](results/h200/claims/a.md#a-01) | old | words |\n"),
            "| [a-01](results/h200/claims/a.md#a-01) | one | reproduced | 1.25 | at least 1 |\n");
}

TEST(LedgerRows, AreNoOtherLinks) {
  for (const std::string row : {"| [a-01](myclaims/a.md#a-01) | x |\n", "| [a-01](claims/a.txt#a-01) | x |\n",
                                "| [a-01](claims/a.md) | x |\n", "| [a-01](claims/a b.md#a-01) | x |\n",
                                "| [a-01](claims/a.md#a)01) | x |\n", "| [a-01] | x |\n", "| [a-01 | x |\n",
                                "[a-01](claims/a.md#a-01) |\n"})
    EXPECT_EQ(quoted(row), row);
}

TEST(LedgerRows, ALineMayBeAMillionCharactersLong) {
  const std::string many(1000000, 'a');
  for (const std::string& row :
       {many + "\n", "| [" + many + "\n", "| [a](claims/" + many + "\n", "| [" + many + "](x) | y |\n"})
    EXPECT_EQ(quoted(row), row);
}

}  // namespace
}  // namespace ablate::reports::ledger_rows_test
