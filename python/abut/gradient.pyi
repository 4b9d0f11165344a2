from os import PathLike
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .scene import Scene

Floats = NDArray[np.float64]
Function = Callable[[float, Floats, Floats], tuple[float, Optional[ArrayLike], Optional[ArrayLike]]]
Objective = Union[Mapping[str, Any], Function]
Parameter = Union[str, tuple[str, str]]

class Grad:
    infeasible: Optional[float]
    evaluations: int
    slices: dict[str, slice]
    def __init__(
        self,
        scene: Union[str, "PathLike[str]", Mapping[str, Any], Scene],
        objective: Union[Objective, Sequence[Objective]],
        parameters: Union[Parameter, Sequence[Parameter]],
        *,
        folder: Union[str, "PathLike[str]", None] = None,
        overrides: Sequence[str] = (),
        steps: int = 0,
        tolerance: float = 0.0,
        snapshots: int = 0,
        infeasible: Optional[float] = None,
    ) -> None: ...
    def __call__(self, values: Optional[ArrayLike] = None) -> tuple[float, Floats]: ...
    def value(self, values: Optional[ArrayLike] = None) -> float: ...
    def squares(self, values: Optional[ArrayLike] = None) -> tuple[float, Floats, Floats]: ...
    def __len__(self) -> int: ...
    @property
    def values(self) -> Floats: ...
    @property
    def info(self) -> dict[str, Any]: ...
    def scene(self, values: ArrayLike) -> dict[str, Any]: ...

def grad(
    scene: Union[str, "PathLike[str]", Mapping[str, Any], Scene],
    objective: Union[Objective, Sequence[Objective]],
    parameters: Union[Parameter, Sequence[Parameter]],
    *,
    folder: Union[str, "PathLike[str]", None] = None,
    overrides: Sequence[str] = (),
    steps: int = 0,
    tolerance: float = 0.0,
    snapshots: int = 0,
    infeasible: Optional[float] = None,
) -> Grad: ...
