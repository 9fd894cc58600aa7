"""Comparison of the stock in the warehouses with the sum of the movements."""

from __future__ import annotations

from typing import Any

from core import ExactField, query

from .models import ProductStock

#: product, warehouse, stock and sum of movements, if these differ. Each query is one statement: it sees a concurrent
#: movement in both tables or in neither
BY_WAREHOUSE = """
SELECT fk_product, fk_entrepot, {held}, {moved} FROM (
  SELECT fk_product, fk_entrepot, reel AS held, 0 AS moved FROM llx_product_stock
  UNION ALL SELECT fk_product, fk_entrepot, 0, value FROM llx_stock_mouvement
) AS t GROUP BY fk_product, fk_entrepot HAVING {held} <> {moved} ORDER BY fk_product, fk_entrepot
"""
BY_PRODUCT = """
SELECT product, NULL, {held}, {moved} FROM (
  SELECT rowid AS product, stock AS held, 0 AS moved FROM llx_product WHERE stock IS NOT NULL
  UNION ALL SELECT fk_product, 0, value FROM llx_stock_mouvement
) AS t GROUP BY product HAVING {held} <> {moved} ORDER BY product
"""


def differences() -> list[dict[str, Any]]:
    """Return the differences of stock and movements: of a product in one warehouse, or (None) in all."""
    exact = ProductStock.reel.sum_value
    sums = {"held": ExactField.sum_sql("held"), "moved": ExactField.sum_sql("moved")}
    return [
        {"product": product, "warehouse": warehouse, "stock": f"{exact(held):f}", "movements": f"{exact(moved):f}"}
        for sql in (BY_WAREHOUSE, BY_PRODUCT)
        for product, warehouse, held, moved in query(sql.format(**sums))
    ]
