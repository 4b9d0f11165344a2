from os import PathLike
from subprocess import Popen
from typing import Any, Callable, Literal, Mapping, Optional, TypedDict, TypeVar, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .scene import Scene

Floats = NDArray[np.float64]
Self = TypeVar("Self", bound="Control")
Path = Union[str, "PathLike[str]"]

class Contacts(TypedDict):
    bodies: NDArray[np.int32]
    points: Floats
    normals: Floats
    distances: Floats
    gaps: Floats
    forces: Floats
    pressures: Floats

class PairForce(TypedDict):
    first: str
    second: str
    contacts: int
    normal: Floats
    friction: Floats
    gap: float

class BodyForce(TypedDict):
    normal: Floats
    friction: Floats

def find_command() -> str: ...

class Control:
    @property
    def targets(self) -> Floats: ...
    @property
    def gravity(self) -> Floats: ...
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    def set_friction(
        self, friction: float, first: Optional[str] = None, second: Optional[str] = None
    ) -> None: ...
    def change(self, scene: Union[Mapping[str, Any], Scene]) -> None: ...
    def set_material(self, name: str, **values: Any) -> None: ...
    def add_body(self, body: Mapping[str, Any]) -> None: ...
    def remove_body(self, name: str) -> None: ...
    def add_energy(
        self,
        nodes: ArrayLike,
        energy: Callable[[Floats, slice, int], Any],
        *,
        name: str = "energy",
        convex: bool = False,
    ) -> None: ...
    def contacts(self) -> Contacts: ...
    def pair_forces(self) -> list[PairForce]: ...
    def body_forces(self) -> dict[str, BodyForce]: ...
    def events(self) -> list[tuple[str, str, Literal["begins", "ends"]]]: ...
    def copy(self: Self) -> Self: ...
    def reset(self) -> None: ...
    def save_bytes(self) -> bytes: ...
    def restore_bytes(self, state: bytes) -> None: ...
    @overload
    def render(
        self, path: None = None, *, size: tuple[int, int] = ..., samples: int = ..., **options: Any
    ) -> bytes: ...
    @overload
    def render(
        self, path: Path, *, size: tuple[int, int] = ..., samples: int = ..., **options: Any
    ) -> None: ...
    @overload
    def to_html(self, path: None = None, *, folder: Optional[Path] = None) -> str: ...
    @overload
    def to_html(self, path: Path, *, folder: Optional[Path] = None) -> None: ...
    def view(self, folder: Optional[Path] = None, *, port: Optional[int] = None) -> "Popen[str]": ...
