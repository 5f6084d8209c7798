#include "tactus/experiment/ranks.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

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
  // In the build tree it lies beside the program, installed in ../lib.
  std::error_code problem;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", problem);
  std::string reason = problem.message();
  for (const char* place : {".", "../lib", "../lib/tactus"}) {
    const std::string path = program.parent_path() / place / kRanksLibrary;
    // Stays loaded to the end: MPI has threads and exit handlers of its own.
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      reason = ::dlerror();
      continue;
    }
    if (void* make = ::dlsym(library, kMakeRanks)) {
      return std::unique_ptr<Ranks>(reinterpret_cast<MakeRanks*>(make)());
    }
    reason = ::dlerror();
  }
  return Error{
      fmt::format("started as one of several processes, but this tactus was built without "
                  "MPI ({})",
                  reason)};
}

}  // namespace tactus::experiment
