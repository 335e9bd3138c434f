#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ablate::verify {

/// What a device cannot exceed, from its data sheet.
struct data_sheet {
  double dram_bytes_per_s = 0;
  double l2_bytes = 0;  ///< written bytes that fit need not go to device memory in a cold case
  double tensor_flops_per_s = 0, fma_flops_per_s = 0;
};

/// The data sheet of a product ("NVIDIA H200"); nothing for one that is not known, and for a host.
using data_sheets = std::function<std::optional<data_sheet>(const std::string& product)>;

/// A record as its readers see it, with its path.
struct checked_record {
  std::string file;
  nlohmann::ordered_json json;
};

/// Reads a record. Throws bad_input as read_record does.
checked_record read(const std::filesystem::path&);

/// What does not hold, and where.
struct finding {
  std::string file, pointer, what;
  std::string text() const { return file + ": " + pointer + ": " + what; }
};

/// How far the checks reached.
struct verification {
  std::vector<finding> findings;
  std::size_t cases = 0;
  std::size_t with_data_sheet = 0;  ///< cases held against the floors of a data sheet
  std::size_t with_counts = 0;  ///< cases whose counts were held against another record of the same sources
  std::size_t with_fleet = 0;   ///< ceilings held against those of other records of the same product
};

/// Checks each record by itself, against the data sheet of its device, and against all others given and
/// those `beside`, which are not checked themselves.
verification verify(const std::vector<checked_record>&, const std::vector<checked_record>& beside,
                    const data_sheets&);

/// The ids are made of operation, variant, axes and cache state; median, extremes and interval follow from
/// the samples, totals from these; ceilings are what the calibrations reached; errors are accepted ones.
void check_by_itself(const checked_record&, std::vector<finding>&);

/// No median is below the time of the bytes and FLOPs that the work needs at the rates of the data sheet, nor
/// below that of half the DRAM bytes that were counted beyond these, in another launch; nor far below that of
/// an empty launch. No counted launch moved bytes faster than the data sheet says. Returns the number of
/// cases.
std::size_t check_floors(const checked_record&, const data_sheets&, std::vector<finding>&);

/// The ceilings are within what three or more other records of the same product reached. Returns how many
/// were held against them.
std::size_t check_fleet(const checked_record&, const std::vector<const checked_record*>& others,
                        std::vector<finding>&);

/// Instructions, and sectors of calibrations' atomics, are as another record of the same sources counted
/// them. Returns the number of cases.
std::size_t check_counts(const checked_record&, const std::vector<const checked_record*>& others,
                         std::vector<finding>&);

std::string verification_text(const verification&, std::size_t records);
nlohmann::ordered_json verification_json(const verification&);

}  // namespace ablate::verify
