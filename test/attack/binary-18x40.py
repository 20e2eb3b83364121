"""Eighteen rows of forty bits, for the attack that puts them together from their sums (privacy.md, section 4.1)."""
import csv, random

random.seed(18)
with open("binary-18x40.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([f"q{j + 1}" for j in range(40)])
    for _ in range(18):
        writer.writerow([random.randrange(2) for _ in range(40)])
