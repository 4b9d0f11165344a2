# What `make install` puts where: headers, both libraries, pkg-config file, CMake package, the command
# with its manual page and completions. The result may be moved as a whole.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/abut DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# The static library is exported apart from the shared one: its users need all our dependencies, the
# users of the shared one none.
set_target_properties(abut_shared PROPERTIES EXPORT_NAME shared)
set_target_properties(abut_static PROPERTIES EXPORT_NAME static)
foreach(kind shared static)
  target_include_directories(abut_${kind} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS abut_${kind} EXPORT abut_${kind}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT abut_${kind} NAMESPACE abut:: FILE abut_${kind}.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/abut)
endforeach()
configure_package_config_file(cmake/abutConfig.cmake.in ${CMAKE_BINARY_DIR}/abutConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/abut)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/abutConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/abutConfig.cmake ${CMAKE_BINARY_DIR}/abutConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/abut)

# Libraries that have no pkg-config file of their own, for static linking with pkg-config.
set(ABUT_PC_PRIVATE "")
foreach(library ${AMD_LIBRARY} ${METIS_LIBRARY})
  get_filename_component(name ${library} NAME_WE)
  string(REGEX REPLACE "^lib" "-l" name ${name})
  string(APPEND ABUT_PC_PRIVATE "${name} ")
endforeach()
string(APPEND ABUT_PC_PRIVATE "-pthread -ldl -lm")
file(RELATIVE_PATH ABUT_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" ABUT_PC_TO_PREFIX "${ABUT_PC_TO_PREFIX}")
configure_file(cmake/abut.pc.in ${CMAKE_BINARY_DIR}/abut.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/abut.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# A source archive (`make dist`) brings the page of the viewer along.
if(EXISTS ${CMAKE_SOURCE_DIR}/viewer/dist/index.html)
  configure_file(viewer/dist/index.html ${CMAKE_BINARY_DIR}/viewer/index.html COPYONLY)
endif()

if(TARGET abut)
  install(FILES docs/scene.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/abut)
  install(TARGETS abut RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${CMAKE_BINARY_DIR}/viewer/index.html RENAME viewer.html
    DESTINATION ${CMAKE_INSTALL_DATADIR}/abut OPTIONAL) # there after `make viewer`
  install(FILES docs/man/abut.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES scripts/completion/abut.bash RENAME abut
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES scripts/completion/_abut DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
