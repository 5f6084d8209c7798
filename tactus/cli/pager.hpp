#pragma once

#include <string_view>

#include "tactus/base/question.hpp"

namespace tactus::cli {

/// Long text on a terminal goes through a pager, as with git: `PAGER`, else `less`, with LESS=FRX
/// unless that is set. Where standard output is no terminal, or with `--no-pager`, it is just written.
class Pager {
 public:
  friend void describe(Pager& pager, Fields& is);

  /// As `emit` of output.hpp.
  bool emit(std::string_view text) const;

 private:
  bool on_ = true;
};

}  // namespace tactus::cli
