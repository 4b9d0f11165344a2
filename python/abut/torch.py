"""Runs as functions of torch tensors: `from abut.torch import wrap`. torch is imported here and nowhere else in abut."""

from __future__ import annotations

from typing import Any, Callable

import torch

from .gradient import Grad


def wrap(f: Grad) -> Callable[[Any], Any]:
    """A function of a tensor with all parameters, of any shape, to the objective as a tensor without dimensions, through
    which backward() goes. f: what abut.grad made."""

    class Run(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, values: Any) -> Any:
            value, derivative = f(values.detach().cpu().double().numpy())
            ctx.derivative = torch.as_tensor(derivative).to(values).reshape(values.shape)
            return values.new_tensor(value)

        @staticmethod
        def backward(ctx: Any, outer: Any) -> Any:
            return outer * ctx.derivative

    return Run.apply
