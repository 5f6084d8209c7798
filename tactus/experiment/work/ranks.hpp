#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/base/result.hpp"

namespace tactus::experiment {

/// The processes of one run on a cluster. Rank 0 has the store and distributes the work; the others
/// only talk to it. The program itself does not need MPI: a small library beside it (mpi/) uses it,
/// loaded when `mpirun` or `srun` has started us.
class Ranks {
 public:
  struct Message {
    int from = 0;
    std::string bytes;
  };

  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void send(int to, std::string_view bytes) = 0;
  /// What has arrived, or nothing after a short while. One thread at a time.
  virtual std::optional<Message> receive() = 0;
  /// Some may never answer: do not wait for them at the end, but kill them.
  virtual void abandon() = 0;
};

/// The ranks we are one of; null when we were started alone. An error when we were started as one
/// of several, but the library that speaks MPI is not there.
Result<std::unique_ptr<Ranks>> find_ranks();

/// What that library exports, under this name.
using MakeRanks = Ranks*();
inline constexpr const char* kMakeRanks = "tactus_make_ranks";
inline constexpr const char* kRanksLibrary = "libtactus_mpi.so";

}  // namespace tactus::experiment
