"""Orders of the shop: what was bought, paid, sent back and replaced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from misstep.suites.world import Refused, Transition, World, needed


def search(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return the orders of a customer, by name or address, in short."""
    words = needed(arguments, "customer")[0].casefold()
    found = [
        {"id": name, **{key: record[key] for key in ("customer", "item", "status")}}
        for name, record in world.of("order")
        if words in f"{record['name']} {record['customer']}".casefold()
    ]
    return {"ok": True, "orders": found}


def get(world: World, arguments: Mapping[str, Any]) -> Any:
    """Return an order."""
    return {"ok": True, "order": dict(world.record("order", arguments.get("order_id")))}


def refund(world: World, arguments: Mapping[str, Any]) -> Any:
    """Pay back what a customer paid, once an order, and return the number of the receipt."""
    name, amount, method = needed(arguments, "order_id", "amount", "method")
    record = world.record("order", name)
    if record["refunded"]:
        raise Refused(f"{name} was refunded before")
    if amount > record["paid"]:
        raise Refused("more than was paid")
    receipt = world.number("receipt", "RF-")
    record.update(refunded=amount, refunded_by=method, receipt=receipt)
    return {"ok": True, "receipt": receipt}


def replace(world: World, arguments: Mapping[str, Any]) -> Any:
    """Send the same thing again and return the number of the shipment."""
    name = needed(arguments, "order_id")[0]
    record = world.record("order", name)
    if record["status"] != "delivered":
        raise Refused(f"{name} is {record['status']}")
    shipment = world.number("shipment", "SH-")
    record.update(status="replaced", shipment=shipment)
    return {"ok": True, "shipment": shipment}


TOOLS: dict[str, Transition] = {
    "orders.search": search,
    "orders.get": get,
    "orders.refund": refund,
    "orders.replace": replace,
}
