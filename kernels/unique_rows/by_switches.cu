// The launch function of all lists that come from a table of the rows: picks how it is built, what marks the
// rows that are kept, and how they become a list (forms.h).
#include "kernels/common/switches.h"
#include "kernels/unique_rows/forms.h"
#include "kernels/unique_rows/launches.h"

namespace ablate::unique_rows {

void from_table(launcher& to, const problem& p, const switches& s) {
  const claiming how = s.word("insert") == "load_first" ? claiming::load_first : claiming::cas_first;
  if (s.word("mark") == "insertion") return flag_winners(to, p, how);
  if (p.does(phase::build)) build_table(to, p, how);
  if (!p.does(phase::unique)) return;
  if (s.word("mark") == "slots") return flag_slots(to, p);
  s.word("list") == "select" ? flag_found(to, p) : search_back(to, p);
}

}  // namespace ablate::unique_rows
