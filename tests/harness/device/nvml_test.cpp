#include "harness/device/nvml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace ablate::nvml_test {
namespace {

using handle = nvml_functions::handle;

constexpr int success = 0, not_supported = 3, not_found = 6, insufficient_size = 7;

int put(char* to, unsigned size, const char* text) {
  std::strncpy(to, text, size);
  return success;
}

// A scripted library: one GPU, index 0; how often it was started and stopped, and how many processes it
// lists.
int starts = 0;
unsigned process_count = 0;

nvml_functions made_library() {
  starts = 0;
  process_count = 2;
  nvml_functions f;
  f.init = [] { return ++starts, success; };
  f.shutdown = [] { return --starts, success; };
  f.error_string = [](int status) { return status == not_found ? "Not Found" : "Trouble"; };
  f.driver_version = [](char* to, unsigned size) { return put(to, size, "580.1"); };
  f.by_uuid = [](const char* uuid, handle*) { return std::strcmp(uuid, "GPU-1") == 0 ? success : not_found; };
  f.by_pci_bus_id = [](const char* id, handle*) {
    return std::strcmp(id, "00000000:1B:00.0") == 0 ? success : not_found;
  };
  f.by_index = [](unsigned index, handle*) { return index == 0 ? success : not_found; };
  f.name = [](handle, char* to, unsigned size) { return put(to, size, "NVIDIA H200"); };
  f.uuid = [](handle, char* to, unsigned size) { return put(to, size, "GPU-1"); };
  f.ecc_mode = [](handle, int* current, int*) { return *current = 1, success; };
  f.mig_mode = [](handle, unsigned*, unsigned*) { return not_supported; };
  f.power_cap = [](handle, unsigned* milliwatts) { return *milliwatts = 700000, success; };
  f.clock = [](handle, int which, unsigned* mhz) { return *mhz = which == 1 ? 1980u : 3201u, success; };
  f.event_reasons = [](handle, unsigned long long* bits) { return *bits = 0x1 | 0x4, success; };
  f.temperature = [](handle, int, unsigned* celsius) { return *celsius = 40, success; };
  f.power = [](handle, unsigned* milliwatts) { return *milliwatts = 120500, success; };
  f.total_energy = [](handle, unsigned long long* millijoules) {
    return *millijoules = 5'000'000'123, success;
  };
  f.ecc_errors = [](handle, int type, int, unsigned long long* count) {
    return *count = type == 0 ? 4 : 1, success;
  };
  f.processes = [](handle, unsigned* count, nvml_functions::process* to) {
    const unsigned room = *count;
    *count = process_count;
    if (room < process_count) return insufficient_size;
    for (unsigned i = 0; i < process_count; ++i) to[i] = {100 + i, i == 0 ? 4096 : ~0ull, 0, 0};
    return success;
  };
  return f;
}

TEST(Nvml, FindsADeviceByUuidBusIdAndIndex) {
  const nvml_functions library = made_library();
  for (const char* device : {"GPU-1", "00000000:1B:00.0", "0"})
    EXPECT_TRUE(nvml(device, library).available()) << device;
  EXPECT_EQ(nvml("7", library).why_not(), "NVML has no device '7': Not Found");
  EXPECT_EQ(nvml("GPU-2", library).why_not(), "NVML has no device 'GPU-2': Not Found");
  EXPECT_EQ(starts, 0) << "started more often than stopped";
}

TEST(Nvml, ReadsWhatDoesNotChange) {
  const nvml gpu("0", made_library());
  const nvml_facts facts = gpu.facts();
  EXPECT_EQ(facts.name, "NVIDIA H200");
  EXPECT_EQ(facts.uuid, "GPU-1");
  EXPECT_EQ(facts.driver, "580.1");
  EXPECT_EQ(facts.ecc, true);
  EXPECT_EQ(facts.mig, std::nullopt);
  EXPECT_EQ(facts.power_cap_w, 700);
}

TEST(Nvml, TheStateIsWrittenAsTheRecordHasIt) {
  const nvml gpu("0", made_library());
  EXPECT_EQ(to_json(gpu.state()).dump(),
            R"({"sm_clock_mhz":1980,"memory_clock_mhz":3201,"event_reasons":["gpu_idle","sw_power_cap"],)"
            R"("temperature_c":40,"power_w":120.5,"other_processes":1,"ecc_errors":5})");
}

TEST(Nvml, EnergyIsInJoules) {
  nvml_functions library = made_library();
  EXPECT_EQ(nvml("0", library).energy_j(), 5'000'000.123);
  library.total_energy = [](handle, unsigned long long*) { return not_supported; };
  EXPECT_FALSE(nvml("0", library).energy_j());
  library.total_energy = nullptr;
  EXPECT_FALSE(nvml("0", library).energy_j());
}

TEST(Nvml, WhatTheLibraryLacksOrRefusesIsNull) {
  nvml_functions library = made_library();
  library.event_reasons = nullptr;
  library.power = [](handle, unsigned*) { return not_supported; };
  const nvml gpu("0", library);
  EXPECT_TRUE(to_json(gpu.state())["event_reasons"].is_null());
  EXPECT_TRUE(to_json(gpu.state())["power_w"].is_null());
  EXPECT_EQ(to_json(gpu.state())["temperature_c"], 40);
}

TEST(Nvml, TheLoadHasThePowerOfTheMomentWhereItIsTold) {
  nvml_functions library = made_library();
  const device_load mean = nvml("0", library).load();
  EXPECT_EQ(mean.power_w, 120.5) << "a library without the field";
  EXPECT_EQ(mean.event_reasons, (std::vector<std::string>{"gpu_idle", "sw_power_cap"}));

  library.field_values = [](handle, int count, nvml_functions::field* to) {
    EXPECT_EQ(count, 1);
    to->status = to->id == 186 ? success : not_supported;
    to->milliwatts = 655250;
    return success;
  };
  EXPECT_EQ(nvml("0", library).load().power_w, 655.25);
  library.field_values = [](handle, int, nvml_functions::field* to) {
    return to->status = not_supported, success;
  };
  EXPECT_EQ(nvml("0", library).load().power_w, 120.5);
}

TEST(Nvml, AnAbsentDeviceIsAValueWithAReason) {
  nvml_functions library = made_library();
  library.init = [] { return not_supported; };
  const nvml gpu("0", library);
  EXPECT_EQ(gpu.why_not(), "NVML cannot start: Trouble");
  EXPECT_EQ(
      to_json(gpu.state()).dump(),
      R"({"sm_clock_mhz":null,"memory_clock_mhz":null,"event_reasons":null,"temperature_c":null,"power_w":null,)"
      R"("other_processes":null,"ecc_errors":null})");
  EXPECT_EQ(gpu.facts().name, "");
  EXPECT_FALSE(gpu.processes());
  EXPECT_FALSE(gpu.load().power_w);
}

TEST(Nvml, ListsProcessesHoweverManyThereAre) {
  const nvml gpu("0", made_library());
  const auto two = gpu.processes();
  ASSERT_TRUE(two);
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ((*two)[0].pid, 100u);
  EXPECT_EQ((*two)[0].memory_bytes, 4096u);
  EXPECT_EQ((*two)[1].memory_bytes, std::nullopt);
  process_count = 100;
  EXPECT_EQ(gpu.processes()->size(), 100u);
  process_count = 0;
  EXPECT_TRUE(gpu.processes()->empty());
}

TEST(Nvml, EveryBitOfTheEventReasonsHasAWord) {
  EXPECT_TRUE(event_reason_words(0).empty());
  EXPECT_EQ(event_reason_words(0x1ff).size(), 9u);
  EXPECT_EQ(event_reason_words(0x40), std::vector<std::string>{"hw_thermal_slowdown"});
  EXPECT_EQ(event_reason_words(1ull << 63), std::vector<std::string>{"bit_63"});
}

TEST(Nvml, TheRealLibraryIsThereOrSaysWhyNot) {
  const nvml gpu("0");
  if (gpu.available()) {
    EXPECT_FALSE(gpu.facts().name.empty());
  } else {
    EXPECT_EQ(gpu.why_not().find('\n'), std::string::npos);
  }
  EXPECT_FALSE(nvml("no such bus id").available());
}

}  // namespace
}  // namespace ablate::nvml_test
