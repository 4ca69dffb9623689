"""Counts what is in the store."""
from __future__ import annotations

import csv
from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    sku: str
    count: int = 0  # pieces, never boxes


def read(path: str) -> list[Item]:
    with open(path, newline="") as file:
        return [Item(row["sku"], int(row["count"])) for row in csv.DictReader(file)]


if __name__ == "__main__":
    print(sum(item.count for item in read("store.csv")))
