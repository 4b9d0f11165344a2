# The module for PETSc and MPI (src/petsc), loaded at run time: nothing else depends on either. They are looked for only
# when they are asked for: many machines have MPI programs, but not what is needed to compile with MPI.
# Build folders made before this was so have AUTO in their cache.
if(ABUT_MPI AND NOT ABUT_MPI STREQUAL "AUTO")
  pkg_check_modules(PETSC IMPORTED_TARGET petsc)
  find_package(MPI QUIET COMPONENTS C)
  if(PETSC_FOUND AND MPI_C_FOUND)
    file(GLOB PETSC_SOURCES CONFIGURE_DEPENDS src/petsc/*.c)
    add_library(abut_petsc MODULE ${PETSC_SOURCES})
    set_target_properties(abut_petsc PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_include_directories(abut_petsc PRIVATE src include)
    target_include_directories(abut_petsc SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS} ${MPI_C_INCLUDE_DIRS})
    target_link_libraries(abut_petsc PRIVATE ${PETSC_LINK_LIBRARIES} ${MPI_C_LIBRARIES} abut_flags)
    target_compile_options(abut_petsc PRIVATE -Wno-conversion -Wno-pedantic)
    install(TARGETS abut_petsc LIBRARY DESTINATION lib/abut)
  else()
    message(FATAL_ERROR "ABUT_MPI=ON needs PETSc and MPI (Debian: petsc-dev, libopenmpi-dev; scripts/install-deps --mpi)")
  endif()
endif()
