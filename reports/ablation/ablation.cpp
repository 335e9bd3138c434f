#include "reports/ablation/ablation.h"

namespace ablate::reports {

operation_ablation::operation_ablation(const record& r, const operation_view& view,
                                       const process_launches& launches)
    : processes(launches.count()),
      effects(switch_effects(r, view, launches)),
      worths(switch_worths(view, effects)),
      changes_of_winner(crossovers(view, effects)),
      squares(switch_squares(effects, launches)),
      together(interactions(squares)),
      steps(waterfalls(r, view, launches)) {}

}  // namespace ablate::reports
