#!/bin/sh
# Compresses records as results/ holds them: FILE becomes FILE.xz, and FILE goes. Every reader takes both. Samples are sorted
# first: in time order they take two thirds of a large record, and no figure depends on their order. Medians of blocks, which
# later launches keep, stay in time order.
#   scripts/pack_record.sh FILE...
set -eu

sort_samples() { # sort_samples FILE: rewrites these numbers alone, so that all others keep their digits
  python3 - "$1" <<'END'
import json, pathlib, re, sys

path = pathlib.Path(sys.argv[1])
text = path.read_text(encoding="utf-8")
list_of_samples = re.compile(r'("samples":\s*\[)([^\[\]]*)(\])(?!\s*,\s*"samples_per_block")')


def in_order(found):
    gaps = re.split(r"[^\s,]+", found[2])
    numbers = sorted(found[2].replace(",", " ").split(), key=float)
    return found[1] + "".join(gap + number for gap, number in zip(gaps, numbers)) + gaps[-1] + found[3]


packed = list_of_samples.sub(in_order, text)


def sort_times(entry):
    time = entry.get("time_us", {})
    if "samples" in time and "samples_per_block" not in time:
        time["samples"].sort()


expected = json.loads(text)
for entry in expected.get("benchmarks", []):
    sort_times(entry)
if json.loads(packed) != expected:
    sys.exit(f"{path}: sorting its samples would change something else; expected lists of numbers under time_us alone")
path.write_text(packed, encoding="utf-8")
END
}

# Of the presets and filters of xz and zstd this makes the smallest files, a third smaller than zstd -19.
for record in "$@"; do
  case $record in
    *.json)
      sort_samples "$record"
      xz --force --check=crc64 --lzma2=preset=9e,pb=0 -- "$record"
      ;;
    *)
      echo "$record: expected a record as a run writes it, a file that ends in .json" >&2
      exit 2
      ;;
  esac
done
