#!/bin/sh
# Half of a picture, each way: shrink.sh PICTURE > THUMBNAIL, both as text (PGM).
LC_ALL=C awk '
  NR == 1 { width = $2; height = $3; print "P2", width / 2, height / 2, $4; next }
  { for (i = 1; i <= NF; i++) value[n++] = $i }
  END {
    for (row = 0; row < height; row += 2) {
      for (column = 0; column < width; column += 2) {
        at = row * width + column
        sum = value[at] + value[at + 1] + value[at + width] + value[at + width + 1]
        printf "%d%s", sum / 4, column < width - 2 ? " " : "\n"
      }
    }
  }' "$1"
