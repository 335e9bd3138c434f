#pragma once

#include <string>
#include <vector>

#include "reports/question/answer.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// The answer in a sentence or two for each part: whether it holds, in how many of the workloads and where,
/// and the factor by the median with its range. `code` and **strong** are marked.
std::vector<std::string> answer_sentences(const question_answer&);

/// One line for each group of workloads and family: verdicts and where they hold, the median factor, the
/// least and the greatest with their intervals and workloads, and the variants that were best.
table answer_table(const question_answer&, const answered_part&);

/// What the answer's factors and verdicts mean.
std::string about_answer(const question_answer&);

/// "lidar, hot": the group among the others of its part; "all workloads" if there are no others.
std::string group_label(const answered_part&, const answered_group&);

/// "shared memory over without"
std::string over_text(const question_answer&, std::size_t family);

/// The workload in words, without what its group says already: "points 1000000, grid 128".
std::string workload_label(const answered_part&, const comparable_cases&);

}  // namespace ablate::reports
