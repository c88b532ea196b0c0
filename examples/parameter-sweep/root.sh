#!/bin/sh
# Newton's way to the square root of $1, in $2 steps.
LC_ALL=C awk -v number="$1" -v steps="$2" 'BEGIN {
  root = number
  for (step = 0; step < steps; step++) root = (root + number / root) / 2
  printf "%s,%s,%.8f\n", number, steps, root
}' > result.csv
