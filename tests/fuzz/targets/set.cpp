// `--set`: lines of assignments to one of two systems, which the first byte chooses.
#include "tactus/decide/edit.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tests/fuzz/targets/example.hpp"

using namespace tactus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const System kSystems[] = {fuzz::example("robot"), fuzz::example("gang-shares")};
  if (size == 0) return 0;
  decide::Edited edited{kSystems[data[0] % 2]};
  std::string rest = fuzz::text_of(data + 1, size - 1);
  for (int line = 0; line < 4 && !rest.empty(); ++line) {
    const std::string assignment = rest.substr(0, rest.find('\n'));
    rest.erase(0, assignment.size() + 1);
    const System before = edited.system;
    if (const auto problem = decide::set(edited, assignment)) {
      fuzz::demand_one_line(problem->message);
      fuzz::demand(edited.system == before, "what is refused changes nothing");
      return 0;
    }
  }
  for (const decide::Change& change : edited.changes) fuzz::demand_one_line(to_string(change));
  const auto problems = decide::finish(edited);
  fuzz::demand_lines(problems);
  if (!problems.empty()) return 0;
  const ReadResult again = read_system(write_system(edited.system));
  fuzz::demand(again.system && *again.system == edited.system,
               "the changed system is a system file");
  return 0;
}
