from os import PathLike
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, TypeVar, Union

from numpy.typing import ArrayLike

from . import Simulation

Mesh = Union[str, "PathLike[str]", Mapping[str, Any]]
Nodes = Union[ArrayLike, Mapping[str, Any], None]
Value = TypeVar("Value")
Result = TypeVar("Result")

def plain(value: Any) -> Any: ...
def sweep(
    function: Callable[[Value], Result], values: Iterable[Value], *, processes: Optional[int] = None
) -> list[Result]: ...

class SceneBody(dict[str, Any]):
    def fix(self, nodes: Nodes = None, **keys: Any) -> "SceneBody": ...
    def push(self, nodes: Nodes = None, **keys: Any) -> "SceneBody": ...

class Scene:
    document: dict[str, Any]
    def __init__(
        self,
        *,
        name: Optional[str] = None,
        step: Optional[float] = 0.01,
        end: Optional[float] = 1.0,
        gravity: Optional[ArrayLike] = None,
        ground: Optional[float] = None,
        friction: Optional[float] = None,
        dhat: Union[float, str, None] = None,
        **keys: Any,
    ) -> None: ...
    def add_material(self, name: str, **values: Any) -> None: ...
    def add_soft(
        self,
        name: str,
        vertices: Optional[ArrayLike] = None,
        tetrahedra: Optional[ArrayLike] = None,
        *,
        mesh: Optional[Mesh] = None,
        **keys: Any,
    ) -> SceneBody: ...
    def add_shell(
        self,
        name: str,
        vertices: Optional[ArrayLike] = None,
        triangles: Optional[ArrayLike] = None,
        *,
        mesh: Optional[Mesh] = None,
        thickness: Optional[float] = None,
        **keys: Any,
    ) -> SceneBody: ...
    def add_rod(
        self,
        name: str,
        vertices: Optional[ArrayLike] = None,
        edges: Optional[ArrayLike] = None,
        *,
        mesh: Optional[Mesh] = None,
        diameter: Optional[float] = None,
        **keys: Any,
    ) -> SceneBody: ...
    def add_particles(
        self,
        name: str,
        vertices: Optional[ArrayLike] = None,
        *,
        mesh: Optional[Mesh] = None,
        radius: Optional[float] = None,
        **keys: Any,
    ) -> SceneBody: ...
    def add_rigid(
        self,
        name: str,
        vertices: Optional[ArrayLike] = None,
        triangles: Optional[ArrayLike] = None,
        *,
        mesh: Optional[Mesh] = None,
        **keys: Any,
    ) -> SceneBody: ...
    def add_obstacle(
        self,
        name: str,
        vertices: Optional[ArrayLike] = None,
        triangles: Optional[ArrayLike] = None,
        *,
        mesh: Optional[Mesh] = None,
        **keys: Any,
    ) -> SceneBody: ...
    def add_half_space(self, origin: ArrayLike = ..., normal: ArrayLike = ..., **keys: Any) -> None: ...
    def add_joint(self, type: str, body: Union[str, SceneBody, None] = None, to: Union[str, SceneBody] = "world", **keys: Any) -> dict[str, Any]: ...
    def add_attachment(
        self, body: Union[str, SceneBody], to: Union[str, SceneBody] = "world", nodes: Nodes = None, **keys: Any
    ) -> dict[str, Any]: ...
    def save(self, path: Union[str, "PathLike[str]"]) -> None: ...
    def simulate(self, **options: Any) -> Simulation: ...
