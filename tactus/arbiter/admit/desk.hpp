#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

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
};

/// Answers requests on a thread of its own, so that whoever serves clients never waits for an analysis;
/// notices processes that end, and writes down who has a reservation.
class Desk final : public daemon::Office {
 public:
  /// @param told lines for whoever starts the arbiter
  static Result<std::unique_ptr<Desk>> open(const System& platform, DeskOptions options,
                                            std::vector<std::string>& told);
  ~Desk() override;

  void ask(daemon::Question question) override;
  int news() const override { return news_; }
  daemon::News take() override;

 private:
  explicit Desk(Register desk, DeskOptions options);

  bool hand_over();
  void work();
  void wait();
  bool take_questions();
  void watch_owners(const daemon::Question* asks = nullptr);
  bool notice_ends();
  std::optional<daemon::Told> answer(const daemon::Question& question);
  void keep_state(std::vector<std::string>& lines);
  void publish(std::optional<daemon::Told> told = {});

  Register register_;
  DeskOptions options_;
  std::map<pid_t, int> owners_;  ///< pidfds
  std::string kept_;             ///< the state that was written last

  int news_ = -1, wake_ = -1;  ///< eventfds: of the one that serves, of the thread
  std::mutex mutex_;           ///< of what follows; held for moments
  std::vector<daemon::Question> asked_;
  daemon::News what_;
  bool leaving_ = false;
  std::vector<daemon::Question> backlog_;  ///< of the one that serves: the lock was taken
  std::vector<daemon::Question> taken_;
  std::thread thread_;
};

}  // namespace tactus::arbiter::admit
