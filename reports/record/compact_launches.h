#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ablate::reports {

/// A pass of a whole network launches hundreds of kernels, few of which differ. Since 1.18.0 a record tells
/// each distinct launch once, in `context.ablate.launches`, and each kernel's name once, in
/// `context.ablate.kernel_names`. The `kernels` of a case are numbers of launches; its `counters.by_name` are
/// rows: the number of a name, launches, values. Whoever reads a record sees launches and names.

/// Expanded entries in their written form; the tables, in an order that depends on what they hold alone, go
/// into `facts`, the record's context.ablate.
void compact_launches(std::vector<nlohmann::ordered_json>& benchmarks, nlohmann::ordered_json& facts);

/// A record in the form that readers see, its tables taken out; older ones stay as they are. `file` is for
/// messages. Throws bad_input, with the JSON pointer, for a number that refers to nothing.
void expand_launches(nlohmann::ordered_json& record, const std::string& file);

}  // namespace ablate::reports
