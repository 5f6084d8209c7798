#include "tactus/base/metrics.hpp"

#include <fmt/format.h>

#include <iterator>

#include "tactus/base/decimal.hpp"

namespace tactus {
namespace {

constexpr int kNanoseconds = 9;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void Metrics::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  suffix_ = type == "counter" ? "_total" : "";
  const std::string_view own = form_ == Form::kPrometheus ? std::string_view(suffix_) : "";
  fmt::format_to(std::back_inserter(out_), "# TYPE {}{} {}\n# HELP {}{} {}\n", name, own, type,
                 name, own, escaped(help));
}

void Metrics::counter(std::string_view name, std::string_view help) {
  family(name, "counter", help);
}
void Metrics::gauge(std::string_view name, std::string_view help) { family(name, "gauge", help); }
void Metrics::histogram(std::string_view name, std::string_view help) {
  family(name, "histogram", help);
}

void Metrics::sample(std::string_view suffix, Labels labels, std::string_view limit,
                     std::string_view value) {
  fmt::format_to(std::back_inserter(out_), "{}{}", name_, suffix);
  char before = '{';
  for (const auto& [key, text] : labels) {
    fmt::format_to(std::back_inserter(out_), "{}{}=\"{}\"", before, key, escaped(text));
    before = ',';
  }
  if (!limit.empty()) {
    fmt::format_to(std::back_inserter(out_), "{}le=\"{}\"", before, limit);
    before = ',';
  }
  fmt::format_to(std::back_inserter(out_), "{} {}\n", before == ',' ? "}" : "", value);
}

void Metrics::whole(Labels labels, std::uint64_t value) {
  sample(suffix_, labels, {}, std::to_string(value));
}
void Metrics::seconds(Labels labels, std::int64_t ns) {
  sample(suffix_, labels, {}, format_scaled(ns, kNanoseconds));
}
void Metrics::ratio(Labels labels, std::int64_t permille) {
  sample(suffix_, labels, {}, format_scaled(permille, 3));
}

void Metrics::buckets(Labels labels, std::span<const std::int64_t> limits_ns,
                      std::span<const std::uint64_t> counts, std::int64_t sum_ns) {
  std::uint64_t until = 0;
  for (std::size_t i = 0; i < limits_ns.size(); ++i) {
    until += counts[i];
    sample("_bucket", labels, format_scaled(limits_ns[i], kNanoseconds), std::to_string(until));
  }
  until += counts.back();
  sample("_bucket", labels, "+Inf", std::to_string(until));
  sample("_sum", labels, {}, format_scaled(sum_ns, kNanoseconds));
  sample("_count", labels, {}, std::to_string(until));
}

std::string Metrics::take() {
  if (form_ == Form::kOpenMetrics) out_ += "# EOF\n";
  return std::move(out_);
}

const char* Metrics::content_type(Form form) {
  return form == Form::kOpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                    : "text/plain; version=0.0.4; charset=utf-8";
}

Metrics::Form Metrics::form_for(std::string_view accept) {
  return accept.find("application/openmetrics-text") != std::string_view::npos ? Form::kOpenMetrics
                                                                               : Form::kPrometheus;
}

}  // namespace tactus
