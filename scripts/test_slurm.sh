#!/bin/sh
# Runs what `ablate dev submit` writes on a real Slurm: a controller and two nodes on this machine's loopback, without root, and
# everything in a temporary folder. One task is told to stop (USR1), the node under another one is lost; both are requeued, go on
# from their journals, and the merge must make one whole record of it. No GPU is needed: the nodes run host references.
#   test_slurm.sh PROGRAM       build/tools/ablate, say
# Where Slurm is not installed, or its daemons cannot run (a container may forbid them), it says so and ends with 0.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh
program=$(realpath "${1:?a program such as build/tools/ablate}")
PATH=$PATH:/usr/sbin

# Slurm's absence fails only where ABLATE_REQUIRE lists it.
skip() { lacks slurm "Slurm was not tested: $1" 0; }

for command in munged slurmctld slurmd slurmstepd sbatch scontrol squeue scancel python3; do
  command -v "$command" >/dev/null 2>&1 || skip "$command is not installed (packages slurmctld, slurmd, slurm-client, munge)"
done

# Sockets in it need a short name; munge wants a folder that others may pass.
work=$(mktemp -d /tmp/ablate-slurm.XXXXXX)
chmod 755 "$work"
daemons=

# jobs NAME=VALUE…: the processes that have all of this in their environment, and are of this cluster's jobs.
jobs() {
  python3 - "SLURM_CONF=$work/slurm.conf" "$@" <<'END'
import pathlib, sys
wanted = {word.encode() for word in sys.argv[1:]}
for process in pathlib.Path("/proc").glob("[0-9]*"):
    try:
        if wanted <= set((process / "environ").read_bytes().split(b"\0")):
            print(process.name)
    except OSError:
        pass  # gone, or not ours
END
}

clean_up() {
  for pid in $(jobs) $daemons; do kill -9 "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

fail() {
  echo "test_slurm: $1" >&2
  squeue -a >&2 || true
  tail -n 20 "$work"/*.log "$work"/out/*.log >&2 2>/dev/null || true
  exit 1
}

# soon SECONDS COMMAND…: waits until the command succeeds.
soon() {
  tries=$(($1 * 10))
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.1
  done
}

# expect_soon WHAT SECONDS COMMAND…: fails with WHAT.
expect_soon() {
  what=$1 seconds=$2
  shift 2
  soon "$seconds" "$@" || fail "expected that $what, within $seconds s"
}

# --- A cluster of one machine

mkdir "$work/state" "$work/spool" "$work/out"
# shellcheck disable=SC2046  # three numbers
set -- $(python3 - <<'END'
import socket
sockets = [socket.socket() for _ in range(3)]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))
END
)
host=$(hostname | cut -d. -f1)
user=$(id -un)
export SLURM_CONF="$work/slurm.conf"
cat >"$SLURM_CONF" <<END
ClusterName=ablate
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
CompleteWait=0
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=1 Feature=tested State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$3 CPUs=1 Feature=tested State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END

# start NAME COMMAND…: a daemon in the background; its process is $started.
start() {
  name=$1
  shift
  "$@" >"$work/$name.out" 2>&1 &
  started=$!
  daemons="$daemons $started"
}

start_node() {
  start "slurmd.$1" slurmd -D -N "$1"
  eval "slurmd_$1=$started"
}

why_not() { tail -n 3 "$work/$1".out "$work/$1".log 2>/dev/null | tr '\n' ' '; }
is_idle() { [ "$(scontrol show node "$1" 2>/dev/null | sed -n 's/.*State=\([A-Z]*\).*/\1/p')" = IDLE ]; }

say "Starting munged, slurmctld and two slurmd in $work"
(umask 077 && head -c 1024 /dev/urandom >"$work/munge.key")
start munged munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" \
  --pid-file="$work/munged.pid" --log-file="$work/munged.log" --seed-file="$work/munge.seed" --num-threads=2
soon 10 sh -c "munge --no-input --socket='$work/munge.socket' | unmunge --socket='$work/munge.socket'" ||
  skip "munged does not answer: $(why_not munged)"
start slurmctld slurmctld -D -c
soon 20 scontrol show config || skip "slurmctld does not answer: $(why_not slurmctld)"
start_node n1
start_node n2
for node in n1 n2; do
  soon 20 is_idle $node || skip "slurmd does not bring up $node: $(why_not slurmd.$node)"
done
timeout 30 sbatch --wait --output="$work/probe.log" --wrap 'exit 0' >/dev/null 2>&1 ||
  skip "no job can be run here: $(why_not slurmd.n1) $(why_not slurmd.n2)"

# --- A suite in three shards

cat >"$work/suite.json" <<'END'
{
  "name": "small",
  "description": "cases of a sixth of a second each",
  "sampling": {"minimum_samples": 3, "maximum_samples": 100000, "half_width": 0.000001, "maximum_seconds": 0.15},
  "cases": [
    {
      "operation": "voxelize",
      "variants": ["global_atomic"],
      "axes": {"points": [1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900, 2000, 2100, 2200, 2300,
                          2400, 2500, 2600, 2700, 2800,
                          2900, 3000, 3100, 3200, 3300],
               "distribution": ["uniform", "clustered", "surface"], "grid": 32},
      "cache": ["cold-clean"]
    }
  ]
}
END
export CUDA_VISIBLE_DEVICES=
out=$work/out
"$program" dev submit "$work/suite.json" --shards 3 --out "$out" --constraint tested >"$work/submit.log" || fail "submit failed"
# These nodes have no GPUs to request.
sed -i '/^#SBATCH --gpus-per-node/d' "$out/shard.sbatch"
"$out/submit.sh" >"$work/submitted.log" 2>&1 || fail "submit.sh failed"
array=$(sed -n 's/^shards: job \([0-9]*\),.*/\1/p' "$work/submitted.log")
[ -n "$array" ] || fail "submit.sh named no job"

state_of() { squeue -h -a -r -j "${array}_$1" -o %T 2>/dev/null; }
is_pending() { [ "$(state_of "$1")" = PENDING ]; }
# What it has journalled, before it goes on.
keep() { cat "$out/shard-$1"/journal*.jsonl | grep '^{"key":' >"$work/kept-$1"; }

# pause SHARD…: as soon as each has ended two cases its processes are stopped, since what follows takes a loaded machine a while.
pause() {
  python3 - "$program" "$work" "$@" <<'END'
import os, pathlib, signal, sys, time
program, work, shards = sys.argv[1], pathlib.Path(sys.argv[2]), set(sys.argv[3:])
deadline = time.monotonic() + 60
while shards and time.monotonic() < deadline:
    for shard in sorted(shards):
        folder = work / "out" / f"shard-{shard}"
        lines = [line for path in folder.glob("journal*.jsonl") for line in path.read_bytes().splitlines()]
        if sum(line.startswith(b'{"key":') for line in lines) < 2:
            continue
        wanted = {f"SLURM_CONF={work}/slurm.conf".encode(), f"SLURM_ARRAY_TASK_ID={shard}".encode()}
        stopped = 0
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(process / "exe") == program and wanted <= set((process / "environ").read_bytes().split(b"\0")):
                    os.kill(int(process.name), signal.SIGSTOP)
                    stopped += 1
            except OSError:
                pass
        if stopped == 0:
            sys.exit(f"shard {shard} ended before it could be stopped")
        shards.remove(shard)
    time.sleep(0.02)
sys.exit(f"shards {sorted(shards)} do not get on" if shards else 0)
END
}

say "Telling a task to stop, and losing a node"
pause 1 2 || fail "two shards could not be stopped in the middle"
keep 1
keep 2
scancel --batch --signal=USR1 "${array}_1"
# Its script passes TERM on to the stopped program, which ends by it once it goes on.
is_told() { for pid in $(jobs SLURM_ARRAY_TASK_ID=1); do grep -q '^ShdPnd:.*4...$' "/proc/$pid/status" && return 0; done; return 1; }
expect_soon "shard 1 is told to stop" 60 is_told
for pid in $(jobs SLURM_ARRAY_TASK_ID=1); do kill -CONT "$pid" 2>/dev/null || true; done
expect_soon "shard 1 is requeued" 60 is_pending 1

lost=$(squeue -h -a -r -j "${array}_2" -o %N)
eval "kill -9 \"\$slurmd_$lost\""
for pid in $(jobs "SLURMD_NODENAME=$lost"); do
  # Its parent first, which would tell the controller how the job ended.
  parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null || true)
  case $(cat "/proc/${parent:-0}/comm" 2>/dev/null) in slurmstepd*) kill -9 "$parent" 2>/dev/null || true ;; esac
done
for pid in $(jobs "SLURMD_NODENAME=$lost"); do kill -9 "$pid" 2>/dev/null || true; done
scontrol update NodeName="$lost" State=DOWN Reason=lost
expect_soon "shard 2 is requeued" 60 is_pending 2
start_node "$lost"
scontrol update NodeName="$lost" State=RESUME 2>/dev/null || true

say "Waiting for the merge"
# A requeued task would wait for two minutes, from when its first run is cleared away.
hurry() {
  squeue -h -a -r -t PENDING -o '%i %r' | while read -r task reason; do
    if [ "$reason" = BeginTime ]; then scontrol update JobId="$task" StartTime=now; fi
  done
}
have_all_ended() {
  hurry
  [ -z "$(squeue -h -a)" ]
}
expect_soon "all jobs have ended" 300 have_all_ended

# --- One whole record

[ -s "$out/record.json" ] || fail "there is no record.json"
[ -s "$out/report/summary.md" ] || fail "there is no report"
python3 - "$out/record.json" "$work/kept-1" "$work/kept-2" <<'END' || fail "the record is not what the shards measured"
import json, sys
record = json.load(open(sys.argv[1], encoding="utf-8"))
names = [c["name"] for c in record["benchmarks"]]
assert len(names) == 72, f"{len(names)} of 72 cases"
assert len(set(names)) == 72, "a case is there twice"
assert record["unmeasured"] == [], record["unmeasured"]
medians = {c["name"]: c["time_us"]["median"] for c in record["benchmarks"]}
kept = 0
for path in sys.argv[2:]:
    for line in open(path, encoding="utf-8"):
        case = json.loads(line)["case"]
        assert medians[case["name"]] == case["time_us"]["median"], case["name"] + " was measured again"
        kept += 1
assert kept >= 4, f"{kept} cases were there before"
print(f"   72 cases, {kept} of them from before the requeues")
END
say "Slurm: a task told to stop and a lost node cost no case"
