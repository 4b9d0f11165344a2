/* Reading whole files and writing files atomically (temporary file, fsync, rename). */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"

#include <stdint.h>
#include <stdio.h>

/* The bytes of a whole file, followed by one 0 byte that does not count. Free with file_free. */
typedef struct file_bytes {
    char *data;
    size_t size;
    size_t mapped; /* length of the memory map, 0 when data was allocated */
} file_bytes;

/* ABUT_ERROR_IO with the reason for a missing file, a directory, or a failing read. */
abut_status file_read(const char *path, file_bytes *out, abut_error *err);
void file_free(file_bytes *bytes);
/* The bytes from begin to end leave memory where they can; reading them again brings them back. */
void file_forget(const file_bytes *bytes, size_t begin, size_t end);

/* An output file that appears under its name only when it is complete. */
typedef struct atomic_file {
    FILE *stream;
    char *final_path, *temporary_path;
    bool unsynced; /* set after opening: do not wait for the disk, for what can be made again */
} atomic_file;

abut_status atomic_open(atomic_file *file, const char *path, abut_error *err);
/* Flushes, syncs and renames. On failure the temporary file is gone and the old file untouched. */
abut_status atomic_commit(atomic_file *file, abut_error *err);
/* Gives up: removes the temporary file. Harmless after a commit. */
void atomic_discard(atomic_file *file);
/* Atomic replacement of a file by these bytes. */
abut_status atomic_write(const char *path, const void *data, size_t size, abut_error *err);

/* Removes temporary files that killed processes left in a folder; others are not touched. */
void atomic_remove_leftovers(const char *folder);

bool file_exists(const char *path);
bool file_is_regular(const char *path);
bool file_is_directory(const char *path);
/* Creates a directory and its parents. */
abut_status directory_create(const char *path, abut_error *err);

/* Writes base/name into out (or just name when it is absolute or base is empty). */
void path_join(char *out, size_t size, const char *base, const char *name);
/* Folder part of a path ("." when there is none). */
void path_folder(char *out, size_t size, const char *path);
/* Pointer to the last path component, and to its extension (without the dot; "" when none). */
const char *path_name(const char *path);
const char *path_extension(const char *path);

/* Test hook: every write through an atomic_file fails once this many bytes have been committed to
 * disk in all; -1 = never. Simulates a full disk. */
void file_fail_after_bytes(int64_t bytes);

#endif
