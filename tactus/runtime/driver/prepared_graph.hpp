#pragma once

#include <memory>
#include <string>

#include "tactus/runtime/api.hpp"
#include "tactus/runtime/driver/graph_mover.hpp"
#include "tactus/runtime/driver/sm_partition.hpp"

namespace tactus::runtime::driver {

/// What the start or the end of a replay wrote, in host memory; all zero before.
struct Mark {
  std::uint64_t time = 0;      ///< %globaltimer, ns; written last
  std::uint32_t sm_and_1 = 0;  ///< %smid, plus one
  std::uint32_t unused = 0;
};

/// The mark kernel, loaded once for all graphs.
Result<Kernel> load_mark_kernel(const Driver& driver);

/// A user's graph inside a partition, ready to be launched again and again, one run at a time; marks
/// of the device's timer stand before and behind all of it.
class PreparedGraph {
 public:
  /// @param priority  of its stream: 0 is the lowest, negative ones are higher
  static Result<std::unique_ptr<PreparedGraph>> make(const Driver& driver, const UserGraph& source,
                                                     const SmPartition& partition, Kernel mark,
                                                     int priority);
  ~PreparedGraph();
  PreparedGraph(const PreparedGraph&) = delete;
  PreparedGraph& operator=(const PreparedGraph&) = delete;

  /// How it got into its partition: "342 kernels moved".
  const std::string& how() const { return how_; }
  std::int64_t sms() const { return sms_; }

  std::optional<Error> launch();
  /// Has the run that was launched ended? Then the marks are valid, until the next launch.
  bool ended() const;
  const Mark& start() const { return marks_[0]; }
  const Mark& end() const { return marks_[1]; }
  /// Waits for the end of what was launched.
  std::optional<Error> wait() const;
  /// What went wrong on its stream, if anything did.
  std::optional<Error> fault() const;

 private:
  explicit PreparedGraph(const Driver& driver) : driver_(driver) {}
  std::optional<Error> take(const UserGraph& source, const SmPartition& partition);
  std::optional<Error> capture(const UserGraph& source);
  std::optional<Error> settle_in(const SmPartition& partition);
  std::optional<Error> add_marks(Kernel mark, Context context);
  std::optional<Error> make_ready();

  Driver driver_;
  std::string how_;
  std::int64_t sms_ = 0;
  Stream stream_ = nullptr;
  Graph graph_ = nullptr;
  GraphExec exec_ = nullptr;
  Mark* marks_ = nullptr;  ///< two
};

}  // namespace tactus::runtime::driver
