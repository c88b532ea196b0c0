"""Prime factors of some numbers, each found by an edge."""

import edgewise

numbers = [1001, 1729, 65537, 360360]
client = edgewise.Client()
for number, text in zip(numbers, client.map(["factor", "{item}"], numbers, timeout=120)):
    factors = text.decode().split(":")[1].split()
    print(number, "=", " x ".join(factors))
