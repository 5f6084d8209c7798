#include "tactus/experiment/work/ranks.hpp"

#include <fmt/core.h>

#include <cstdlib>

#include "tactus/host/module.hpp"

namespace tactus::experiment {
namespace {

/// How many processes were started, from the launcher's environment; 1 if alone.
int started() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* size = std::getenv(name)) return std::atoi(size);
  }
  // srun --mpi=pmix says only which one we are.
  if (std::getenv("PMIX_RANK") == nullptr) return 1;
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return tasks == nullptr ? 2 : std::atoi(tasks);
}

}  // namespace

Result<std::unique_ptr<Ranks>> find_ranks() {
  if (started() <= 1) return std::unique_ptr<Ranks>();
  const Result<void*> make = host::load_from_module(kRanksLibrary, kMakeRanks);
  if (make) return std::unique_ptr<Ranks>(reinterpret_cast<MakeRanks*>(*make)());
  return Error{
      fmt::format("started as one of several processes, but this tactus was built without "
                  "MPI ({})",
                  make.error().message)};
}

}  // namespace tactus::experiment
