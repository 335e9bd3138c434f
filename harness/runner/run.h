#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/runner/executor.h"
#include "harness/runner/launch_settings.h"
#include "harness/runner/run_identity.h"
#include "harness/suite/shards.h"
#include "harness/suite/suite.h"

namespace ablate {

struct run_options {
  std::filesystem::path out;  ///< for journals and record.json
  std::string filter;
  bool resume = false;
  bool tries_failed_again = true;  ///< on resume, the cases that failed, too
  bool keeps_finished = false;     ///< refuse a folder with a finished run, instead of replacing it
  bool host = false;               ///< run the host references
  std::vector<int> devices = {0};  ///< the GPUs to run on, each with a process of its own
  long host_workers = 1;           ///< how many processes run the host references
  long replicas = 1;               ///< on how many of the devices each bundle is measured
  bool timeline = false;           ///< take a timeline of every case except calibrations
  std::vector<std::filesystem::path> data_directories;
  std::string command;  ///< as typed, for the record
  shard_place shard;    ///< of the plan for `shard_chip`; all of it
  std::string shard_chip = "h200";
  std::vector<std::filesystem::path> durations;  ///< records whose elapsed times the plan uses
  std::optional<std::string> counters;           ///< given for all cases, for the record
  std::string notice;                            ///< said on standard error once the run begins
  long long began_ns = 0;  ///< when planning began, on the steady clock; 0: with the run
  /// On several devices, the baseline of a bundle that takes longer is timed again at its end.
  double long_bundle_seconds = 20;
  launch_settings launch;
};

/// Runs a suite and writes its record, `<out>/record.json`. Cases run in a child process for each device,
/// which journals each as it ends; a child that dies or hangs costs one case. Several devices share the cases
/// by bundles, longest first. Returns 0; 3 if a case was wrong; 75 if a case failed or timed out, or a device
/// went out of service; 4 if not one case was measured, calibrations aside (a shard without cases, or with
/// none that applies to the device, is fine); 130 if interrupted. Throws bad_input if the directory holds an
/// unfinished run and `resume` is not set, a finished one and `keeps_finished` is, or if `resume` is set but
/// another kind of device, driver or build began that run (resume.h); also for devices of several kinds, and
/// for more replicas than devices.
int run_suite(const suite&, const run_options&);

/// A device of a run.
struct run_device {
  device_identity identity;
  std::string name = {};                                     ///< for messages: "GPU 1"
  std::function<std::unique_ptr<executor>()> make_executor;  ///< called in its process
  std::string pci_bus_id = {};                               ///< as in sysfs; empty for the host
};

/// The same on given devices, for tests.
int run_suite_on(const suite&, const run_options&, const target&, const std::vector<run_device>&);
int run_suite_on(const suite&, const run_options&, const target&, const device_identity&,
                 const std::function<std::unique_ptr<executor>()>& make_executor);

}  // namespace ablate
