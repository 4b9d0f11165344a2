"""Runs as functions of jax arrays: `from abut.jax import wrap`. jax is imported here and nowhere else in abut."""

from __future__ import annotations

from typing import Any, Callable

import jax
import numpy

from .gradient import Grad


def wrap(f: Grad) -> Callable[[Any], Any]:
    """A function of an array with all parameters, one dimension, to the objective, which jax.grad differentiates and
    jax.jit may contain: the run is a call back to the host. f: what abut.grad made."""

    def host(values: Any) -> Any:
        value, derivative = f(numpy.asarray(values, dtype=float))
        return numpy.asarray(value, values.dtype), numpy.asarray(derivative, values.dtype)

    def both(values: Any) -> Any:
        shapes = (jax.ShapeDtypeStruct((), values.dtype), jax.ShapeDtypeStruct(values.shape, values.dtype))
        return jax.pure_callback(host, shapes, values)

    @jax.custom_vjp
    def run(values: Any) -> Any:
        return both(values)[0]

    run.defvjp(both, lambda derivative, outer: (outer * derivative,))
    return run
