#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"

namespace ablate::predict {

/// What NVIDIA's data sheet says of a chip.
struct chip_sheet {
  std::string chip;          ///< a100, h100, h200
  std::string architecture;  ///< of machine code: sm_80, sm_90a
  double dram_bytes_per_s = 0, tensor_flops_per_s = 0, fma_flops_per_s = 0, sm_mhz = 0;
};
using chip_sheets = std::function<std::optional<chip_sheet>(const std::string& chip)>;

/// The ceilings by which cases are transferred, each per second. Nothing for one that was not measured.
struct measured_rates {
  std::optional<double> dram_copy, dram_read, dram_write;  ///< bytes
  std::optional<double> l2;                                ///< bytes
  std::optional<double> random_sectors;                    ///< of 32 bytes, over 16 MiB
  std::optional<double> atomics;                           ///< at distinct addresses
  std::optional<double> launch_us, launch_hot_us;

  bool is_complete() const;
};
measured_rates rates_of(const measured_ceilings&);

/// Of what is missing in the first, the second's.
measured_rates with_missing_of(measured_rates, const measured_rates& others);

/// Of each rate the median over those that have it.
measured_rates medians_of(const std::vector<measured_rates>&);

/// What the model reads of a measured case.
struct seen_case {
  /// Of one launch, by hardware counters.
  struct counted {
    double dram_read_bytes, dram_write_bytes, l2_requests, reduction_sectors, instructions;
    double tensor_share, issue_share;  ///< of elapsed cycles, 0 to 1
  };
  /// Least times by the record's own ceilings.
  struct floor_us {
    double bytes = 0, flops = 0, atomics = 0, random = 0;
    bool tensor = false;  ///< the pipe of the FLOPs
    /// Without the launch: what grows with the size.
    double of_work() const;
  };

  std::string operation, variant, cache_state, method, name;
  named_words axes;                     ///< sorted by name
  std::vector<std::string> at_default;  ///< axes at a default that ids leave out: they set no case apart
  double us = 0, low_us = 0, high_us = 0;
  std::optional<counted> counters;
  std::optional<floor_us> floors;
  std::string input_hash;
  std::size_t launches = 1;
  std::vector<std::string> runs_on;  ///< architectures that have machine code of all its kernels
  bool is_rival = false;
};

/// A record without what the model does not read.
struct seen_record {
  std::string folder;    ///< h200/voxelization
  std::string chip;      ///< h200
  std::string specimen;  ///< empty where it is not known
  std::string date;
  measured_rates rates;
  std::vector<seen_case> cases;  ///< on a GPU, calibrations left out
};

/// Of what is not on a GPU: without cases.
seen_record seen_in(const record&, std::string folder);

/// Equal for cases that do the same: operation, variant, axes, cache state and clock.
std::string key_of(const seen_case&);
/// Equal for cases of one workload: the same without the variant.
std::string workload_of(const seen_case&);

}  // namespace ablate::predict
