#include "base/file.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int_fast64_t bytes_until_failure = -1;

void file_fail_after_bytes(int64_t bytes) { atomic_store(&bytes_until_failure, bytes); }

static abut_status io_error(abut_error *err, const char *path, const char *what)
{
    return error_set(err, ABUT_ERROR_IO, path, "%s: %s", what, strerror(errno));
}

static bool read_into_memory(int fd, file_bytes *out)
{
    out->data = mem_alloc(out->size + 1, 1);
    if (!out->data) return false;
    size_t done = 0;
    while (done < out->size) {
        ssize_t got = read(fd, out->data + done, out->size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    out->size = done;
    out->data[done] = 0;
    return true;
}

/* A map ends in a zero byte for free unless the size is a multiple of the page: then it is laid
 * over the beginning of an empty map that is a page longer. */
static bool map_into_memory(int fd, file_bytes *out)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), length = out->size;
    if (length == 0) return false;
    void *under = NULL;
    if (length % page == 0) {
        length += page;
        under = mmap(NULL, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (under == MAP_FAILED) return false;
    }
    void *map = mmap(under, out->size, PROT_READ, MAP_PRIVATE | (under ? MAP_FIXED : 0), fd, 0);
    if (map == MAP_FAILED) {
        if (under) munmap(under, length);
        return false;
    }
    out->data = map;
    out->mapped = length;
    return true;
}

abut_status file_read(const char *path, file_bytes *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    /* Not to wait at a pipe without a writer: it is refused below. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return io_error(err, path, "cannot open");
    struct stat info;
    abut_status status = ABUT_OK;
    if (fstat(fd, &info) != 0) {
        status = io_error(err, path, "cannot read");
    } else if (S_ISDIR(info.st_mode)) {
        status = error_set(err, ABUT_ERROR_IO, path, "is a directory, not a file");
    } else if (!S_ISREG(info.st_mode)) {
        status = error_set(err, ABUT_ERROR_IO, path, "is not a regular file");
    } else {
        out->size = (size_t)info.st_size;
        if (!map_into_memory(fd, out) && !read_into_memory(fd, out))
            status = error_memory(err, "reading a file");
    }
    close(fd);
    return status;
}

void file_free(file_bytes *bytes)
{
    if (bytes->mapped)
        munmap(bytes->data, bytes->mapped);
    else
        mem_free(bytes->data);
    memset(bytes, 0, sizeof *bytes);
}

void file_forget(const file_bytes *bytes, size_t begin, size_t end)
{
    if (!bytes->mapped) return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    begin -= begin % page;
    if (end > bytes->size) end = bytes->size;
    end -= end % page;
    if (begin < end) madvise(bytes->data + begin, end - begin, MADV_DONTNEED);
}

abut_status atomic_open(atomic_file *file, const char *path, abut_error *err)
{
    memset(file, 0, sizeof *file);
    size_t length = strlen(path) + 32;
    file->final_path = mem_strdup(path);
    file->temporary_path = mem_alloc(length, 1);
    if (!file->final_path || !file->temporary_path) {
        mem_free(file->temporary_path); /* not a name yet: nothing to remove */
        file->temporary_path = NULL;
        atomic_discard(file);
        return error_memory(err, "opening an output file");
    }
    snprintf(file->temporary_path, length, "%s.%ld.tmp", path, (long)getpid());
    file->stream = fopen(file->temporary_path, "wb");
    if (!file->stream) {
        abut_status status = io_error(err, path, "cannot write");
        atomic_discard(file);
        return status;
    }
    return ABUT_OK;
}

/* True when the injected disk is full. */
static bool disk_full(FILE *stream)
{
    if (atomic_load(&bytes_until_failure) < 0) return false;
    long size = ftell(stream);
    if (size < 0) size = 0;
    int_fast64_t left = atomic_load(&bytes_until_failure) - size;
    if (left < 0) {
        errno = ENOSPC;
        return true;
    }
    atomic_store(&bytes_until_failure, left);
    return false;
}

abut_status atomic_commit(atomic_file *file, abut_error *err)
{
    abut_status status = ABUT_OK;
    FILE *stream = file->stream;
    file->stream = NULL;
    bool failed = fflush(stream) != 0 || ferror(stream) || disk_full(stream);
    if (!failed && !file->unsynced) failed = fsync(fileno(stream)) != 0;
    if (failed) status = io_error(err, file->final_path, "cannot write");
    if (fclose(stream) != 0 && status == ABUT_OK)
        status = io_error(err, file->final_path, "cannot write");
    if (status == ABUT_OK && rename(file->temporary_path, file->final_path) != 0)
        status = io_error(err, file->final_path, "cannot replace");
    if (status == ABUT_OK) {
        mem_free(file->temporary_path);
        file->temporary_path = NULL;
    }
    atomic_discard(file);
    return status;
}

void atomic_discard(atomic_file *file)
{
    if (file->stream) fclose(file->stream);
    if (file->temporary_path) unlink(file->temporary_path);
    mem_free(file->temporary_path);
    mem_free(file->final_path);
    memset(file, 0, sizeof *file);
}

abut_status atomic_write(const char *path, const void *data, size_t size, abut_error *err)
{
    atomic_file file;
    TRY(atomic_open(&file, path, err));
    if (size > 0 && fwrite(data, 1, size, file.stream) != size) {
        abut_status status = io_error(err, path, "cannot write");
        atomic_discard(&file);
        return status;
    }
    return atomic_commit(&file, err);
}

/* The process number of a name such as "run.json.1234.tmp", or 0. */
static long leftover_process(const char *name)
{
    size_t length = strlen(name), digits = 0;
    if (length < 6 || strcmp(name + length - 4, ".tmp") != 0) return 0;
    const char *at = name + length - 4;
    for (; at > name && at[-1] >= '0' && at[-1] <= '9'; at--) digits++;
    return digits > 0 && digits < 10 && at > name && at[-1] == '.' ? strtol(at, NULL, 10) : 0;
}

void atomic_remove_leftovers(const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        long process = leftover_process(entry->d_name);
        if (process <= 0 || (kill((pid_t)process, 0) == 0 || errno != ESRCH)) continue;
        unlinkat(dirfd(directory), entry->d_name, 0);
    }
    closedir(directory);
}

bool file_exists(const char *path) { return access(path, F_OK) == 0; }

bool file_is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool file_is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

abut_status directory_create(const char *path, abut_error *err)
{
    char partial[4096];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof partial)
        return error_set(err, ABUT_ERROR_IO, path, "cannot create a folder of this name");
    memcpy(partial, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (partial[i] != '/' && partial[i] != 0) continue;
        char keep = partial[i];
        partial[i] = 0;
        if (mkdir(partial, 0777) != 0 && (errno != EEXIST || !file_is_directory(partial)))
            return io_error(err, partial, "cannot create the folder");
        partial[i] = keep;
    }
    return ABUT_OK;
}

void path_join(char *out, size_t size, const char *base, const char *name)
{
    if (name[0] == '/' || !base || !base[0])
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "%s%s%s", base, base[strlen(base) - 1] == '/' ? "" : "/", name);
}

void path_folder(char *out, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(out, size, ".");
    else
        snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_extension(const char *path)
{
    const char *name = path_name(path);
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? dot + 1 : "";
}
