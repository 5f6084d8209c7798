#include "tactus/runtime/gpu/work_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "tactus/base/json.hpp"
#include "tactus/base/json_writer.hpp"

namespace tactus::runtime::gpu {
namespace {

/// Raised whenever the synthetic kernels change: old rates are then worthless.
constexpr std::string_view kWorkVersion = "1";

std::string fine_decimal(double value) { return fmt::format("{:.6f}", value); }

std::optional<double> number(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  if (value == nullptr || !value->is(json::Kind::kNumber)) return std::nullopt;
  const std::string_view text = value->text();
  double result = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return result;
}

std::string_view text_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->is(json::Kind::kString) ? value->text() : std::string_view();
}

void write_line(json::Writer& w, std::string_view name, const Line& line) {
  w.key(name).begin_object();
  w.key("fixed_ns").number(fine_decimal(line.fixed));
  w.key("ns_per_byte").number(fine_decimal(line.slope));
  w.end_object();
}

bool read_line(const json::Value& root, std::string_view name, Line& line) {
  const json::Value* object = root.find(name);
  if (object == nullptr || !object->is(json::Kind::kObject)) return false;
  const auto fixed = number(*object, "fixed_ns"), slope = number(*object, "ns_per_byte");
  if (!fixed || !slope || *slope <= 0) return false;
  line.fixed = *fixed;
  line.slope = *slope;
  return true;
}

}  // namespace

const ItemRate* WorkRates::find(const std::string& kind, std::int64_t threads,
                                std::int64_t resident) const {
  for (const ItemRate& rate : items) {
    if (rate.kind == kind && rate.threads == threads && rate.resident == resident) return &rate;
  }
  return nullptr;
}

std::int64_t items_for(double load_ns, std::int64_t blocks, double item_ns, double gap_ns) {
  const double work = load_ns / static_cast<double>(blocks) - gap_ns;
  const auto each = static_cast<std::int64_t>(std::max(work, 0.0) / item_ns);
  return std::max<std::int64_t>(each, 1) * blocks;
}

std::int64_t bytes_for(double load_ns, const Line& copy) {
  const double bytes = (load_ns - copy.fixed) / copy.slope;
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::max(bytes, 0.0)), 1);
}

std::string rates_to_json(const WorkRates& rates) {
  json::Writer w;
  w.begin_object();
  w.key("work").string(kWorkVersion);
  w.key("key").string(rates.key);
  w.key("gap_ns").number(fine_decimal(rates.gap_ns));
  write_line(w, "to_device", rates.to_device);
  write_line(w, "to_host", rates.to_host);
  w.key("items").begin_array();
  for (const ItemRate& rate : rates.items) {
    w.begin_object();
    w.key("kind").string(rate.kind);
    w.key("threads").integer(rate.threads);
    w.key("resident").integer(rate.resident);
    w.key("ns").number(fine_decimal(rate.ns));
    w.end_object();
  }
  w.end_array();
  w.end_object();
  return w.take();
}

std::optional<WorkRates> rates_from_json(std::string text, const std::string& key) {
  const auto parsed = json::Document::parse(std::move(text));
  if (!parsed || !parsed->root().is(json::Kind::kObject)) return std::nullopt;
  const json::Value& root = parsed->root();
  if (text_of(root, "work") != kWorkVersion || text_of(root, "key") != key) return std::nullopt;
  WorkRates rates;
  rates.key = key;
  const auto gap = number(root, "gap_ns");
  const json::Value* items = root.find("items");
  if (!gap || *gap < 0 || !read_line(root, "to_device", rates.to_device) ||
      !read_line(root, "to_host", rates.to_host) || items == nullptr ||
      !items->is(json::Kind::kArray)) {
    return std::nullopt;
  }
  rates.gap_ns = *gap;
  for (const json::Value& item : items->items()) {
    if (!item.is(json::Kind::kObject)) return std::nullopt;
    const auto threads = number(item, "threads"), resident = number(item, "resident"),
               ns = number(item, "ns");
    if (!threads || !resident || !ns || *ns <= 0) return std::nullopt;
    rates.items.push_back({std::string(text_of(item, "kind")), static_cast<std::int64_t>(*threads),
                           static_cast<std::int64_t>(*resident), *ns});
  }
  return rates;
}

std::string rates_path(const std::string& key) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::string folder;
  if (cache != nullptr && *cache == '/') {
    folder = cache;
  } else if (home != nullptr && *home == '/') {
    folder = std::string(home) + "/.cache";
  } else {
    return {};
  }
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a: names the file, guards nothing
  for (const char c : key) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{}/tactus/gpu-{:016x}.json", folder, digest);
}

}  // namespace tactus::runtime::gpu
