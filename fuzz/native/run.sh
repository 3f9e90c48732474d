#!/bin/sh
# run.sh SECONDS [JOBS]: fuzz every entry of the native kernel for its share of the time, on all cores or on JOBS.
# ENTRY=name for one of them, SEED=number for other inputs. Prints the executions by entry; a finding is in findings/, and
# the exit code is 1.
cd "$(dirname "$0")" || exit 2
seconds=${1:-60}
jobs=${2:-$(nproc)}
seed=${SEED:-1}
entries=${ENTRY:-$(./fuzz --list)}
share=$((seconds / $(echo "$entries" | wc -w)))
[ "$share" -ge 1 ] || share=1
mkdir -p findings logs
rm -f logs/*
total=0
for entry in $entries; do
    mkdir -p "corpus/$entry"
    for job in $(seq "$jobs"); do
        ./fuzz "--entry=$entry" --tables=tables "-seed=$((seed + job - 1))" "-max_total_time=$share" -max_len=4096 \
            -timeout=20 -print_final_stats=1 "-artifact_prefix=findings/$entry-" "corpus/$entry" seeds > "logs/$entry-$job" 2>&1 &
    done
    wait
    count=$(cat "logs/$entry-"* | awk '/number_of_executed_units/ { sum += $2 } END { print sum + 0 }')
    total=$((total + count))
    printf '%-14s %12s executions, %4s in the corpus\n' "$entry" "$count" "$(ls "corpus/$entry" | wc -l)"
    grep -l -E 'ERROR|hold|runtime error' "logs/$entry-"* 2> /dev/null | while read -r log; do grep -m 4 -E 'ERROR|hold|runtime error|Test unit' "$log"; done
done
found=$(ls findings | wc -l)
echo "$total executions in $seconds seconds on $jobs processes, seeds $seed to $((seed + jobs - 1)), AddressSanitizer and UndefinedBehaviorSanitizer, $found findings"
[ "$found" -eq 0 ]
