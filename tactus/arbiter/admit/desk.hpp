#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tactus/arbiter/admit/cpu_order.hpp"
#include "tactus/arbiter/admit/register.hpp"
#include "tactus/arbiter/daemon/office.hpp"
#include "tactus/base/result.hpp"

namespace tactus::arbiter::admit {

struct DeskOptions {
  reserve::Rules rules;
  Allowance allowance;
  std::string state;  ///< where it is kept for the next arbiter; empty: nowhere
  /// So long an answer may take, with what would be admitted instead.
  std::int64_t patience_ns = 1'000'000'000;
  int highest_cpu_priority = 0;   ///< of programs that share cores, where that is allowed
  std::size_t most_waiting = 16;  ///< requests of one user; more are refused at once
};

/// Answers requests on a thread of its own, so that whoever serves clients never waits for an analysis;
/// notices processes that end, and writes down who has a reservation.
class Desk final : public daemon::Office {
 public:
  /// @param told lines for whoever starts the arbiter
  static Result<std::unique_ptr<Desk>> open(const System& platform, DeskOptions options,
                                            std::vector<std::string>& told);
  ~Desk() override;

  std::optional<daemon::Told> ask(daemon::Question question) override;
  int news() const override { return news_; }
  daemon::News take() override;
  void in_force(std::uint64_t number) override;

 private:
  explicit Desk(Register desk, DeskOptions options);

  bool hand_over();
  void work();
  void wait();
  bool take_questions();
  daemon::Question next_question();
  void watch_owners(const daemon::Question* asks = nullptr);
  bool notice_ends();
  daemon::Told answer(const daemon::Question& question);
  std::optional<std::string> keep_cpu_order();
  void keep_state(std::vector<std::string>& lines);
  void publish(std::optional<daemon::Told> told = {});
  void see_departures_through();
  bool is_to_end();

  Register register_;
  DeskOptions options_;
  CpuOrder cpu_order_;
  std::map<pid_t, int> owners_;  ///< pidfds
  std::string kept_;             ///< the state that was written last

  int news_ = -1, wake_ = -1;  ///< eventfds: of the one that serves, of the thread
  std::mutex mutex_;           ///< of what follows; held for moments
  std::vector<daemon::Question> asked_;
  daemon::News what_;
  bool leaving_ = false;
  std::uint64_t published_ = 0;  ///< books
  std::atomic<std::uint64_t> in_force_{0};

  // Of the one that serves:
  std::vector<daemon::Question> backlog_;  ///< the lock was taken
  std::map<uid_t, std::size_t> waiting_;   ///< questions without an answer

  // Of the thread:
  std::vector<daemon::Question> taken_;
  std::map<uid_t, std::uint64_t> served_;  ///< when a user was, counted in questions
  std::thread thread_;
};

}  // namespace tactus::arbiter::admit
