#include "tactus/methods/many.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "tactus/methods/option_values.hpp"
#include "tactus/methods/releases.hpp"
#include "tactus/methods/views.hpp"

namespace tactus {
namespace {

Verdict answer(const System& system, const Question& question, Views& views) {
  Options options = question.options;
  options.views = &views;
  return analyze(*question.method, system, options);
}

}  // namespace

void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex lock;
  std::exception_ptr problem;
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard guard(lock);
        if (!problem) problem = std::current_exception();
        next = count;
      }
    }
  };
  {
    const auto useful = std::min(static_cast<std::size_t>(std::max(threads, 1)), count);
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < useful; ++i) others.emplace_back(take_turns);
    take_turns();
  }
  if (problem) std::rethrow_exception(problem);
}

std::vector<Verdict> analyze_many(const System& system, std::span<const Question> questions,
                                  int threads) {
  Views views(system);
  std::vector<Verdict> verdicts(questions.size());
  for_each_index(questions.size(), threads,
                 [&](std::size_t k) { verdicts[k] = answer(system, questions[k], views); });
  return verdicts;
}

std::vector<std::vector<Verdict>> analyze_many(std::span<const System> systems,
                                               std::span<const Question> questions, int threads) {
  std::vector<std::vector<Verdict>> verdicts(systems.size());
  for_each_index(systems.size(), threads,
                 [&](std::size_t i) { verdicts[i] = analyze_many(systems[i], questions); });
  return verdicts;
}

bool has_shorter_way(const Method& method, const Options& options) {
  const auto& variants = method.variants;
  return method.decide != nullptr && method.analyst == nullptr &&
         std::find(variants.begin(), variants.end(), options.variant) != variants.end() &&
         problem_with(method, options).empty();
}

std::optional<Status> decided(const Method& method, const System& system, const Options& options) {
  if (!system.chains.empty() || refused_releases(method, system, options)) return std::nullopt;
  try {
    return method.decide(system, options);
  } catch (const OverflowError&) {
    return std::nullopt;  // `analyze` says what was reached
  } catch (const LimitReached&) {
    return std::nullopt;
  }
}

Status status_of(const Method& method, const System& system, const Options& options) {
  std::optional<Status> status;
  if (has_shorter_way(method, options)) status = decided(method, system, options);
  return status ? *status : analyze(method, system, options).status;
}

Survey::Survey(std::vector<Question> questions) : questions_(std::move(questions)) {
  for (Question& question : questions_) {
    question.options.views = &views_;
    const bool shorter =
        question.status_only && has_shorter_way(*question.method, question.options);
    shorter_.push_back(shorter ? 1 : 0);
  }
}

}  // namespace tactus
