#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tactus {

/// The text that monitoring systems read. A family is a name with its help; its values follow it.
///
///     Metrics metrics(Metrics::Form::kOpenMetrics);
///     metrics.counter("tactus_jobs", "Jobs that ended");
///     metrics.whole({{"task", "lidar"}}, 17);
///     metrics.gauge("tactus_bound_seconds", "Proved bound of a response");
///     metrics.seconds({{"task", "lidar"}}, 4'000'000);
///     emit(metrics.take());
class Metrics {
 public:
  enum class Form {
    kOpenMetrics,
    kPrometheus,  ///< of text/plain; version=0.0.4, in which counters are called `..._total` throughout
  };
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  explicit Metrics(Form form) : form_(form) {}

  /// @param name without `_total`
  void counter(std::string_view name, std::string_view help);
  void gauge(std::string_view name, std::string_view help);
  void histogram(std::string_view name, std::string_view help);

  void whole(Labels labels, std::uint64_t value);
  void seconds(Labels labels, std::int64_t ns);
  /// A share, in thousandths.
  void ratio(Labels labels, std::int64_t permille);
  /// @param limits_ns of all buckets but the last, which has none; @param counts one more than those
  void buckets(Labels labels, std::span<const std::int64_t> limits_ns,
               std::span<const std::uint64_t> counts, std::int64_t sum_ns);

  std::string take();
  /// Of an answer over HTTP.
  static const char* content_type(Form form);
  /// What an `Accept` header asks for.
  static Form form_for(std::string_view accept);

 private:
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(std::string_view suffix, Labels labels, std::string_view limit,
              std::string_view value);

  Form form_;
  std::string out_, name_, suffix_;
};

}  // namespace tactus
