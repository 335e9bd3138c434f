#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace ablate::reports {

/// A record holds counters as rows of numbers, because their names would be nine tenths of it: those of a
/// case since 1.9.0, in the order of one list of `context.ablate.counter_columns`; those of its kernels since
/// 1.3.0, row i for kernel i of the entry's `kernels`. A case of many launches has sums by the name of the
/// kernel instead (kernels_by_name.h). Whoever reads a record sees names and objects, whatever its form.

/// A number as a record holds it: of one that is not whole six digits, more than any counter repeats.
nlohmann::ordered_json short_number(const nlohmann::ordered_json&);

/// The lists of names that the entries of one record refer to by number.
class counter_columns {
 public:
  /// The number of the list of these names; a new one where no entry had them in this order.
  std::size_t number_of(const nlohmann::ordered_json& values);
  const nlohmann::ordered_json& json() const { return lists_; }

 private:
  nlohmann::ordered_json lists_ = nlohmann::ordered_json::array();
};

/// Makes them of all counters of an expanded entry.
void shorten_counters(nlohmann::ordered_json& entry);

/// An expanded entry as it is written: in rows, and no number another one.
nlohmann::ordered_json with_compact_counters(nlohmann::ordered_json entry, counter_columns&);

/// The entry as it is read; `columns` are those of its record, null where it has none. Rows that fit neither
/// kernels nor names stay as they are, and are refused by who reads them; older entries are objects already.
void expand_counters(nlohmann::ordered_json& entry, const nlohmann::ordered_json& columns);

/// The JSON of a record with its counters and samples (compact_samples.h) expanded, as it was written. Throws
/// bad_input.
nlohmann::ordered_json parse_record_as_written(const std::filesystem::path&);

/// The same with the counters of cases combined from their kernels' (combine_counters). Throws bad_input.
nlohmann::ordered_json parse_record_file(const std::filesystem::path&);

}  // namespace ablate::reports
