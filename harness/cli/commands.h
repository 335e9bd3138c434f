#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ablate {

/// What the commands share: how the program was called, and the exit code that the chosen command leaves.
struct invocation {
  std::string command_line;
  int exit_code = 0;
};

// Each adds one subcommand, to the program or to `dev`; its callback runs when it is the one that was called.
void add_list_command(CLI::App& program, invocation&);
void add_plan_command(CLI::App& program, invocation&);
void add_run_command(CLI::App& program, invocation&);
void add_record_command(CLI::App& program, invocation&);
void add_verify_command(CLI::App& program, invocation&);
void add_launch_command(CLI::App& program, invocation&);
void add_inputs_command(CLI::App& program, invocation&);
void add_turns_command(CLI::App& program, invocation&);
void add_sample_command(CLI::App& program, invocation&);
void add_report_command(CLI::App& program, invocation&);
void add_claims_command(CLI::App& program, invocation&);
void add_quote_command(CLI::App& program, invocation&);
void add_trace_command(CLI::App& program, invocation&);
void add_best_command(CLI::App& program, invocation&);
void add_predict_command(CLI::App& program, invocation&);
void add_predict_check_command(CLI::App& program, invocation&);
void add_search_command(CLI::App& program, invocation&);
void add_search_check_command(CLI::App& program, invocation&);
void add_explain_command(CLI::App& program, invocation&);
void add_attribute_command(CLI::App& program, invocation&);
void add_compare_command(CLI::App& program, invocation&);
void add_gate_command(CLI::App& program, invocation&);
void add_calibrate_command(CLI::App& program, invocation&);
void add_doctor_command(CLI::App& program, invocation&);
void add_static_command(CLI::App& program, invocation&);
void add_history_command(CLI::App& program, invocation&);
void add_submit_command(CLI::App& program, invocation&);
void add_new_command(CLI::App& program, invocation&);
void add_wrap_command(CLI::App& program, invocation&);

}  // namespace ablate
