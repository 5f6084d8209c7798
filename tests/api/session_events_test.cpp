// Sessions while they run: inputs that come, overruns that are decided about, jobs that are told.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/api/answers.hpp"

namespace tactus::api_test {
namespace {

constexpr const char* kNets = R"({"tactus":1,"name":"nets","time_unit":"ms","platform":{"elements":[
  {"name":"gpu","kind":"gpu","units":16},{"name":"cpu","kind":"cpu","units":1}]},"tasks":[
  {"name":"camera","period":10,"nodes":[{"name":"net","on":"gpu","times":[{"units":8,"wcet":4}]}]},
  {"name":"lidar","period":20,"nodes":[{"name":"net","on":"gpu","times":[{"units":8,"wcet":4}]}]}]})";

class SessionEvents : public testing::Test {
 protected:
  void open(const char* backend) {
    const std::string request =
        R"({"method": "gang.swc", "backend": ")" + std::string(backend) + "\"}";
    const Answer opened = tactus_session_open(kNets, request.c_str(), nullptr, &session_);
    ASSERT_EQ(opened.status(), TACTUS_YES) << opened.problems();
  }
  void TearDown() override { tactus_session_close(session_); }
  std::vector<tactus_session_job> jobs() {
    std::vector<tactus_session_job> all(100);
    const auto count = tactus_session_jobs(session_, all.data(), all.size(), 0);
    all.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
    return all;
  }

  tactus_session* session_ = nullptr;
};

TEST_F(SessionEvents, JobsComeWithTheirInputsAndAreTold) {
  open("emulator");
  EXPECT_EQ(tactus_session_arrive(session_, "camera", 0), -1) << "it has a clock";
  EXPECT_TRUE(Answer(tactus_session_on_arrival(session_, "radar", 1)).says("no task `radar`"));
  EXPECT_EQ(Answer(tactus_session_on_arrival(session_, "camera", 2)).status(), TACTUS_YES);
  EXPECT_EQ(tactus_session_arrive(session_, "camera", 7'000'000), 1);
  EXPECT_EQ(tactus_session_arrive(session_, "camera", 8'000'000), 2);
  EXPECT_EQ(tactus_session_arrive(session_, "camera", 9'000'000), 0) << "two wait";
  const Answer run = tactus_session_run(session_, R"({"duration": "40"})");
  ASSERT_EQ(run.status(), TACTUS_YES) << run.problems() << run.document();
  std::vector<std::pair<std::int64_t, std::int64_t>> camera;
  for (const tactus_session_job& job : jobs()) {
    EXPECT_EQ(job.state, TACTUS_SESSION_JOB_DONE + 0U);
    if (job.task == 0) camera.emplace_back(job.release_ns, job.end_ns);
  }
  EXPECT_EQ(camera, (std::vector<std::pair<std::int64_t, std::int64_t>>{{7'000'000, 11'000'000},
                                                                        {17'000'000, 21'000'000}}));
  tactus_session_job none;
  EXPECT_EQ(tactus_session_jobs(session_, &none, 1, 0), -1) << "the run has ended";
}

TEST_F(SessionEvents, AFunctionDecidesAboutOverrunsWithoutAGpu) {
  open("cpu");
  std::atomic<int> calls = 0;
  const auto slow = [](void*, void* data) {
    if (++*static_cast<std::atomic<int>*>(data) == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }
  };
  const auto quick = [](void*, void*) {};
  for (const char* task : {"camera", "lidar"}) {
    const bool first = task == std::string("camera");
    EXPECT_EQ(Answer(tactus_session_bind_stream(session_, task, "net", first ? slow : quick,
                                                first ? &calls : nullptr))
                  .status(),
              TACTUS_YES);
  }
  std::atomic<int> told = 0;
  const auto decide = [](const tactus_overrun* overrun, void* data) -> int {
    EXPECT_GT(overrun->took_ns, overrun->limit_ns);
    ++*static_cast<std::atomic<int>*>(data);
    return overrun->node == nullptr ? TACTUS_OVERRUN_STOP : TACTUS_OVERRUN_LOG;
  };
  EXPECT_EQ(Answer(tactus_session_on_overrun(session_, decide, &told)).status(), TACTUS_YES);
  const Answer run = tactus_session_run(session_, R"({"until_stopped": true})");
  ASSERT_TRUE(run.shows("it was stopped at an overrun")) << run.problems() << run.document();
  EXPECT_GE(told, 1);
  EXPECT_GE(calls, 1);
}

TEST_F(SessionEvents, ARunIsReportedWhileItGoesOn) {
  open("emulator");
  std::thread running([&] {
    EXPECT_TRUE(Answer(tactus_session_run(session_, R"({"until_stopped": true})")).has_document());
  });
  std::vector<tactus_session_job> some(1);
  for (int tries = 0; tries < 1000 && tactus_session_jobs(session_, some.data(), 1, 100) <= 0;
       ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const Answer so_far = tactus_session_report(session_);
  EXPECT_TRUE(so_far.shows(R"("method": "gang.swc")")) << so_far.problems();
  EXPECT_TRUE(Answer(tactus_session_metrics(session_)).shows("tactus_deadline_misses"));
  tactus_session_stop(session_);
  running.join();
}

}  // namespace
}  // namespace tactus::api_test
