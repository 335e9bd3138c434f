#include "harness/device/host_facts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <thread>

namespace ablate {

namespace {

/// The value of the first line of /proc/cpuinfo that starts with `key`; empty when there is none.
std::string cpu_info(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

}  // namespace

std::string cpu_model() {
  const std::string model = cpu_info("model name");
  return model.empty() ? "unknown" : model;
}

nlohmann::ordered_json host_facts() {
  utsname system{};
  uname(&system);
  return {{"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
          {"cpu", cpu_model()},
          {"logical_cpus", std::thread::hardware_concurrency()}};
}

nlohmann::ordered_json benchmark_context() {
  double load[3] = {};
  const int loads = getloadavg(load, 3);
  const std::string mhz = cpu_info("cpu MHz");
  return {{"date", fmt::format("{:%Y-%m-%dT%H:%M:%S}+00:00", fmt::gmtime(std::time(nullptr)))},
          {"host_name", host_name()},
          {"executable", "ablate"},
          {"num_cpus", std::thread::hardware_concurrency()},
          {"mhz_per_cpu", mhz.empty() ? 0 : static_cast<int>(std::stod(mhz))},
          {"cpu_scaling_enabled", false},
          {"caches", nlohmann::ordered_json::array()},
          {"load_avg", std::vector<double>(load, load + (loads > 0 ? loads : 0))},
          {"library_build_type", "release"}};
}

}  // namespace ablate
