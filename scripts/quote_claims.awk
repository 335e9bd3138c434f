# Brings the README's section on claims up to date with a ledger: the table of counts by source, and the row of each claim
# that the section has a row of. Prints the whole README.
#   awk -f scripts/quote_claims.awk results/h200/claims.md README.md

FNR == 1 { file++ }

# The ledger: "| [id](claims/list.md#id) | statement | about | verdict | figure | expected | predicted | suite |"
file == 1 && /^\| source \|/ { in_counts = !counts }
file == 1 && in_counts && /^\|/ { counts = counts $0 "\n"; next }
file == 1 && /^\| \[/ {
  split($0, cell, / \| /)
  sub(/^\| /, "", cell[1])
  id = cell[1]
  gsub(/^\[|\].*/, "", id)
  sub(/\(/, "(results/h200/", cell[1])
  if (!(id in row)) row[id] = "| " cell[1] " | " cell[2] " | " cell[4] " | " cell[5] " | " cell[6] " |"
}
file == 1 { in_counts = 0; next }

# The README
/^\| source \|/ { in_old_counts = 1; printf "%s", counts }
in_old_counts && /^\|/ { next }
{ in_old_counts = 0 }
/^\| \[[^]]*\]\(results\/h200\/claims\// {
  id = $0
  gsub(/^\| \[|\].*/, "", id)
  if (!(id in row)) {
    print FILENAME ": line " FNR ": the ledger has no claim '" id "'" >"/dev/stderr"
    failed = 1
  }
  print row[id]
  next
}
{ print }
END { exit failed }
