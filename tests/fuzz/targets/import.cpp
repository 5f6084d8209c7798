// What other tools write, one program per format (FORMAT). Whatever comes in, a system comes out that
// keeps every rule of the file, or lines that say why there is none.
#include "tactus/exchange/import.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

namespace {

/// Options from the first byte, so that every way to fold and to cut is walked.
exchange::ImportOptions options_of(std::uint8_t byte) {
  exchange::ImportOptions options;
  options.name = "fuzzed";
  options.fold = static_cast<exchange::Fold>(byte & 3);
  options.tasks_by = static_cast<exchange::TasksBy>((byte >> 2) % 3);
  options.demand = static_cast<exchange::Demand>((byte >> 4) % 3);
  options.bcet = (byte & 64) != 0;
  if ((byte & 128) != 0) options.jobs = exchange::kJobsAtIdleGaps;
  options.gpu_tracks = "*7*";  // some are of the GPU, some are not
  options.most_bytes = std::uint64_t{1} << 22;
  return options;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto options = options_of(data[0]);
  const auto result = exchange::import_text(fuzz::text_of(data + 1, size - 1), FORMAT, options);
  if (!result) {
    fuzz::demand(!result.error().empty(), "who refuses a file says why");
    fuzz::demand_lines(result.error());
    return 0;
  }
  const System& system = result->system;
  const ReadResult again = read_system(write_system(system));
  fuzz::demand(again.system.has_value(), "what is imported is a system file");
  fuzz::demand(*again.system == system, "what is written is the same system");
  return 0;
}
