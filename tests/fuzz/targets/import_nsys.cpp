// An export of Nsight Systems: an SQLite file.
#include "tactus/exchange/import.hpp"
#include "tests/fuzz/targets/file.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputFile file("nsys.sqlite");
  file.write(data, size);
  exchange::ImportOptions options;
  options.name = "fuzzed";
  const auto result = exchange::import_file(file.path(), "nsys", options);
  if (!result) {
    fuzz::demand(!result.error().empty(), "who refuses a file says why");
    fuzz::demand_lines(result.error());
  }
  return 0;
}
