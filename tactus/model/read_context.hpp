#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/json.hpp"
#include "tactus/base/name_index.hpp"
#include "tactus/base/origin.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// At most this many errors (and this many warnings) of one file are reported.
inline constexpr std::size_t kMaxProblems = 20;

/// What reading a file, or checking a system in memory, carries along: where we are, the names in
/// scope, what went wrong so far.
class ReadContext {
 public:
  explicit ReadContext(const json::Document& document) : document_(&document) {}
  /// For a system in memory.
  explicit ReadContext(const System& checked) : time_unit(checked.time_unit), system(&checked) {}

  TimeUnit time_unit = TimeUnit::kMs;
  const System* system = nullptr;  ///< that is checked in memory
  NameIndex elements, tasks;
  NameIndex nodes;  ///< of the task being read

  /// What nodes are compared with. Empty if the platform itself has problems.
  struct ElementFacts {
    std::string name;
    ElementKind kind = ElementKind::kCpu;
    std::int64_t units = 1;
  };
  std::vector<ElementFacts> facts;  ///< by element

  /// While it lives, complaints name this part of the file: "task `camera`: node `conv`: ...".
  class Scope {
   public:
    /// An item of an array: by its name where it has one, else by its place.
    Scope(ReadContext& context, std::string_view noun, std::size_t index, std::string_view name)
        : context_(context) {
      context_.path_.push_back({noun, name, index});
    }
    Scope(ReadContext& context, std::string_view noun, std::size_t index, const json::Value& item)
        : Scope(context, noun, index, Origin(item).name({})) {}
    /// A part that exists once.
    Scope(ReadContext& context, std::string_view noun) : context_(context) {
      context_.path_.push_back({noun, {}, kUnique});
    }
    ~Scope() { context_.path_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ReadContext& context_;
  };

  void error(Place where, std::string_view message) { report(Severity::kError, where, message); }
  void warn(Place where, std::string_view message) { report(Severity::kWarning, where, message); }

  /// @pre a file is being read.
  Position position(const json::Value& value) const { return document_->position(value.offset()); }
  bool failed() const { return errors_ > 0; }
  /// False when further errors are only counted, so that no time is spent on their messages.
  bool tells_errors() const { return errors_ < kMaxProblems; }

  /// Everything said, in the order of the file, with a last line for what was too much.
  std::vector<Diagnostic> take_diagnostics();

 private:
  static constexpr std::size_t kUnique = static_cast<std::size_t>(-1);
  struct PathPart {
    std::string_view noun;
    std::string_view name;
    std::size_t index;
  };

  void report(Severity severity, Place where, std::string_view message);

  const json::Document* document_ = nullptr;
  std::vector<PathPart> path_;
  std::vector<std::pair<std::uint32_t, Diagnostic>> told_;
  std::size_t errors_ = 0, warnings_ = 0;
};

}  // namespace tactus
