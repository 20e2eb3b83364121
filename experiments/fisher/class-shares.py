# The shares of ten classes that each client draws in FedFisher's published code: numpy's generator with seed 3, a
# Dirichlet draw for each client in turn, before anything else is drawn. So the first M rows are those of M clients.
# Run: python3 class-shares.py > class-shares.ts && npx biome check --write class-shares.ts
import numpy as np

CLIENTS, CLASSES, SEED = 30, 10, 3

print("/** Made by class-shares.py beside it: by α, a line for each client with its shares of ten classes. */")
print("export const classShares: Readonly<Record<string, string>> = {")
for alpha in (0.05, 0.1, 0.2, 0.3):
    np.random.seed(SEED)
    rows = [np.random.dirichlet(np.repeat(alpha, CLASSES)) for _ in range(CLIENTS)]
    print(f"  '{alpha}': `" + "\n".join(" ".join(repr(float(x)) for x in row) for row in rows) + "`,")
print("};")
