#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/record/device_state.h"

namespace ablate {

/// A GPU's power and clock event reasons under load: quick to query, many times per case.
struct device_load {
  /// Instantaneous rather than averaged over the last second, wherever NVML reports both.
  std::optional<double> power_w;
  std::optional<std::vector<std::string>> event_reasons;
};

/// Facts about a GPU that do not change while a suite runs.
struct nvml_facts {
  std::string name, uuid, driver;  ///< empty when they cannot be read
  std::optional<bool> ecc, mig;
  std::optional<double> power_cap_w;
};

/// A process with a compute context on a GPU.
struct gpu_process {
  unsigned pid = 0;
  std::optional<std::size_t> memory_bytes;
};

/// NVML's clock event (throttle) reasons as words, lowest bit first; a bit without a known word is "bit_N".
std::vector<std::string> event_reason_words(unsigned long long bits);

/// The NVML functions used, with NVML's types; null where the library is too old to have one.
struct nvml_functions {
  using handle = struct nvmlDevice_st*;
  /// nvmlProcessInfo_t as in version 3 of the process functions.
  struct process {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
  };

  /// nvmlFieldValue_t; `value` is a union there; power uses its first half.
  struct field {
    unsigned id, scope;
    long long timestamp, latency_us;
    int value_type, status;
    union {
      unsigned milliwatts;
      double widest;
    };
  };

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*by_uuid)(const char*, handle*) = nullptr;
  int (*by_pci_bus_id)(const char*, handle*) = nullptr;
  int (*by_index)(unsigned, handle*) = nullptr;
  int (*name)(handle, char*, unsigned) = nullptr;
  int (*uuid)(handle, char*, unsigned) = nullptr;
  int (*ecc_mode)(handle, int* current, int* pending) = nullptr;
  int (*mig_mode)(handle, unsigned* current, unsigned* pending) = nullptr;
  int (*power_cap)(handle, unsigned* milliwatts) = nullptr;
  int (*clock)(handle, int which, unsigned* mhz) = nullptr;
  int (*event_reasons)(handle, unsigned long long* bits) = nullptr;
  int (*temperature)(handle, int sensor, unsigned* celsius) = nullptr;
  int (*power)(handle, unsigned* milliwatts) = nullptr;
  int (*field_values)(handle, int count, field*) = nullptr;
  int (*processes)(handle, unsigned* count, process*) = nullptr;
  int (*total_energy)(handle, unsigned long long* millijoules) = nullptr;
  int (*ecc_errors)(handle, int type, int counter, unsigned long long* count) = nullptr;

  /// From libnvidia-ml.so.1, opened on first use; `why_not` says why it is unavailable.
  static std::optional<nvml_functions> load(std::string& why_not);
};

/// One GPU as NVML sees it. If NVML cannot be used, that is a state with a reason, never an exception.
class nvml {
 public:
  /// `device` is a UUID ("GPU-…", "MIG-…"), a PCI bus id ("00000000:1B:00.0") or NVML's index ("0").
  explicit nvml(const std::string& device);
  /// The same with substitute functions: the seam for tests.
  nvml(const std::string& device, const nvml_functions&);
  ~nvml();
  nvml(const nvml&) = delete;
  nvml& operator=(const nvml&) = delete;

  bool available() const { return why_not_.empty(); }
  /// Why nothing can be read; empty when available.
  const std::string& why_not() const { return why_not_; }

  nvml_facts facts() const;
  device_state state() const;
  device_load load() const;
  /// Nothing if they cannot be read.
  std::optional<std::vector<gpu_process>> processes() const;
  std::optional<unsigned long long> ecc_errors() const;
  /// What the board has taken since the driver was loaded; moves every 10 to 100 ms.
  std::optional<double> energy_j() const;

 private:
  void open(const std::string& device);
  std::optional<double> power_w() const;
  std::optional<double> instant_power_w() const;
  std::optional<std::vector<std::string>> event_reasons() const;

  nvml_functions call_;
  nvml_functions::handle handle_ = nullptr;
  bool initialized_ = false;
  std::string why_not_;
};

}  // namespace ablate
