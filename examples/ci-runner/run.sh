#!/bin/sh
# Tests a commit on an edge, as the runner of a forge does: run.sh COMMIT. Its code is that of the job.
set -e
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
git archive "$1" | tar -x -C "$tree"
ended=0
edgewise submit --name "ci-$(git rev-parse --short "$1")" --chunks 1 --attempts 1 \
  --input tree="$tree" --keep-output all --wait -- \
  sh -c 'cp -R tree work && cd work && sh test.sh' || ended=$?
edgewise logs last 0
exit "$ended"
