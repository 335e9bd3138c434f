#include <dlfcn.h>

#include "harness/device/nvml.h"

namespace ablate {

namespace {

template <class Function>
void find(void* library, Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

std::optional<nvml_functions> nvml_functions::load(std::string& why_not) {
  // Never closed: other parts of the driver stay loaded as well, and its threads outlive the handle.
  static void* const library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    why_not = "NVML is not installed (libnvidia-ml.so.1, part of the driver)";
    return std::nullopt;
  }
  nvml_functions f;
  find(library, f.init, "nvmlInit_v2");
  find(library, f.shutdown, "nvmlShutdown");
  find(library, f.error_string, "nvmlErrorString");
  find(library, f.driver_version, "nvmlSystemGetDriverVersion");
  find(library, f.by_uuid, "nvmlDeviceGetHandleByUUID");
  find(library, f.by_pci_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  find(library, f.by_index, "nvmlDeviceGetHandleByIndex_v2");
  find(library, f.name, "nvmlDeviceGetName");
  find(library, f.uuid, "nvmlDeviceGetUUID");
  find(library, f.ecc_mode, "nvmlDeviceGetEccMode");
  find(library, f.mig_mode, "nvmlDeviceGetMigMode");
  find(library, f.power_cap, "nvmlDeviceGetEnforcedPowerLimit");
  find(library, f.clock, "nvmlDeviceGetClockInfo");
  find(library, f.event_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  // The name until driver 535.
  if (!f.event_reasons) find(library, f.event_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(library, f.temperature, "nvmlDeviceGetTemperature");
  find(library, f.power, "nvmlDeviceGetPowerUsage");
  find(library, f.field_values, "nvmlDeviceGetFieldValues");
  find(library, f.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  find(library, f.total_energy, "nvmlDeviceGetTotalEnergyConsumption");
  find(library, f.ecc_errors, "nvmlDeviceGetTotalEccErrors");
  if (!f.init || !f.by_uuid || !f.by_pci_bus_id || !f.by_index) {
    why_not = "NVML is too old: it lacks nvmlInit_v2 or the functions that find a device";
    return std::nullopt;
  }
  return f;
}

}  // namespace ablate
