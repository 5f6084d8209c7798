// Which methods prove every deadline of a system, and what a simulated run shows.
#include <iostream>

#include "tactus/base/file.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto text = tactus::read_text_file(argv[1]);
  if (!text) return 2;
  const tactus::ReadResult read = tactus::read_system(*text);
  if (!read.system) return 2;

  for (const tactus::Method* method : tactus::registry()) {
    const tactus::Verdict verdict = tactus::analyze(*method, *read.system);
    if (verdict.status != tactus::Status::kSchedulable) continue;
    std::cout << method->id << " proves every deadline\n";
    const auto behind = tactus::simulate::find_policy(*method);
    if (!behind) continue;
    const auto policy = behind->make(*read.system, verdict);
    auto observed = tactus::simulate::run(*read.system, **policy, behind->admit({}), {});
    tactus::hold_to(verdict, observed);
    for (const auto& broken : tactus::trace::violations(observed)) {
      std::cout << "task " << broken.task << " was seen to exceed its bound\n";
      return 1;
    }
  }
}
