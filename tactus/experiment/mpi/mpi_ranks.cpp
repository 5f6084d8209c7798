#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "tactus/experiment/ranks.hpp"

/// Ranks by MPI. The only file that knows it.
namespace tactus::experiment {
namespace {

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiRanks() override {
    constexpr int kUnavailable = 3;  // the exit code for it
    if (abandoned_) MPI_Abort(MPI_COMM_WORLD, kUnavailable);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, std::string_view bytes) override {
    const std::lock_guard guard(lock_);
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD);
  }

  /// Probes with pauses: a blocking MPI_Recv keeps a core busy that a worker could use.
  std::optional<Message> receive() override {
    constexpr int kProbes = 50;
    constexpr std::chrono::microseconds kShortest{20}, kLongest{200};
    auto pause = kShortest;
    for (int probe = 0; probe < kProbes; ++probe) {
      if (auto message = try_receive()) return message;
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kLongest);
    }
    return std::nullopt;
  }

  void abandon() override { abandoned_ = true; }

 private:
  std::optional<Message> try_receive() {
    const std::lock_guard guard(lock_);
    int arrived = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &arrived, &status);
    if (arrived == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
    MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return message;
  }

  std::mutex lock_;
  int rank_ = 0, size_ = 1;
  bool abandoned_ = false;
};

}  // namespace
}  // namespace tactus::experiment

extern "C" tactus::experiment::Ranks* tactus_make_ranks() {
  return new tactus::experiment::MpiRanks;
}
