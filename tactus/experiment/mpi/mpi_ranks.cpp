#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tactus/experiment/work/ranks.hpp"

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
    leave_together();
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  /// Does not wait until the message is taken: MPI_Send does, with a busy core.
  void send(int to, std::string_view bytes) override {
    const std::lock_guard guard(lock_);
    forget_sent();
    Sending& one = *sending_.emplace_back(std::make_unique<Sending>(std::string(bytes)));
    MPI_Isend(one.bytes.data(), static_cast<int>(one.bytes.size()), MPI_BYTE, to, kWork,
              MPI_COMM_WORLD, &one.request);
  }

  /// Probes with pauses: a blocking MPI_Recv keeps a core busy that a worker could use.
  std::optional<Message> receive() override {
    constexpr int kProbes = 50;
    Pauses pauses;
    for (int probe = 0; probe < kProbes; ++probe) {
      if (auto message = try_receive()) return message;
      pauses.wait();
    }
    return std::nullopt;
  }

  void abandon() override { abandoned_ = true; }

 private:
  /// What is sent: work and results, or that rank 0 is ready to leave.
  enum Tag { kWork = 0, kLeave = 1 };

  /// A message on its way, which must stay where it is.
  struct Sending {
    explicit Sending(std::string text) : bytes(std::move(text)) {}
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void forget_sent() {
    std::erase_if(sending_, [](const std::unique_ptr<Sending>& one) {
      int sent = 0;
      MPI_Test(&one->request, &sent, MPI_STATUS_IGNORE);
      return sent != 0;
    });
  }

  /// Looking for messages takes time, too: the longer there was none, the longer the next pause. A
  /// rank has work until the answer comes, so that nobody waits for as long.
  class Pauses {
   public:
    void wait() {
      std::this_thread::sleep_for(next_);
      next_ = std::min(2 * next_, kLongest);
    }

   private:
    static constexpr std::chrono::microseconds kShortest{20}, kLongest{2000};
    std::chrono::microseconds next_ = kShortest;
  };

  /// MPI_Finalize waits for all ranks, and keeps a core busy while it does: rank 0 still writes and
  /// reports when the others have nothing left to do.
  void leave_together() {
    for (Pauses pauses; forget_sent(), !sending_.empty();) pauses.wait();
    if (rank_ == 0) {
      for (int other = 1; other < size_; ++other) {
        MPI_Send(nullptr, 0, MPI_BYTE, other, kLeave, MPI_COMM_WORLD);
      }
      return;
    }
    Pauses pauses;
    for (int may_leave = 0;;) {
      MPI_Iprobe(0, kLeave, MPI_COMM_WORLD, &may_leave, MPI_STATUS_IGNORE);
      if (may_leave != 0) break;
      pauses.wait();
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, kLeave, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  std::optional<Message> try_receive() {
    const std::lock_guard guard(lock_);
    int arrived = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kWork, MPI_COMM_WORLD, &arrived, &status);
    if (arrived == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
    MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, kWork, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return message;
  }

  std::mutex lock_;  ///< of MPI, and of what follows
  std::vector<std::unique_ptr<Sending>> sending_;
  int rank_ = 0, size_ = 1;
  bool abandoned_ = false;
};

}  // namespace
}  // namespace tactus::experiment

extern "C" tactus::experiment::Ranks* tactus_make_ranks() {
  return new tactus::experiment::MpiRanks;
}
