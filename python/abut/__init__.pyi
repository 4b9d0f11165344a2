"""Types of the package abut, for editors and type checkers."""

from os import PathLike
from typing import Any, Callable, Literal, Mapping, Optional, Protocol, Sequence, TypedDict, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .control import Control
from .gradient import grad as grad
from .scene import Scene as Scene, SceneBody as SceneBody, plain as plain, sweep as sweep

__version__: str

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
PairKind = Literal["point_point", "point_edge", "point_triangle", "edge_edge"]
IntersectionKind = Union[PairKind, Literal["edge_triangle"]]
Pair = tuple[str, int, int]
CcdMethod = Literal["tight-inclusion", "tight_inclusion", "additive"]
BarrierKind = Literal["c2", "c1", "c0"]
FrictionKind = Literal["c1", "c0", "c2"]
LogLevel = Literal["error", "warning", "info", "debug"]
Csr = tuple[Floats, Ints, Ints]
"""(data, indices, indptr), as scipy.sparse.csr_matrix takes it."""

PAIR_KINDS: tuple[str, str, str, str]

def version() -> str: ...

class Error(Exception):
    place: str
    status: str

class InputError(Error, ValueError): ...
class NotConvergedError(Error): ...
class OverlapError(Error): ...
class InfeasibleError(Error): ...
class FileError(Error, OSError): ...
class OutOfMemoryError(Error, MemoryError): ...
class UnsupportedError(Error, NotImplementedError): ...
class Interrupted(Error): ...
class InternalError(Error, RuntimeError): ...
class CheckError(Error): ...

class StepInfo(TypedDict):
    step: int
    time: float
    newton_iterations: int
    friction_iterations: int
    contact_count: int
    min_distance: float
    kappa: float
    kinetic: float
    elastic: float
    gravity: float
    contact_energy: float
    linear_momentum: tuple[float, float, float]
    angular_momentum: tuple[float, float, float]

class Body(TypedDict):
    name: str
    kind: str
    nodes: slice
    vertices: slice
    edges: slice
    triangles: slice

class Simulation(Control):
    def __new__(
        cls,
        scene: Union[str, "PathLike[str]", Mapping[str, Any], Scene],
        *,
        folder: Union[str, "PathLike[str]", None] = None,
        overrides: Sequence[str] = (),
        threads: int = 0,
        log: Optional[Callable[[str, str], object]] = None,
        log_level: LogLevel = "warning",
        problem_folder: Union[str, "PathLike[str]", None] = None,
    ) -> "Simulation": ...
    def step(self, count: int = 1) -> StepInfo: ...
    def run(
        self,
        folder: Union[str, "PathLike[str]"],
        steps: int = -1,
        *,
        resume: bool = False,
        progress: Optional[Callable[[StepInfo, int], object]] = None,
    ) -> StepInfo: ...
    def check(self) -> float: ...
    def save(self, path: Union[str, "PathLike[str]"]) -> None: ...
    def restore(self, path: Union[str, "PathLike[str]"]) -> None: ...
    def collision_mesh(self) -> "CollisionMesh": ...
    positions: Floats
    velocities: Floats
    forces: Floats
    @property
    def joint_names(self) -> Sequence[str]: ...
    @property
    def joint_positions(self) -> Floats: ...
    @property
    def joint_velocities(self) -> Floats: ...
    @property
    def joint_efforts(self) -> Floats: ...
    @property
    def joint_targets(self) -> Floats: ...
    @property
    def masses(self) -> Floats: ...
    @property
    def info(self) -> StepInfo: ...
    @property
    def time(self) -> float: ...
    @property
    def time_step(self) -> float: ...
    @property
    def steps_total(self) -> int: ...
    @property
    def edges(self) -> Ints: ...
    @property
    def triangles(self) -> Ints: ...
    @property
    def tetrahedra(self) -> Ints: ...
    @property
    def vertices(self) -> Floats: ...
    @property
    def rest_vertices(self) -> Floats: ...
    @property
    def bodies(self) -> list[Body]: ...
    @property
    def scene(self) -> dict[str, Any]: ...
    @property
    def scene_text(self) -> str: ...

class SparseMatrix(Protocol):
    """What a map needs to have; scipy.sparse.csr_matrix does."""

    shape: tuple[int, int]
    data: Any
    indices: Any
    indptr: Any

class StepReport(TypedDict):
    step: float
    limiting: Optional[Pair]
    touching: int
    candidates: int
    iterations: int

class CollisionMesh:
    def __new__(
        cls,
        rest: ArrayLike,
        triangles: Optional[ArrayLike] = None,
        edges: Optional[ArrayLike] = None,
        points: Optional[ArrayLike] = None,
        *,
        group: Optional[ArrayLike] = None,
        no_self: Optional[ArrayLike] = None,
        kinematic: Optional[ArrayLike] = None,
        thickness: Optional[ArrayLike] = None,
        planar: bool = False,
        map: Optional[SparseMatrix] = None,
        map_offset: Optional[ArrayLike] = None,
    ) -> "CollisionMesh": ...
    @property
    def edges(self) -> Ints: ...
    @property
    def dofs(self) -> int: ...
    @property
    def freedoms(self) -> int: ...
    @property
    def vertex_count(self) -> int: ...
    def positions(self, q: ArrayLike) -> Floats: ...
    def candidates(
        self, start: ArrayLike, distance: float, end: Optional[ArrayLike] = None
    ) -> "Candidates": ...
    def collision_free_step(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        method: CcdMethod = "tight-inclusion",
        keep: float = 0.2,
        cap: float = 1e-4,
        tolerance: float = 1e-6,
        max_iterations: int = 1000000,
        report: bool = False,
    ) -> Union[float, StepReport]: ...
    def intersections(self, positions: ArrayLike) -> list[Pair]: ...
    def smallest_distance(self, positions: ArrayLike, radius: float) -> tuple[float, Optional[Pair]]: ...
    def pair_vertices(self, kind: IntersectionKind, first: int, second: int) -> Ints: ...

class Candidates:
    def __len__(self) -> int: ...
    @property
    def point_point(self) -> Ints: ...
    @property
    def point_edge(self) -> Ints: ...
    @property
    def point_triangle(self) -> Ints: ...
    @property
    def edge_edge(self) -> Ints: ...

class Contacts(TypedDict):
    kind: Ints
    vertices: Ints
    weight: Floats
    distance: Floats
    thickness: Floats
    mollifier: Floats

class ActiveSet:
    def __new__(cls, mesh: CollisionMesh) -> "ActiveSet": ...
    def __len__(self) -> int: ...
    @property
    def min_distance(self) -> float: ...
    def build(
        self,
        positions: ArrayLike,
        dhat: float,
        candidates: Optional[Candidates] = None,
        *,
        area_weighted: bool = False,
    ) -> "ActiveSet": ...
    def contacts(self) -> Contacts: ...
    def barrier_value(
        self, stiffness: float = 1, *, kind: BarrierKind = "c2", physical: bool = False
    ) -> float: ...
    def barrier_gradient(
        self, stiffness: float = 1, *, kind: BarrierKind = "c2", physical: bool = False
    ) -> Floats: ...
    def barrier_hessian(
        self,
        stiffness: float = 1,
        *,
        kind: BarrierKind = "c2",
        physical: bool = False,
        exact: bool = False,
        upper: bool = False,
    ) -> Csr: ...
    def adapt_stiffness(self, extent: float, stiffness: float, highest: float) -> float: ...

class FrictionContacts(TypedDict):
    kind: Ints
    vertices: Ints
    force: Floats
    weights: Floats
    tangent: Floats

class Friction:
    def __new__(cls) -> "Friction": ...
    def __len__(self) -> int: ...
    def lag(
        self,
        set: ActiveSet,
        coefficient: Union[float, ArrayLike],
        stiffness: float = 1,
        *,
        kind: BarrierKind = "c2",
        physical: bool = False,
    ) -> "Friction": ...
    def value(self, start: ArrayLike, positions: ArrayLike, eps: float, *, kind: FrictionKind = "c1") -> float: ...
    def gradient(self, start: ArrayLike, positions: ArrayLike, eps: float, *, kind: FrictionKind = "c1") -> Floats: ...
    def hessian(
        self,
        start: ArrayLike,
        positions: ArrayLike,
        eps: float,
        *,
        kind: FrictionKind = "c1",
        upper: bool = False,
    ) -> Csr: ...
    def contacts(self) -> FrictionContacts: ...

def initial_stiffness(
    dhat: float,
    extent: float,
    mean_mass: float,
    barrier_gradient: Optional[ArrayLike] = None,
    other_gradient: Optional[ArrayLike] = None,
    *,
    kind: BarrierKind = "c2",
    physical: bool = False,
) -> tuple[float, float, float]: ...
def distance_squared(
    kind: PairKind, vertices: ArrayLike, *, derivatives: bool = False
) -> Union[float, tuple[float, Floats, Floats, Floats]]: ...
def ccd(
    kind: PairKind,
    start: ArrayLike,
    end: ArrayLike,
    *,
    method: CcdMethod = "tight-inclusion",
    tolerance: float = 1e-6,
    separation: float = 0,
    t_max: float = 1,
    max_iterations: int = 1000000,
) -> tuple[Any, Any]: ...
