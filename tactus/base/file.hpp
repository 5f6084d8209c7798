#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tactus/base/file_place.hpp"
#include "tactus/base/result.hpp"

namespace tactus {

/// The largest file that is read, in bytes.
inline constexpr std::size_t kMaxFileBytes = std::size_t{512} << 20;

/// The contents of a file, or of standard input when `path` is "-".
Result<std::string> read_text_file(const std::string& path);

/// When a file that was written is on the disk, so that not even a crash of the machine loses it.
enum class Durable {
  kNow,
  kWithTheRest,  ///< one of many: after `sync_folder`
};

/// A file about to be replaced as a whole: what is written goes beside it, and takes its place only
/// in `commit`. So a full disk or an interrupt leaves the old file or the new one, never half of
/// it. Devices and pipes are written in place, symbolic links stay links, read-only files stay as
/// they are. A symbolic link in a folder that others may write is refused (`find_place`).
///
///     FileReplacement file(path);
///     if (!file.error()) write_somehow(file.descriptor());
///     if (auto problem = file.commit()) complain(problem->message);
class FileReplacement {
 public:
  explicit FileReplacement(const std::string& path);
  /// Without a `commit` nothing has changed.
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  /// To write to; owned by this object.
  int descriptor() const { return descriptor_; }
  const std::optional<Error>& error() const { return error_; }
  /// Notes, from errno, that writing failed; `commit` then drops what was written.
  void fail();
  /// Puts the file in its place. The first thing that went wrong, if anything did.
  std::optional<Error> commit(Durable durable = Durable::kNow);

 private:
  void open_in_place();
  bool open_temporary();

  std::string path_;
  FilePlace place_;
  std::string temporary_;  ///< its name in the folder; none: written in place
  int descriptor_ = -1;
  std::optional<Error> error_;
};

/// Replaces a file by a text, as `FileReplacement` does.
std::optional<Error> write_text_file(const std::string& path, std::string_view text,
                                     Durable durable = Durable::kNow);

/// Waits until everything in a folder is on the disk: once for many files, not once for each.
std::optional<Error> sync_folder(const std::string& path);

}  // namespace tactus
