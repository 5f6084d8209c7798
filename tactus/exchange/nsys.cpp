#include "tactus/exchange/nsys.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/sqlite.hpp"

namespace tactus::exchange {
namespace {

/// What is wrong with the recording.
struct Problem {
  std::string message;
};

/// A row of an answer.
class Row {
 public:
  explicit Row(const Statement& statement) : statement_(statement) {}
  std::int64_t number(int column, std::int64_t otherwise = 0) const {
    return statement_.optional_integer(column).value_or(otherwise);
  }
  std::string text(int column) const {
    std::string all = statement_.text(column);
    all.resize(std::min(all.find('\0'), all.size()));  // a NUL ends a name
    return all;
  }

 private:
  const Statement& statement_;
};

class NsysReader {
 public:
  NsysReader(const std::string& path, const Watch& watch) : file_(path, opening()), watch_(watch) {}

  Recording read() {
    if (!has_table("CUPTI_ACTIVITY_KIND_KERNEL")) {
      throw Problem{
          "it has no table CUPTI_ACTIVITY_KIND_KERNEL: this is no export of Nsight Systems "
          "with CUDA work (nsys profile --trace cuda,nvtx)"};
    }
    count_rows();
    read_strings();
    read_epoch();
    read_devices();
    read_kernels();
    read_copies();
    read_calls();
    read_annotations();
    read_waits();
    if (recording_.work.empty()) throw Problem{"it has no GPU work"};
    return std::move(recording_);
  }

 private:
  static SqliteFile::Opening opening() {
    SqliteFile::Opening opening;
    opening.follow_links = true;
    opening.longest_value = 1 << 20;
    return opening;
  }

  void each(const std::string& question, const std::function<void(const Row&)>& take) const {
    Statement statement(file_, question);
    while (statement.step()) {
      take(Row(statement));
      if (++taken_ % kTellEvery != 0) continue;
      if (watch_.stop.stop_requested()) throw Problem{"interrupted"};
      if (watch_.progress) watch_.progress(fmt::format("{} of {} rows", taken_, rows_));
    }
  }
  /// Of the tables that are long, for whoever waits: rows of a table are numbered.
  void count_rows() {
    for (const char* table :
         {"StringIds", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
          "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER",
          "NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"}) {
      if (!has_table(table)) continue;
      each(fmt::format("SELECT max(rowid) FROM {}", table),
           [&](const Row& row) { rows_ += row.number(0); });
    }
  }

  bool has_table(const std::string& name) const {
    bool found = false;
    each(fmt::format("SELECT 1 FROM sqlite_master WHERE type='table' AND name='{}'", name),
         [&](const Row&) { found = true; });
    return found;
  }
  /// The first of these columns that a table has, or NULL.
  std::string column(const std::string& table, std::initializer_list<const char*> names) const {
    std::vector<std::string> columns;
    each(fmt::format("PRAGMA table_info('{}')", table),
         [&](const Row& row) { columns.push_back(row.text(1)); });
    for (const char* name : names) {
      if (std::find(columns.begin(), columns.end(), name) != columns.end()) return name;
    }
    return "NULL";
  }

  void read_strings() {
    if (!has_table("StringIds")) return;
    each("SELECT id, value FROM StringIds",
         [&](const Row& row) { strings_[row.number(0)] = row.text(1); });
  }
  /// A text, or the number of one.
  std::uint32_t name_at(const Row& row, int column) {
    const std::string text = row.text(column);
    const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    const auto found = number ? strings_.find(row.number(column)) : strings_.end();
    return recording_.names.of(found == strings_.end() ? text : found->second);
  }

  void check(std::int64_t start, std::int64_t end, std::uint32_t name) {
    if (end < start) {
      throw Problem{fmt::format("{} ends before it starts", quote(recording_.names[name]))};
    }
    if (++kept_ > kMostRecords) {
      throw Problem{
          fmt::format("more than {} events that matter; record fewer jobs", kMostRecords)};
    }
  }

  void read_epoch() {
    const std::string table = "TARGET_INFO_SESSION_START_TIME";
    if (!has_table(table)) return;
    each(fmt::format("SELECT {} FROM {}", column(table, {"utcEpochNs"}), table),
         [&](const Row& row) {
           if (row.number(0) > 0) recording_.epoch = row.number(0);
         });
  }

  void read_devices() {
    const std::string table = "TARGET_INFO_GPU";
    if (!has_table(table)) return;
    each(fmt::format("SELECT {}, {}, {}, {}, {}, {}, {}, {}, {} FROM {}",
                     column(table, {"cuDevice", "id"}), column(table, {"name"}),
                     column(table, {"smCount"}), column(table, {"computeMajor"}),
                     column(table, {"computeMinor"}), column(table, {"maxWarpsPerSm"}),
                     column(table, {"maxBlocksPerSm"}), column(table, {"maxRegistersPerSm"}),
                     column(table, {"maxShmemPerSm"}), table),
         [&](const Row& row) {
           GpuDevice device;
           device.id = row.number(0);
           device.name = row.text(1);
           device.units = row.number(2);
           const auto limit = [&](int at, std::int64_t factor = 1) -> std::optional<std::int64_t> {
             if (row.number(at) <= 0) return std::nullopt;
             return row.number(at) * factor;
           };
           constexpr std::int64_t kWarp = 32;
           device.sm.threads = limit(5, kWarp);
           device.sm.blocks = limit(6);
           if (!device.sm.blocks)
             device.sm.blocks = most_blocks_of_sm(row.number(3), row.number(4));
           device.sm.registers = limit(7);
           device.sm.shared_memory = limit(8);
           recording_.devices.push_back(std::move(device));
         });
  }

  void read_kernels() {
    const std::string table = "CUPTI_ACTIVITY_KIND_KERNEL";
    each(
        fmt::format("SELECT start, end, {}, {}, {}, {}, {}*{}*{}, {}*{}*{}, {}, "
                    "coalesce({},0)+coalesce({},0) "
                    "FROM {}",
                    column(table, {"deviceId"}), column(table, {"streamId"}),
                    column(table, {"correlationId"}),
                    column(table, {"demangledName", "shortName", "name"}), column(table, {"gridX"}),
                    column(table, {"gridY"}), column(table, {"gridZ"}), column(table, {"blockX"}),
                    column(table, {"blockY"}), column(table, {"blockZ"}),
                    column(table, {"registersPerThread"}), column(table, {"staticSharedMemory"}),
                    column(table, {"dynamicSharedMemory"}), table),
        [&](const Row& row) {
          GpuWork work;
          work.name = name_at(row, 5);
          work.start = row.number(0);
          work.end = row.number(1);
          check(work.start, work.end, work.name);
          work.device = row.number(2);
          work.stream = row.number(3);
          work.correlation = row.number(4, -1);
          work.blocks = row.number(6);
          work.threads = row.number(7);
          work.registers = row.number(8);
          work.shared_memory = row.number(9);
          recording_.work.push_back(work);
        });
  }

  void read_copies() {
    for (const bool copies : {true, false}) {
      const std::string table =
          copies ? "CUPTI_ACTIVITY_KIND_MEMCPY" : "CUPTI_ACTIVITY_KIND_MEMSET";
      if (!has_table(table)) continue;
      each(
          fmt::format("SELECT start, end, {}, {}, {}, {} FROM {}", column(table, {"deviceId"}),
                      column(table, {"streamId"}), column(table, {"correlationId"}),
                      column(table, {"copyKind"}), table),
          [&](const Row& row) {
            GpuWork work;
            constexpr std::int64_t kToDevice = 1, kToHost = 2;  // CUpti_ActivityMemcpyKind
            const std::int64_t kind = row.number(5);
            const bool host = kind == kToDevice || kind == kToHost;
            work.kind = !copies ? GpuKind::kMemset : host ? GpuKind::kCopy : GpuKind::kCopyOnDevice;
            work.name = recording_.names.of(!copies             ? "memset"
                                            : kind == kToDevice ? "memcpy HtoD"
                                            : kind == kToHost   ? "memcpy DtoH"
                                                                : "memcpy");
            work.start = row.number(0);
            work.end = row.number(1);
            check(work.start, work.end, work.name);
            work.device = row.number(2);
            work.stream = row.number(3);
            work.correlation = row.number(4, -1);
            recording_.work.push_back(work);
          });
    }
  }

  /// A thread as Nsight packs it: its process above, itself in the lower 24 bits.
  static ThreadId thread_of(std::int64_t global) {
    constexpr std::int64_t kBits = std::int64_t{1} << 24;
    return {global / kBits % kBits, global % kBits};
  }

  void read_calls() {
    for (const char* table : {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"}) {
      if (!has_table(table)) continue;
      each(fmt::format("SELECT start, end, {}, {}, {} FROM {}", column(table, {"globalTid"}),
                       column(table, {"correlationId"}), column(table, {"nameId", "name"}), table),
           [&](const Row& row) {
             const std::uint32_t name = name_at(row, 4);
             const auto kind = call_kind(recording_.names[name]);
             if (!kind) return;
             check(row.number(0), row.number(1), name);
             recording_.calls.push_back({*kind, name, thread_of(row.number(2)), row.number(0),
                                         row.number(1), row.number(3, -1)});
           });
    }
  }

  void read_annotations() {
    const std::string table = "NVTX_EVENTS";
    if (!has_table(table)) return;
    each(fmt::format("SELECT start, end, {}, coalesce({}, {}) FROM {} WHERE end IS NOT NULL",
                     column(table, {"globalTid"}), column(table, {"text"}),
                     column(table, {"textId"}), table),
         [&](const Row& row) {
           const std::uint32_t name = name_at(row, 3);
           check(row.number(0), row.number(1), name);
           recording_.annotations.push_back(
               {name, thread_of(row.number(2)), row.number(0), row.number(1)});
         });
  }

  /// Waits, with the last record of their event before them.
  void read_waits() {
    const std::string table = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
    if (!has_table(table)) return;
    std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> records;  // event: call: stream
    const std::string events = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
    if (has_table(events)) {
      each(fmt::format("SELECT {}, {}, {} FROM {}", column(events, {"eventId"}),
                       column(events, {"correlationId"}), column(events, {"streamId"}), events),
           [&](const Row& row) { records[row.number(0)][row.number(1, -1)] = row.number(2, -1); });
    }
    each(fmt::format("SELECT {}, {}, {}, {} FROM {}", column(table, {"correlationId"}),
                     column(table, {"streamId"}), column(table, {"syncType"}),
                     column(table, {"eventId"}), table),
         [&](const Row& row) {
           constexpr std::int64_t kContext = 4;  // CUpti_ActivitySynchronizationType
           if (row.number(2) == kContext) return;
           KnownWait wait{row.number(0, -1), row.number(1, -1), -1, -1};
           const auto& own = records[row.number(3, -1)];
           const auto after = own.lower_bound(wait.correlation);
           if (after != own.begin()) {
             wait.record_correlation = std::prev(after)->first;
             wait.recorded_stream = std::prev(after)->second;
           }
           recording_.waits.push_back(wait);
         });
  }

  static constexpr std::int64_t kTellEvery = 100'000;

  SqliteFile file_;
  const Watch& watch_;
  std::int64_t rows_ = 0;
  mutable std::int64_t taken_ = 0;
  Recording recording_;
  std::map<std::int64_t, std::string> strings_;
  std::size_t kept_ = 0;
};

}  // namespace

Result<Recording> read_nsys(const std::string& path, const Watch& watch) {
  try {
    return NsysReader(path, watch).read();
  } catch (const Problem& problem) {
    return Error{problem.message};
  } catch (const SqliteError& error) {
    return Error{error.what()};
  }
}

}  // namespace tactus::exchange
