#!/bin/sh
# One frame of a way into the set of Mandelbrot: render.sh FRAME SIZE > PICTURE
LC_ALL=C awk -v frame="$1" -v size="$2" 'BEGIN {
  width = 3 * 0.7 ^ frame
  print "P2", size, size, 63
  for (row = 0; row < size; row++) {
    for (column = 0; column < size; column++) {
      a = -0.743 + width * (column / size - 0.5)
      b = 0.126 + width * (row / size - 0.5)
      x = y = 0
      for (n = 0; n < 63 && x * x + y * y < 4; n++) { t = x * x - y * y + a; y = 2 * x * y + b; x = t }
      printf "%d%s", n, column < size - 1 ? " " : "\n"
    }
  }
}'
