#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tactus/methods/method.hpp"
#include "tactus/methods/reuse.hpp"
#include "tactus/methods/views.hpp"

/// Many analyses in one call: no files, no printing. What the methods of a family share (their view
/// of a system) is made once per system.
namespace tactus {

/// What is asked: a method, and how.
struct Question {
  const Method* method = nullptr;
  Options options = {};
  /// Of the answer only the status will be read, and the reason where the method does not apply: a
  /// `Survey` then takes the shorter way of a method that has one (`Method::decide`).
  bool status_only = false;
};

/// The answers about one system, in the order of the questions, each as `analyze` gives it.
/// @param threads how many questions may be in work at a time; the answers do not depend on it
std::vector<Verdict> analyze_many(const System& system, std::span<const Question> questions,
                                  int threads = 1);

/// The answers about many systems: [i][k] is the answer to question k about system i.
/// @param threads how many systems may be in work at a time
std::vector<std::vector<Verdict>> analyze_many(std::span<const System> systems,
                                               std::span<const Question> questions,
                                               int threads = 1);

/// Does the method have a shorter way to a status, and do variant and options make sense?
bool has_shorter_way(const Method& method, const Options& options);
/// The status by this way; nothing where `analyze` must be asked. @pre has_shorter_way
std::optional<Status> decided(const Method& method, const System& system, const Options& options);
/// The status that `analyze` would give, by this way where there is one.
Status status_of(const Method& method, const System& system, const Options& options);

/// The same questions about one system after the other, on one thread. From the second system on,
/// what was needed for the ones before is used again: methods that take part in this (reuse.hpp)
/// allocate nothing.
///
///     Survey survey(questions);
///     for (const System& system : systems) survey.ask(system, found);
class Survey {
 public:
  explicit Survey(std::vector<Question> questions);
  Survey(const Survey&) = delete;
  Survey& operator=(const Survey&) = delete;

  /// Calls `found(k, verdict)` with one answer after the other; it says whether to go on. It may
  /// take what it likes from the verdict, whose memory is used again.
  template <typename Found>
  void ask(const System& system, Found found) {
    views_.turn_to(system);
    for (std::size_t k = 0; k < questions_.size(); ++k) {
      const auto& [method, options, status_only] = questions_[k];
      if (const auto status = shorter_[k] != 0 ? decided(*method, system, options) : std::nullopt) {
        bare_.status = *status;
        if (!found(k, bare_)) break;
        continue;
      }
      Verdict verdict = analyze(*method, system, options);
      const bool go_on = found(k, verdict);
      leave_spare_tasks(std::move(verdict.tasks));
      if (!go_on) break;
    }
    views_.turn_to(none_);  // the system may go now
  }

 private:
  System none_;
  Views views_{none_};
  std::vector<Question> questions_;
  std::vector<char> shorter_;  ///< by question: is there a shorter way, and may it be taken?
  Verdict bare_;               ///< nothing but a status
};

/// Does `work(i)` for every i below `count`, at most `threads` at a time, in any order. The first
/// exception is thrown again at the end; the rest is then left out.
void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace tactus
