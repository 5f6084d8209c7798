#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/exchange/importing.hpp"

/// No export of Nsight Systems is at hand: these files are made from its documented schema
/// (docs.nvidia.com, Nsight Systems User Guide, "SQLite Schema Reference").
namespace tactus::exchange {
namespace {

class NsysFile {
 public:
  NsysFile() : path_(testing::TempDir() + fmt::format("nsys-{}.sqlite", ::getpid())) {
    std::filesystem::remove(path_);
    sqlite3_open(path_.c_str(), &file_);
  }
  ~NsysFile() {
    close();
    std::filesystem::remove(path_);
  }
  NsysFile(const NsysFile&) = delete;
  NsysFile& operator=(const NsysFile&) = delete;
  void run(const std::string& statements) {
    char* problem = nullptr;
    EXPECT_EQ(sqlite3_exec(file_, statements.c_str(), nullptr, nullptr, &problem), SQLITE_OK)
        << problem;
    sqlite3_free(problem);
  }
  void close() { sqlite3_close(std::exchange(file_, nullptr)); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  sqlite3* file_ = nullptr;
};

constexpr const char* kSchema = R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER,
  blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER,
  staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, bytes INTEGER, copyKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER,
  globalTid INTEGER);
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER, computeMajor INTEGER,
  computeMinor INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA Test', 60, 8, 6);
INSERT INTO StringIds VALUES (1, 'void conv<float>(int)'), (2, 'cudaLaunchKernel_v7000'),
  (3, 'cudaMemcpyAsync_v3020'), (4, 'frame');
)";

/// Two jobs: a copy and a kernel each. Times in ns.
void fill(NsysFile& file) {
  file.run(kSchema);
  const std::int64_t thread = (std::int64_t{77} << 24) + 78;
  for (int job = 0; job < 2; ++job) {
    const int at = job * 100'000;
    file.run(fmt::format(
        "INSERT INTO NVTX_EVENTS VALUES ({0}, {0}+50000, 59, NULL, 4, {1});"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({0}+1000, {0}+2000, 0, {1}, {2}, 3, 0);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({0}+3000, {0}+5000, 0, 1, 7, {2}, 64, 1);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({0}+4000, {0}+6000, 0, {1}, {3}, 2, 0);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({0}+8000, {0}+18000+{4}, 0, 1, 7, {3}, 0, "
        "1, "
        "1, 10, 2, 1, 64, 2, 1, 40, 100, 28);",
        at, thread, 10 * job + 1, 10 * job + 2, job * 5));
  }
}

ImportOptions options_of(Fold fold) {
  ImportOptions options;
  options.name = "x";
  options.margin = 0;
  options.fold = fold;
  return options;
}

TEST(Nsys, GivesJobsOfNvtxRangesWithCopiesAndKernels) {
  NsysFile file;
  fill(file);
  file.close();
  const Imported imported = good(import_file(file.path(), "", options_of(Fold::kNone)));
  EXPECT_EQ(imported.format, "nsys");
  ASSERT_EQ(imported.seen.size(), 1U);
  EXPECT_EQ(imported.seen[0].jobs, 2U);
  EXPECT_EQ(imported.seen[0].works, 2U);
  EXPECT_EQ(imported.seen[0].gpu_time, 2'000 + 10'005);
  const System& system = imported.system;
  EXPECT_EQ(system.tasks[0].name, "frame");
  EXPECT_EQ(system.tasks[0].period, Time::from_us(100));
  EXPECT_EQ(system.platform.elements[1].units, 60);
  EXPECT_EQ(system.platform.elements[1].sm->blocks, 16);
  const auto& nodes = system.tasks[0].nodes;
  const auto kernel = std::find_if(nodes.begin(), nodes.end(),
                                   [](const Node& node) { return node.name == "conv"; });
  ASSERT_NE(kernel, nodes.end());
  EXPECT_EQ(kernel->wcet, Time::from_ns(10'005));
  EXPECT_EQ(kernel->blocks, 20);
  EXPECT_EQ(kernel->threads, 128);
  EXPECT_EQ(kernel->registers, 40);
  EXPECT_EQ(kernel->shared_memory, 128);
}

TEST(Nsys, ToleratesMissingColumnsAndTables) {
  NsysFile file;
  file.run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, streamId INTEGER,"
      " correlationId INTEGER, name TEXT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, correlationId INTEGER,"
      " name TEXT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 10, 1, 'cudaLaunchKernel');"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20, 50, 7, 1, 'k');");
  file.close();
  const Imported imported = good(import_file(file.path(), "", options_of(Fold::kTask)));
  EXPECT_EQ(imported.seen[0].gpu_time, 30);
  EXPECT_TRUE(notes_have(imported, "how many SMs gpu has: 1 assumed"));
}

TEST(Nsys, RefusesWhatIsNoExport) {
  NsysFile other;
  other.run("CREATE TABLE t (a)");
  other.close();
  EXPECT_NE(bad(import_file(other.path(), "", {})).find("no table CUPTI_ACTIVITY_KIND_KERNEL"),
            std::string::npos);
  const std::string path = testing::TempDir() + fmt::format("no-{}.sqlite", ::getpid());
  std::ofstream(path) << "SQLite format 3" << '\0' << "but then nothing of the kind follows";
  const std::string lines = bad(import_file(path, "", {}));
  EXPECT_NE(lines.find("not a database"), std::string::npos) << lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
  std::filesystem::remove(path);
}

TEST(Nsys, RefusesNegativeDurations) {
  NsysFile file;
  fill(file);
  file.run("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start - 5");
  file.close();
  EXPECT_NE(bad(import_file(file.path(), "", {})).find("ends before it starts"), std::string::npos);
}

}  // namespace
}  // namespace tactus::exchange
