#pragma once

#include <cstddef>
#include <vector>

#include "base/record/counters.h"

namespace ablate::reports {

/// A case with more launches has its counters by kernel name, not by launch.
constexpr std::size_t max_launches_with_counters = 64;

/// A number as a record stores it: six digits if it is not an integer, more than any counter reproduces.
written_number short_number(const written_number&);

/// For each name of `launches`, in the order of their first launches: the number of its launches and their
/// values combined (combined_counters.h), nothing where a launch has none. `values` are the case's; the
/// names' values combine into them in the same way.
std::vector<counter_readings::kernel> kernels_by_name(const std::vector<counter_readings::kernel>& launches,
                                                      const counter_values& values);

/// The counters of a case that was just measured, as a record has them: short numbers; each kernel's values
/// in the order of the case's, and nothing where it has none; those of many launches by name. What a record
/// already has stays.
void form_counters(counter_readings&);

}  // namespace ablate::reports
