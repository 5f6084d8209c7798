// A system file in YAML; its system, written as YAML, is read again as the same.
#include "tactus/base/yaml.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr const char* kMarker = "---\n";  // so that no text is taken for JSON
  const ReadResult read = read_system(kMarker + fuzz::text_of(data, size));
  fuzz::demand_lines(read.diagnostics);
  fuzz::demand(read.system || !read.diagnostics.empty(), "who refuses a file says why");
  if (!read.system) return 0;
  const ReadResult again = read_system(kMarker + yaml::from_json(write_system(*read.system)));
  fuzz::demand(again.system.has_value(), "what is written can be read");
  fuzz::demand(*again.system == *read.system, "what is written is the same system");
  return 0;
}
