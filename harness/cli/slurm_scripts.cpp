#include "harness/cli/slurm_scripts.h"

#include <fmt/format.h>

#include "base/text/shell.h"

namespace ablate {

namespace {

using reports::shell_word;

std::string quoted_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += " " + shell_word(word);
  return out;
}

std::string quoted_path(const std::filesystem::path& path) { return shell_word(path.string()); }

}  // namespace

std::string shard_script(const slurm_request& wanted) {
  std::string out = fmt::format(
      "#!/bin/bash\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array=1-{}\n"
      "#SBATCH --nodes=1\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --exclusive\n"
      "#SBATCH --gpus-per-node={}\n",
      wanted.name, wanted.shards, wanted.gpus_per_node);
  if (!wanted.constraint.empty()) out += fmt::format("#SBATCH --constraint={}\n", wanted.constraint);
  out += fmt::format(
      "#SBATCH --time={}\n"
      "#SBATCH --requeue\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --signal=B:USR1@120\n",
      wanted.shard_minutes);
  out += fmt::format(
      R"(
# One shard of {0}. A task that is told to stop, by its time limit or for another job, loses the case it is in
# and is requeued; it continues from its journal, on any node. Another node measures an unfinished bundle again.
set -u
max_restarts=3
stopped=
child=

# shellcheck disable=SC2317  # the trap calls it
stop() {{
  stopped=yes
  if [ -n "$child" ]; then kill -TERM "$child" 2>/dev/null; fi
}}
trap stop USR1 TERM

{1} run{2} --devices all --shard auto/{0} --resume \
  --out {3}"/shard-$SLURM_ARRAY_TASK_ID" &
child=$!
if [ -n "$stopped" ]; then stop; fi  # told before the program ran
wait "$child"
code=$?
# A signal ends `wait` before the program.
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  code=$?
done

if [ -n "$stopped" ] && [ "$code" -ne 0 ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt "$max_restarts" ]; then
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
)",
      wanted.shards, quoted_path(wanted.program), quoted_words(wanted.run_words), quoted_path(wanted.out));
  return out;
}

std::string merge_script(const slurm_request& wanted) {
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --job-name={0}-merge
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --time=30

# The shards may have ended with wrong or failed cases: `record` merges what they measured, and refuses a missing one.
set -eu
{1} dev record {2}/shard-*/record.json --out {2}/record.json
{1} report {2}/record.json --out {2}/report
)",
      wanted.name, quoted_path(wanted.program), quoted_path(wanted.out));
}

std::string submit_script(const slurm_request& wanted) {
  return fmt::format(
      R"(#!/bin/bash
# Submits the shards and their merge; more options of sbatch may follow. SBATCH_* variables hold, too.
set -eu
out={0}
site=({1} "$@")

shards=$(sbatch --parsable --output="$out/shard-%a.log" "${{site[@]}}" "$out/shard.sbatch")
shards=${{shards%%;*}}
merge=$(sbatch --parsable --output="$out/merge.log" --dependency="afterany:$shards" --kill-on-invalid-dep=yes \
  "${{site[@]}}" "$out/merge.sbatch")
echo "shards: job $shards, merge: job ${{merge%%;*}}, record: $out/record.json"
)",
      quoted_path(wanted.out),
      wanted.site_options.empty() ? "" : quoted_words(wanted.site_options).substr(1));
}

}  // namespace ablate
