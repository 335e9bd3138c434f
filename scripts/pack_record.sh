#!/bin/sh
# Compresses records as results/ holds them: FILE becomes FILE.xz, and FILE goes. Every reader takes both.
#   scripts/pack_record.sh FILE...
set -eu

# Of the presets and filters of xz and zstd this makes the smallest files, a third smaller than zstd -19.
for record in "$@"; do
  case $record in
    *.json) xz --force --check=crc64 --lzma2=preset=9e,pb=0 -- "$record" ;;
    *)
      echo "$record: expected a record as a run writes it, a file that ends in .json" >&2
      exit 2
      ;;
  esac
done
