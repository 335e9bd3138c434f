// Lists transposed by switches: `method`, counting or a sort; `word`, the sorted word. See each form's file.
#include "kernels/common/switches.h"
#include "kernels/list_transpose/launches.h"

namespace ablate::list_transpose {

void turn_around(launcher& to, const problem& p, const switches& s) {
  if (s.word("method") == "count") return count(to, p, s);
  (s.word("word") == "pair" ? sort_pairs : sort_words)(to, p, s);
}

}  // namespace ablate::list_transpose
