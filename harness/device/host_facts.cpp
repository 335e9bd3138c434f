#include "harness/device/host_facts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
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

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string date_now() {
  using std::chrono::system_clock;
  // std::time lags behind this clock by up to a tick, so a launch that waited for another second would share
  // it.
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}+00:00", fmt::gmtime(system_clock::to_time_t(system_clock::now())));
}

benchmark_facts benchmark_facts_of_host() {
  double load[3] = {};
  const int loads = getloadavg(load, 3);
  const std::string mhz = cpu_info("cpu MHz");
  benchmark_facts out;
  out.host_name = host_name();
  out.executable = "ablate";
  out.num_cpus = std::thread::hardware_concurrency();
  out.mhz_per_cpu = mhz.empty() ? 0 : static_cast<int>(std::stod(mhz));
  out.load_avg.assign(load, load + (loads > 0 ? loads : 0));
  out.library_build_type = "release";
  return out;
}

}  // namespace ablate
