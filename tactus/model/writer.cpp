#include "tactus/model/writer.hpp"

#include <fmt/core.h>

#include "tactus/model/format.hpp"
#include "tactus/model/whole_document.hpp"

namespace tactus {

std::string write_system(const System& system) {
  json::Writer out;
  write_object(out, system, system);
  return out.take();
}

std::string write_system_line(const System& system) {
  json::Writer out(json::Layout::kOneLine);
  write_object(out, system, system);
  return out.take();
}

std::string fingerprint(const System& system) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char c : write_system_line(system)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

std::string system_schema() { return schema_of<System>("system", "Tactus system file"); }

}  // namespace tactus
