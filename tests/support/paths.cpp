#include "tests/support/paths.hpp"

namespace tactus::support {

std::string source_path(const std::string& relative) {
  return std::string(TACTUS_SOURCE_DIR "/") + relative;
}

}  // namespace tactus::support
