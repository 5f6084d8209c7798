#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/base/result.hpp"

namespace tactus::serve {

/// The one file that the server was started with. Requests can read and replace it, and cannot name
/// any other: no request holds a path.
class EditedFile {
 public:
  /// @param path empty: there is none, and nothing can be saved
  explicit EditedFile(std::string path);

  struct Contents {
    std::string text, revision;
  };
  Result<Contents> read() const;

  enum class Saved { kYes, kChangedMeanwhile, kFailed };
  struct Outcome {
    Saved saved = Saved::kFailed;
    std::string message = {};   ///< why not
    std::string revision = {};  ///< of what is in the file now, where it is known
  };
  /// @param revision that the text was made from; where the file is another by now, it stays
  Outcome save(std::string_view text, std::string_view revision);

  bool exists() const { return !path_.empty(); }
  /// For people: without its folder.
  const std::string& name() const { return name_; }

 private:
  std::string path_, name_;
  std::mutex saving_;
};

/// A short text that is another one for every other content.
std::string revision_of(std::string_view text);

}  // namespace tactus::serve
