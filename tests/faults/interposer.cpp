// Loaded before the C library: makes one call of a system function fail. What fails is in the
// environment:
//
//     TACTUS_FAULT=write:ENOSPC:3    the third call of write fails so
//     TACTUS_FAULT=read:EINTR:*      every second call of read does
//     TACTUS_FAULT=read:short:*      every call of read does at most a few bytes
//     TACTUS_FAULT_COUNTS=FILE       how often each was called is kept there (one word for each)
//
// The names are those of `kCalls`; calls of the same kind share one.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Call : std::size_t {
  kOpen,
  kRead,
  kWrite,
  kSync,
  kRename,
  kMakeFolder,
  kStart,
  kThread,
  kMap,
  kAllocate,
  kPoll,
  kPrint,
  kSocket,
  kPipe,
  kAccept,
  kReceive,
  kSend,
  kCalls,
};
constexpr const char* kNames[kCalls] = {"open",   "read",   "write",  "fsync",  "rename", "mkdir",
                                        "start",  "thread", "mmap",   "malloc", "poll",   "fwrite",
                                        "socket", "pipe",   "accept", "recv",   "send"};

struct ErrorName {
  const char* name;
  int number;
};
constexpr ErrorName kErrors[] = {
    {"ENOSPC", ENOSPC}, {"EINTR", EINTR},   {"EAGAIN", EAGAIN},
    {"EIO", EIO},       {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM},
    {"EACCES", EACCES}, {"EROFS", EROFS},   {"ECONNRESET", ECONNRESET}};
constexpr std::size_t kFewBytes = 7;

/// Nothing fails before the program itself begins: there it could not say so.
std::atomic<bool> begun = false;
int (*program)(int, char**, char**) = nullptr;
std::size_t what = kCalls;  ///< kCalls: nothing
int error = 0;              ///< 0: short
std::uint64_t which = 0;    ///< 0: every second
std::atomic<std::uint64_t>* counts = nullptr;
std::atomic<std::uint64_t> own_counts[kCalls];

__attribute__((constructor)) void prepare() {
  counts = own_counts;
  if (const char* path = std::getenv("TACTUS_FAULT_COUNTS")) {
    const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC));
    const long place =
        syscall(SYS_mmap, nullptr, sizeof own_counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0 && place != -1) counts = reinterpret_cast<std::atomic<std::uint64_t>*>(place);
    if (file >= 0) close(file);
  }
  const char* const asked = std::getenv("TACTUS_FAULT");
  char name[16] = {}, problem[16] = {}, number[24] = {};
  if (asked == nullptr || std::sscanf(asked, "%15[^:]:%15[^:]:%23s", name, problem, number) != 3)
    return;
  for (const ErrorName& known : kErrors) {
    if (std::strcmp(known.name, problem) == 0) error = known.number;
  }
  which = std::strtoull(number, nullptr, 10);
  for (std::size_t i = 0; i < kCalls; ++i) {
    if (std::strcmp(kNames[i], name) == 0) what = i;
  }
}

/// Does this call fail?
bool fails(Call call) {
  if (!begun.load(std::memory_order_relaxed)) return false;
  const std::uint64_t number = counts[call].fetch_add(1) + 1;
  if (what != call || error == 0) return false;
  if (which != 0 ? number != which : number % 2 == 0) return false;
  errno = error;
  return true;
}

/// How many bytes are done of those asked for.
std::size_t part(Call call, std::size_t size) {
  return what == call && error == 0 ? std::min(size, kFewBytes) : size;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// A stream remembers that something was not written.
int broken(FILE* file) {
  constexpr int kErrorSeen = 0x20;  // what ferror looks at
  file->_flags |= kErrorSeen;
  return 0;
}

mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

int begin(int count, char** words, char** environment) {
  begun.store(true);
  return program(count, words, environment);
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*init)(),
                      void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  using Start =
      int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  program = main;
  return next<Start>("__libc_start_main")(begin, count, words, init, fini, rtld_fini, stack_end);
}

#define OPEN(name)                                                                                 \
  int name(const char* path, int flags, ...) {                                                     \
    va_list rest;                                                                                  \
    va_start(rest, flags);                                                                         \
    const mode_t mode = mode_of(flags, rest);                                                      \
    va_end(rest);                                                                                  \
    return fails(kOpen) ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode)); \
  }
OPEN(open)
OPEN(open64)

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return fails(kOpen) ? -1 : static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
FILE* fopen(const char* path, const char* mode) {
  static auto* const real = next<FILE*(const char*, const char*)>("fopen");
  return fails(kOpen) ? nullptr : real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  static auto* const real = next<FILE*(const char*, const char*)>("fopen64");
  return fails(kOpen) ? nullptr : real(path, mode);
}

ssize_t read(int file, void* place, size_t size) {
  return fails(kRead) ? -1 : syscall(SYS_read, file, place, part(kRead, size));
}
ssize_t pread64(int file, void* place, size_t size, off64_t at) {
  return fails(kRead) ? -1 : syscall(SYS_pread64, file, place, part(kRead, size), at);
}
ssize_t pread(int file, void* place, size_t size, off_t at) {
  return pread64(file, place, size, at);
}
ssize_t write(int file, const void* place, size_t size) {
  return fails(kWrite) ? -1 : syscall(SYS_write, file, place, part(kWrite, size));
}
ssize_t pwrite64(int file, const void* place, size_t size, off64_t at) {
  return fails(kWrite) ? -1 : syscall(SYS_pwrite64, file, place, part(kWrite, size), at);
}
ssize_t pwrite(int file, const void* place, size_t size, off_t at) {
  return pwrite64(file, place, size, at);
}
int ftruncate64(int file, off64_t size) {
  return fails(kWrite) ? -1 : static_cast<int>(syscall(SYS_ftruncate, file, size));
}
int ftruncate(int file, off_t size) { return ftruncate64(file, size); }
size_t fwrite(const void* place, size_t size, size_t count, FILE* file) {
  static auto* const real = next<size_t(const void*, size_t, size_t, FILE*)>("fwrite");
  // What a program says of a failure must come through.
  return file != stderr && fails(kPrint) ? broken(file) : real(place, size, count, file);
}
int fflush(FILE* file) {
  static auto* const real = next<int(FILE*)>("fflush");
  return file != stderr && fails(kPrint) ? EOF : real(file);
}

int fsync(int file) { return fails(kSync) ? -1 : static_cast<int>(syscall(SYS_fsync, file)); }
int fdatasync(int file) {
  return fails(kSync) ? -1 : static_cast<int>(syscall(SYS_fdatasync, file));
}
int rename(const char* from, const char* to) noexcept {
  return fails(kRename) ? -1
                        : static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int renameat(int a, const char* from, int b, const char* to) noexcept {
  return fails(kRename) ? -1 : static_cast<int>(syscall(SYS_renameat2, a, from, b, to, 0));
}
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) noexcept {
  return fails(kRename) ? -1 : static_cast<int>(syscall(SYS_renameat2, a, from, b, to, flags));
}
int mkdir(const char* path, mode_t mode) noexcept {
  return fails(kMakeFolder) ? -1 : static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
char* mkdtemp(char* pattern) noexcept {
  static auto* const real = next<char*(char*)>("mkdtemp");
  return fails(kMakeFolder) ? nullptr : real(pattern);
}

pid_t fork() noexcept {
  static auto* const real = next<pid_t()>("fork");
  return fails(kStart) ? -1 : real();
}
int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const arguments[],
                 char* const environment[]) {
  static auto* const real = next<decltype(posix_spawnp)>("posix_spawnp");
  return fails(kStart) ? error : real(pid, file, actions, attributes, arguments, environment);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  static auto* const real = next<decltype(pthread_create)>("pthread_create");
  return fails(kThread) ? error : real(thread, attributes, start, argument);
}

void* mmap64(void* at, size_t size, int protection, int flags, int file, off64_t offset) noexcept {
  if (fails(kMap)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, size, protection, flags, file, offset));
}
void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  return mmap64(at, size, protection, flags, file, offset);
}
void* __libc_malloc(size_t size) noexcept;
void* malloc(size_t size) noexcept { return fails(kAllocate) ? nullptr : __libc_malloc(size); }
int poll(pollfd* files, nfds_t count, int timeout) {
  // By its function: arm64 has no such system call.
  static auto* const real = next<int(pollfd*, nfds_t, int)>("poll");
  return fails(kPoll) ? -1 : real(files, count, timeout);
}
int socket(int family, int type, int protocol) noexcept {
  return fails(kSocket) ? -1 : static_cast<int>(syscall(SYS_socket, family, type, protocol));
}
int accept(int socket, sockaddr* address, socklen_t* size) {
  return fails(kAccept) ? -1 : static_cast<int>(syscall(SYS_accept4, socket, address, size, 0));
}
int accept4(int socket, sockaddr* address, socklen_t* size, int flags) {
  return fails(kAccept) ? -1 : static_cast<int>(syscall(SYS_accept4, socket, address, size, flags));
}
ssize_t recv(int socket, void* place, size_t size, int flags) {
  const std::size_t asked = part(kReceive, size);
  return fails(kReceive) ? -1
                         : syscall(SYS_recvfrom, socket, place, asked, flags, nullptr, nullptr);
}
ssize_t send(int socket, const void* place, size_t size, int flags) {
  const std::size_t asked = part(kSend, size);
  return fails(kSend) ? -1 : syscall(SYS_sendto, socket, place, asked, flags, nullptr, 0);
}
int memfd_create(const char* name, unsigned flags) noexcept {
  return fails(kOpen) ? -1 : static_cast<int>(syscall(SYS_memfd_create, name, flags));
}
int pipe2(int files[2], int flags) noexcept {
  return fails(kPipe) ? -1 : static_cast<int>(syscall(SYS_pipe2, files, flags));
}
}
