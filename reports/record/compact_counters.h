#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace ablate::reports {

/// A record stores counters as rows of numbers, because their names would be nine tenths of it. A case's
/// counters are a row since 1.9.0, in the order of one list of `context.ablate.counter_columns`; those of its
/// kernels since 1.3.0, row i for kernel i of the entry's `kernels`. A case of many launches has sums by
/// kernel name instead (kernels_by_name.h). Code that reads a record sees names and objects, whatever the
/// form on disk.

/// A number as a record stores it: six digits if it is not an integer, more than any counter reproduces.
nlohmann::ordered_json short_number(const nlohmann::ordered_json&);

/// The name lists that the entries of one record refer to by index.
class counter_columns {
 public:
  /// The index of the list of these names; a new list if no entry had them in this order.
  std::size_t number_of(const nlohmann::ordered_json& values);
  const nlohmann::ordered_json& json() const { return lists_; }

 private:
  nlohmann::ordered_json lists_ = nlohmann::ordered_json::array();
};

/// Applies short_number to all counters of an expanded entry.
void shorten_counters(nlohmann::ordered_json& entry);

/// An expanded entry in its written form: in rows, without changing any number.
nlohmann::ordered_json with_compact_counters(nlohmann::ordered_json entry, counter_columns&);

/// The entry in the form that readers see; `columns` are its record's, null if it has none. Rows that match
/// neither kernels nor names are left as they are, for the reader to reject; older entries are already
/// objects.
void expand_counters(nlohmann::ordered_json& entry, const nlohmann::ordered_json& columns);

/// The JSON of a record with its launches (compact_launches.h), counters and samples (compact_samples.h)
/// expanded, otherwise as written. Throws bad_input.
nlohmann::ordered_json parse_record_as_written(const std::filesystem::path&);

/// The same with each case's counters recombined from its kernels' (combine_counters). Throws bad_input.
nlohmann::ordered_json parse_record_file(const std::filesystem::path&);

}  // namespace ablate::reports
