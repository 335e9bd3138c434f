#pragma once

#include <optional>
#include <string>

#include "reports/plots/plots.h"
#include "reports/question/answer.h"

namespace ablate::reports {

/// The answer as one picture, named `answer`: how many times faster the best variant of each family is than
/// the best of the last one, against the axis that the question names, with intervals; recorded clouds are
/// marked. Of two families each group of workloads has a color, of more each family. Nothing without an
/// answer.
std::optional<plot> answer_plot(const question_answer&, const std::string& device);

}  // namespace ablate::reports
