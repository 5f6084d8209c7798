#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "tactus/decide/cover.hpp"
#include "tactus/deploy/machine.hpp"
#include "tactus/deploy/running.hpp"
#include "tactus/watch/proof.hpp"
#include "tactus/watch/watch.hpp"

namespace tactus::watch {

/// Where a watcher looks.
struct Places {
  std::vector<std::string> folders;  ///< of diaries
  std::string socket;                ///< of the arbiter; empty: the usual place
  bool arbiter = true;               ///< the plan needs one
  std::string root = "/";            ///< for /proc and /sys
};

/// Watches a system on this machine: asks everybody who knows something, in one thread, and the analysis
/// in another one.
///
///     Watcher watcher(std::move(proof), places);
///     while (...) { sleep; watcher.step(host::now_ns()); }
///     report::watch_text(watcher, style);
class Watcher {
 public:
  Watcher(Proof proof, Places places);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// How often `step` is to be called: a job that leaves the model is seen before its next one ends.
  std::int64_t every_ns() const { return every_ns_; }
  void step(std::int64_t now_ns);

  /// What left the model since the last time, a line each, with the bounds that rest on it and the room
  /// that is left. Those of which the analysis has not heard yet come later, or without the room.
  struct Line {
    Departure departure;
    std::string text;
  };
  std::vector<Line> take_lines();
  bool has_more_to_tell() const { return !waiting_.empty(); }
  /// No more is looked at; the analysis may still answer.
  void finish(std::int64_t now_ns) {
    now_ns_ = now_ns;
    watch_.settle(now_ns);
    hear();
  }

  const Proof& proof() const { return proof_; }
  const System& system() const { return proof_.system(); }
  const Watch& watch() const { return watch_; }
  const Diaries& diaries() const { return diaries_; }
  /// With what was seen until a moment ago. Nothing: the analysis has not answered yet.
  const std::optional<Room>& room() const { return room_; }
  const std::optional<arbiter::client::Snapshot>& arbiter() const { return snapshot_; }
  /// Of the start as it is now; empty until every task is there.
  const std::vector<decide::Condition>& conditions() const { return conditions_; }
  const std::vector<std::string>& notes() const { return notes_; }
  std::int64_t watched_ns() const { return now_ns_ - since_ns_; }

  /// Of a task: its jobs are seen, it is proved, and nothing that its bound rests on has left the model.
  bool is_covered(TaskIndex task) const;
  /// "4 of 4 covered, least room lidar 18 %".
  std::string status() const;
  /// Nothing has left the model.
  bool good() const { return watch_.departures().empty(); }
  /// The file with what was seen, and its evidence.
  System seen_system() const;

 private:
  /// What the analysis is asked, and says.
  struct Question {
    std::vector<Departure> departures;
    std::uint64_t number = 0;
  };
  void look_at_diaries();
  void look_at_arbiter();
  void look_at_leavers();
  void look_at_machine();
  void judge(const std::vector<deploy::TaskProcess>& running);
  void analyse(const std::stop_token& stop);
  void ask();
  void hear();

  Proof proof_;
  Places places_;
  Watch watch_;
  Diaries diaries_;
  std::int64_t every_ns_ = 0;
  std::int64_t since_ns_ = 0, now_ns_ = 0;
  std::int64_t next_look_ns_ = 0, next_machine_ns_ = 0;
  std::unique_ptr<arbiter::client::Observer> observer_;
  std::optional<arbiter::client::Snapshot> snapshot_;
  bool arbiter_was_there_ = false;
  std::vector<bool> was_there_;  ///< by task
  std::set<std::uint32_t> known_clients_;
  std::size_t most_leavers_ = 0;  ///< that were told
  std::set<int> told_processes_;
  std::optional<std::size_t> arbiters_;  ///< that ran when they were looked at last
  deploy::Machine gpus_;                 ///< as it was when the hardware was looked at last
  std::int64_t hardware_turn_ = 0;
  std::vector<decide::Condition> conditions_;
  std::set<std::string> broken_;  ///< conditions that were told
  std::vector<std::string> notes_;

  struct Waiting {
    Departure departure;
    std::uint64_t question = 0;
    std::int64_t since_ns = 0;
  };
  std::vector<Waiting> waiting_;  ///< to be told when the analysis has answered
  std::optional<Room> room_;
  std::uint64_t asked_ = 0, heard_ = 0;

  std::mutex mutex_;  ///< of what follows, which both threads use
  std::condition_variable_any news_;
  std::optional<Question> question_;
  struct Answer {
    std::optional<RestsOn> rests;
    std::optional<Room> room;
    std::uint64_t number = 0;
  };
  std::optional<Answer> answer_;
  std::jthread analyst_;  ///< last: it uses all of the above
};

/// "with it every deadline is still proved, least room lidar 18 %".
std::string room_text(const System& system, const Room& room);

}  // namespace tactus::watch
