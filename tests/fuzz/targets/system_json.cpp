// A system file in JSON, or a file of many: what is read can be written, and is read again as the same.
#include "tactus/model/reader.hpp"
#include "tactus/model/systems_file.hpp"
#include "tactus/model/writer.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  if (is_json_lines(text)) {
    fuzz::demand_lines(read_system_lines(text).diagnostics);
    return 0;
  }
  const ReadResult read = read_system(text);
  fuzz::demand_lines(read.diagnostics);
  fuzz::demand(read.system || !read.diagnostics.empty(), "who refuses a file says why");
  if (!read.system) return 0;
  const std::string written = write_system(*read.system);
  const ReadResult again = read_system(written);
  fuzz::demand(again.system.has_value(), "what is written can be read");
  fuzz::demand(*again.system == *read.system, "what is written is the same system");
  fuzz::demand(write_system(*again.system) == written, "the canonical text is one");
  return 0;
}
