#!/bin/sh
# Of so many chunks ($1) this one counts every text whose turn it is.
mkdir -p counts
turn=0
for text in texts/*; do
  if [ $((turn % $1)) -eq "$EDGEWISE_CHUNK" ]; then
    name=$(basename "$text")
    echo "$(wc -w < "$text" | tr -d ' ') $name" > "counts/$name"
  fi
  turn=$((turn + 1))
done
