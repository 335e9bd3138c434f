#include "harness/device/nvml.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "harness/device/process_family.h"

namespace ablate {

namespace {

// NVML's enumerators.
constexpr int success = 0, insufficient_size = 7;
constexpr int clock_of_sms = 1, clock_of_memory = 2;
constexpr int sensor_of_gpu = 0;
constexpr int corrected_errors = 0, uncorrected_errors = 1, volatile_counter = 0;
constexpr unsigned field_of_instant_power = 186;
constexpr unsigned long long value_not_available = ~0ull;

template <class Function, class... Arguments>
bool succeeds(Function* function, Arguments... arguments) {
  return function != nullptr && function(arguments...) == success;
}

std::optional<unsigned> as_index(const std::string& text) {
  unsigned index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

}  // namespace

std::vector<std::string> event_reason_words(unsigned long long bits) {
  constexpr std::array<const char*, 9> words = {"gpu_idle",
                                                "applications_clocks_setting",
                                                "sw_power_cap",
                                                "hw_slowdown",
                                                "sync_boost",
                                                "sw_thermal_slowdown",
                                                "hw_thermal_slowdown",
                                                "hw_power_brake_slowdown",
                                                "display_clock_setting"};
  std::vector<std::string> result;
  for (std::size_t bit = 0; bit < 64; ++bit)
    if (bits >> bit & 1) result.push_back(bit < words.size() ? words[bit] : fmt::format("bit_{}", bit));
  return result;
}

nvml::nvml(const std::string& device) {
  if (const auto functions = nvml_functions::load(why_not_)) {
    call_ = *functions;
    open(device);
  }
}

nvml::nvml(const std::string& device, const nvml_functions& functions) : call_(functions) { open(device); }

nvml::~nvml() {
  if (initialized_ && call_.shutdown) call_.shutdown();
}

void nvml::open(const std::string& device) {
  const auto word = [&](int status) {
    return call_.error_string ? std::string(call_.error_string(status)) : fmt::format("error {}", status);
  };
  if (const int status = call_.init(); status != success) {
    why_not_ = "NVML cannot start: " + word(status);
    return;
  }
  initialized_ = true;
  const std::optional<unsigned> index = as_index(device);
  const int status = index ? call_.by_index(*index, &handle_)
                     : device.starts_with("GPU-") || device.starts_with("MIG-")
                         ? call_.by_uuid(device.c_str(), &handle_)
                         : call_.by_pci_bus_id(device.c_str(), &handle_);
  if (status != success) why_not_ = fmt::format("NVML has no device '{}': {}", device, word(status));
}

nvml_facts nvml::facts() const {
  nvml_facts result;
  if (!available()) return result;
  std::array<char, 128> text{};
  const auto size = static_cast<unsigned>(text.size());
  if (succeeds(call_.name, handle_, text.data(), size)) result.name = text.data();
  if (succeeds(call_.uuid, handle_, text.data(), size)) result.uuid = text.data();
  if (succeeds(call_.driver_version, text.data(), size)) result.driver = text.data();
  int ecc = 0, ecc_pending = 0;
  if (succeeds(call_.ecc_mode, handle_, &ecc, &ecc_pending)) result.ecc = ecc != 0;
  unsigned mig = 0, mig_pending = 0;
  if (succeeds(call_.mig_mode, handle_, &mig, &mig_pending)) result.mig = mig != 0;
  unsigned milliwatts = 0;
  if (succeeds(call_.power_cap, handle_, &milliwatts)) result.power_cap_w = milliwatts / 1000.0;
  return result;
}

device_state nvml::state() const {
  constexpr auto unknown = std::nullopt;
  device_state result{unknown, unknown, unknown, unknown, unknown, unknown, unknown};
  if (!available()) return result;
  unsigned value = 0;
  if (succeeds(call_.clock, handle_, clock_of_sms, &value)) result.sm_clock_mhz = written_number(value);
  if (succeeds(call_.clock, handle_, clock_of_memory, &value))
    result.memory_clock_mhz = written_number(value);
  result.event_reasons = event_reasons();
  if (succeeds(call_.temperature, handle_, sensor_of_gpu, &value))
    result.temperature_c = written_number(value);
  if (const auto power = power_w()) result.power_w = written_number(*power);
  if (const auto all = processes()) {
    std::vector<unsigned> pids;
    for (const gpu_process& process : *all) pids.push_back(process.pid);
    result.other_processes = written_number(count_foreign(pids, static_cast<unsigned>(getpid())));
  }
  if (const auto errors = ecc_errors()) result.ecc_errors = written_number(*errors);
  return result;
}

device_load nvml::load() const {
  if (!available()) return {};
  const std::optional<double> instant = instant_power_w();
  return {instant ? instant : power_w(), event_reasons()};
}

std::optional<double> nvml::power_w() const {
  unsigned milliwatts = 0;
  if (!succeeds(call_.power, handle_, &milliwatts)) return std::nullopt;
  return milliwatts / 1000.0;
}

/// Where this field is unknown, as on GA100, the power is one of the moment; elsewhere it is the mean of a
/// second.
std::optional<double> nvml::instant_power_w() const {
  nvml_functions::field field{};
  field.id = field_of_instant_power;
  if (!succeeds(call_.field_values, handle_, 1, &field) || field.status != success) return std::nullopt;
  return field.milliwatts / 1000.0;
}

std::optional<std::vector<std::string>> nvml::event_reasons() const {
  unsigned long long bits = 0;
  if (!succeeds(call_.event_reasons, handle_, &bits)) return std::nullopt;
  return event_reason_words(bits);
}

std::optional<double> nvml::energy_j() const {
  unsigned long long millijoules = 0;
  if (!available() || !succeeds(call_.total_energy, handle_, &millijoules)) return std::nullopt;
  return static_cast<double>(millijoules) / 1e3;
}

std::optional<unsigned long long> nvml::ecc_errors() const {
  unsigned long long corrected = 0, uncorrected = 0;
  if (!available() || !succeeds(call_.ecc_errors, handle_, corrected_errors, volatile_counter, &corrected) ||
      !succeeds(call_.ecc_errors, handle_, uncorrected_errors, volatile_counter, &uncorrected))
    return std::nullopt;
  return corrected + uncorrected;
}

std::optional<std::vector<gpu_process>> nvml::processes() const {
  if (!available() || !call_.processes) return std::nullopt;
  // The number of processes can grow between asking for it and asking for them.
  std::vector<nvml_functions::process> found(16);
  for (;;) {
    auto count = static_cast<unsigned>(found.size());
    const int status = call_.processes(handle_, &count, found.data());
    if (status == insufficient_size && found.size() < 4096) {
      found.resize(std::max<std::size_t>(count, found.size() * 2));
      continue;
    }
    if (status != success) return std::nullopt;
    found.resize(std::min<std::size_t>(count, found.size()));
    break;
  }
  std::vector<gpu_process> result;
  for (const auto& p : found) {
    gpu_process process{p.pid, std::nullopt};
    if (p.memory_bytes != value_not_available) process.memory_bytes = p.memory_bytes;
    result.push_back(process);
  }
  return result;
}

}  // namespace ablate
