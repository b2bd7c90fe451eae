"""Fields and methods of Java objects, public or not, and what py4j hands out of none. No Geode is known."""

from __future__ import annotations

from typing import Any

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.jvm import JavaError


def declared(kind: Any, name: str) -> Any:
    """A field of a Java class or of one that it inherits from, made accessible; raises AdapterError."""
    asked = kind
    while kind is not None:
        try:
            field = kind.getDeclaredField(name)
        except JavaError:
            kind = kind.getSuperclass()
            continue
        field.setAccessible(True)
        return field
    raise AdapterError(f"{asked.getName()} has no field {name} in this version")


def method_of(java: Any, kind: Any, name: str, *arguments: Any) -> Any:
    """A method of a Java class or of one that it inherits from, made accessible; raises AdapterError."""
    asked, of = kind, array_of(java, "java.lang.Class", *arguments)
    while kind is not None:
        try:
            method = kind.getDeclaredMethod(name, of)
        except JavaError:
            kind = kind.getSuperclass()
            continue
        method.setAccessible(True)
        return method
    raise AdapterError(f"{asked.getName()} has no method {name} in this version")


def array_of(java: Any, kind: str, *items: Any) -> Any:
    """A Java array of these items."""
    array = java.java.lang.reflect.Array.newInstance(java.java.lang.Class.forName(kind), len(items))
    for place, item in enumerate(items):
        array[place] = item
    return array


def number_setter(java: Any, field: Any) -> Any:
    """A method handle that takes an object and a number, and sets the AtomicLong in that field of the object.

    py4j hands no such thing out: it makes each number of Java one of Python.
    """
    handles = java.java.lang.invoke.MethodHandles
    methods = java.java.lang.Class.forName("java.util.concurrent.atomic.AtomicLong").getMethods()
    setting = next(method for method in methods if method.getName() == "set")
    lookup = handles.publicLookup()
    filters = java.java.lang.reflect.Array.newInstance(
        java.java.lang.Class.forName("java.lang.invoke.MethodHandle"), 1
    )
    filters[0] = lookup.unreflectGetter(field)
    return handles.filterArguments(lookup.unreflect(setting), 0, filters)
