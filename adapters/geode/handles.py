"""Questions that a JVM answers in one piece: Java functions put together, out of others, in the JVM itself.

Each call over py4j takes a quarter of a millisecond. An example of twenty puts that asks for one thing at a
time makes a thousand of them. So what belongs together is put together, of method handles
(`java.lang.invoke`), once for each JVM, and asked for by one call. Nothing has to be compiled for it. Knows
nothing of Geode.

Unless its docstring differs, a function here takes one Java object of any class and returns one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

FIELD, RECORD, NULL = "\x1f", "\x1e", "\x00"
"""What stands between the parts of a row, between rows, and for Java's null: no key and no token has them."""


def fields(text: str) -> list[str | None]:
    """The parts of a row, which are text or nothing."""
    return [None if part == NULL else part for part in text.split(FIELD)]


def records(text: str) -> list[list[str | None]]:
    """The rows that `each` has joined."""
    return [fields(row) for row in text.split(RECORD) if row]


class Handles:
    """Makes functions in one JVM.

    Attributes:
        anything: Java's class of all objects.
        text: its class of text.
        boolean: its own truth values.
        none: gives an empty list.
        one: gives a list of what it is asked of.

    Args:
        java: the view of its packages.
    """

    def __init__(self, java: Any) -> None:
        self.classes = java.java.lang.Class
        self._handles = java.java.lang.invoke.MethodHandles
        self._proxies = java.java.lang.invoke.MethodHandleProxies
        self._lookup = self._handles.publicLookup()
        self._arrays = java.java.lang.reflect.Array
        lists = java.java.util.Collections
        self._alone = lists.singletonList  # looking it up is a call, too
        self._handle = self.named("java.lang.invoke.MethodHandle")
        self.anything = self.named("java.lang.Object")
        self._class = self.named("java.lang.Class")
        self.text = self.named("java.lang.String")
        self.boolean = java.java.lang.Boolean.TYPE
        self._makes = java.java.lang.reflect.Proxy
        self._sets = java.java.util.HashSet
        self._contains = self.method(self.named("java.util.Set"), "contains", self.anything)
        objects = self.named("java.util.Objects")
        self._words = self.bind(self.method(objects, "toString", self.anything, self.text), 1, NULL)
        self._concat = self.method(self.text, "concat", self.text)
        self._is_null = self.method(objects, "isNull", self.anything)
        self._part = self.chain(self._words, self.bind(self._concat, 0, FIELD))
        self.none = self.constant(lists.emptyList())
        self.one = self.method(self.named("java.util.Collections"), "singletonList", self.anything)
        self._stream = self.method(self.named("java.util.Collection"), "stream")
        function, stream = self.named("java.util.function.Function"), self.named("java.util.stream.Stream")
        self._function = function
        self._map = self.method(stream, "map", function)
        self._flat_map = self.method(stream, "flatMap", function)
        collect = self.method(stream, "collect", self.named("java.util.stream.Collector"))
        self._join = self.bind(collect, 1, java.java.util.stream.Collectors.joining(RECORD))

    def named(self, name: str) -> Any:
        """The class of this name."""
        return self.classes.forName(name)

    def method(self, of: Any, name: str, *parameters: Any) -> Any:
        """A method of a class, public both: the object comes before its arguments."""
        return self.loose(self._lookup.unreflect(of.getMethod(name, self._array(self._class, *parameters))))

    def field(self, field: Any) -> Any:
        """What an object has in a field that was made accessible."""
        return self.loose(self._lookup.unreflectGetter(field))

    def loose(self, handle: Any) -> Any:
        """The same, of and to any object; each is cast to what it is taken for."""
        return handle.asType(handle.type().generic())

    def constant(self, value: Any) -> Any:
        """Returns a function that gives the same value for each object."""
        return self.anew(self._handles.constant(self.anything, value))

    def anew(self, supplier: Any) -> Any:
        """What takes nothing, as something that takes an object and forgets it."""
        return self._handles.dropArguments(supplier, 0, self._array(self._class, self.anything))

    def bind(self, handle: Any, position: int, value: Any) -> Any:
        """The same with one argument fixed."""
        return self._handles.insertArguments(handle, position, self._array(self.anything, value))

    def chain(self, first: Any, *then: Any) -> Any:
        """One after the other, each on what the one before it gave."""
        for handle in then:
            first = self._handles.filterReturnValue(first, handle)
        return first

    def or_null(self, handle: Any, otherwise: Any) -> Any:
        """The same, but for null, of which another is asked."""
        return self._handles.guardWithTest(self._tests(self._is_null), otherwise, handle)

    def or_else(self, first: Any, second: Any) -> Any:
        """What one says of an object, or the other where that is null."""
        ignoring = self._handles.dropArguments(second, 0, self._array(self._class, self.anything))
        kept = self._handles.dropArguments(
            self._handles.identity(self.anything), 1, self._array(self._class, self.anything)
        )
        test = self._tests(self._is_null)
        return self._handles.foldArguments(self._handles.guardWithTest(test, ignoring, kept), first)

    def unless(self, handle: Any, exception: str, otherwise: str) -> Any:
        """The same, but these words where it throws an exception of this class."""
        thrown = self.named(exception)
        caught = self._handles.dropArguments(
            self._handles.constant(self.anything, otherwise), 0, self._array(self._class, thrown)
        )
        return self._handles.catchException(handle, thrown, caught)

    def row(self, first: Any, *others: Any) -> Any:
        """What each of these says of one object, in words, one asked after the other in this order."""
        so_far = self.chain(first, self._words)
        for handle in others:
            part = self._array(self._handle, self.chain(handle, self._part))
            so_far = self._handles.foldArguments(self._handles.filterArguments(self._concat, 1, part), so_far)
        return so_far

    def each(self, row: Any, collection: Any, *inner: Any) -> Any:
        """What `row` says of each element of a collection that an object has, or of a collection of each."""
        steps = [self.chain(collection, self._stream)]
        for of_element in inner:
            stream = self.instance(self._function, self.chain(of_element, self._stream))
            steps.append(self.bind(self._flat_map, 1, stream))
        steps.append(self.bind(self._map, 1, self.instance(self._function, self.chain(row, self._words))))
        return self.chain(*steps, self._join)

    def instance(self, interface: Any, handle: Any) -> Any:
        """An object with an interface of one method, which this is."""
        return self._proxies.asInterfaceInstance(interface, handle)

    def called(self, of_method: Any) -> Any:
        """What says something of a method, handed a call instead: who is called, how, with what."""
        behind = self._handles.dropArguments(of_method, 1, self._array(self._class, self.anything))
        return self._handles.dropArguments(behind, 0, self._array(self._class, self.anything))

    def called_with(self, of_method: Any, *of_first: Any) -> Any:
        """Of a call: a row of what is said of its method, and then of its first argument."""
        objects = self._arrays.newInstance(self.anything, 0).getClass()
        first = self.loose(self._handles.arrayElementGetter(objects))
        argument = self.chain(self.bind(first, 1, 0), self.row(*of_first), self._part)
        parts = self._array(self._handle, self.chain(of_method, self._words), argument)
        both = self._handles.filterArguments(self._concat, 0, parts)
        return self._handles.dropArguments(both, 0, self._array(self._class, self.anything))

    def where_called(self, names: Iterable[str], of_method: Any, handle: Any, otherwise: Any) -> Any:
        """Of a call: the one where what is said of its method is among these, the other elsewhere."""
        known = self._sets()
        for name in names:
            known.add(name)
        among = self.chain(of_method, self.bind(self._contains, 0, known))
        test = self._tests(among)
        test = self._handles.dropArguments(test, 0, self._array(self._class, self.anything))
        return self._handles.guardWithTest(test, handle, otherwise)

    def answering(self, interface: Any, of_call: Any) -> Any:
        """Returns an object of an interface with any methods: `of_call` receives each call of them."""
        handler = self.instance(self.named("java.lang.reflect.InvocationHandler"), of_call)
        interfaces = self._array(self._class, interface)
        return self._makes.newProxyInstance(interface.getClassLoader(), interfaces, handler)

    def _tests(self, handle: Any) -> Any:
        """The same, for a test: its result is taken for Java's own boolean."""
        return handle.asType(handle.type().changeReturnType(self.boolean))

    def ask(self, handle: Any, thing: Any) -> str:
        """What a function says of an object."""
        words: str = handle.invokeWithArguments(self._alone(thing))
        return words

    def fixed(self, handle: Any, thing: Any) -> Any:
        """The same with its first argument fixed, which may be an object of Python with an interface."""
        return handle.bindTo(thing)

    def _array(self, of: Any, *items: Any) -> Any:
        array = self._arrays.newInstance(of, len(items))
        for number, item in enumerate(items):
            array[number] = item
        return array
