// tactusd --admit, tactus exec --period and tactus reserve together, as a user runs them.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/cli/with_arbiter.hpp"

namespace tactus::cli {
namespace {

const std::string kRobot =
    R"({"tactus":1,"name":"robot","time_unit":"ms","platform":{"elements":[)"
    R"({"name":"cpu","kind":"cpu","units":4},{"name":"gpu","kind":"gpu","units":1,)"
    R"("preempt_cost":0.67,"resume_cost":0.38,"start_cost":0.15}]},"tasks":[)"
    R"({"name":"lidar","period":100,"core":4,"nodes":[{"name":"c","on":"cpu","wcet":5}]}]})";

class Reservations : public ArbiterPlace {
 protected:
  Reservations() { begin(); }
  void begin(const std::vector<std::string>& more = {}) {
    serve(joined(joined(kPatient, {"--protocol", "boost", "--admit", file_}), more));
  }
  std::vector<std::string> reserving(const std::vector<std::string>& options,
                                     const std::vector<std::string>& command) const {
    return joined(joined({TACTUS_BINARY, "exec", "--socket", socket_}, options),
                  joined({"--"}, command));
  }
  Ran run(const std::vector<std::string>& options, const std::vector<std::string>& command) const {
    std::vector<std::string> words = reserving(options, command);
    words.erase(words.begin());
    return run_tactus(words);
  }
  std::string list() const { return run_tactus({"reserve", "--list", "--socket", socket_}).out; }
  bool lists(const std::string& name) const {
    return list().find('\n' + name + ' ') != std::string::npos;
  }

  std::string file_ = folder_.file("robot.json", kRobot);
};

TEST_F(Reservations, AreOfAProcessAndEndWithIt) {
  EXPECT_TRUE(lists("lidar"));
  Background detector(reserving({"--period", "33", "--cpu-time", "2.5ms", "--name", "detector"},
                                {"/bin/sleep", "1000"}));
  EXPECT_TRUE(eventually([&] { return lists("detector"); })) << list();
  detector.stop(SIGKILL);
  EXPECT_TRUE(eventually([&] { return !lists("detector"); })) << list();
  EXPECT_TRUE(lists("lidar")) << "the file keeps it";
}

TEST_F(Reservations, SayWhatWasAnswered) {
  const Ran admitted = run({"--period", "33ms", "--cpu-time", "2500us", "--core", "2"}, {"true"});
  EXPECT_EQ(admitted.exit_code, 0) << admitted.err;
  EXPECT_NE(admitted.err.find("admitted as true on core 2: response at most 2.5 of 33 ms"),
            std::string::npos)
      << admitted.err;
  const std::vector<std::string> late = {"--period", "33", "--cpu-time", "3", "--deadline", "2"};
  const Ran refused = run(late, {"echo", "runs"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("refused: echo could be late, 3 of 2 ms"), std::string::npos)
      << refused.err;
  EXPECT_EQ(refused.out, "");
  const Ran anyway = run(joined(late, {"--else-best-effort"}), {"echo", "runs"});
  EXPECT_EQ(anyway.exit_code, 0);
  EXPECT_EQ(anyway.out, "runs\n");
}

TEST_F(Reservations, OfTheFileAreTakenUpByName) {
  Background lidar(
      reserving({"--period", "100", "--cpu-time", "1", "--core", "1"}, {"/bin/sleep", "1000"}));
  EXPECT_TRUE(eventually([&] { return lists("sleep"); })) << list();
  const Ran taken = run({"--period", "100", "--cpu-time", "1", "--core", "4"}, {"true"});
  EXPECT_EQ(taken.exit_code, 3);
  EXPECT_NE(taken.err.find("would share core 4"), std::string::npos) << taken.err;
}

/// A program that marks its segments, over a driver that is not there.
class ReservationsOnTheGpu : public Reservations {
 protected:
  ReservationsOnTheGpu() {
    std::string boot = slurp("/proc/sys/kernel/random/boot_id");
    boot.pop_back();
    // As the tier was measured here before.
    for (const char* const tier : {"channel", "channel-copies"})
      folder_.file(fmt::format("own/{}-580.159.04-0-{}", tier, boot),
                   "700000 600000 400000 300000 5\n");
  }
  Ran run_marked(const std::vector<std::string>& options, const std::string& jobs) const {
    const std::vector<std::string> started = {"ASAN_OPTIONS=verify_asan_link_order=0",
                                              std::string("LD_PRELOAD=") + TACTUS_FAKE_DRIVER,
                                              "TACTUS_SOCKET=" + socket_,
                                              "TACTUS_GATE_LIMIT=60000",
                                              TACTUS_BINARY,
                                              "exec"};
    return run_program("/usr/bin/env",
                       joined(joined(started, options), {"--", TACTUS_BATCH_PROGRAM, jobs, "5"}));
  }
};

TEST_F(ReservationsOnTheGpu, OfAMarkedProgramAreAdmittedAndKept) {
  const Ran ran =
      run_marked({"--period", "60000", "--gpu-time", "10000", "--name", "marked", "--wait"}, "1");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("admitted as marked on core 1"), std::string::npos) << ran.err;
  EXPECT_NE(ran.out.find("begin 0 end 0 early 0 done 3"), std::string::npos) << ran.out;
}

TEST_F(ReservationsOnTheGpu, AreRefusedOrBestEffort) {
  const std::vector<std::string> late = {"--period", "60000",      "--gpu-time",
                                         "10000",    "--deadline", "5000"};
  const Ran refused = run_marked(late, "1");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("could be late"), std::string::npos) << refused.err;
  const Ran anyway = run_marked(joined(late, {"--else-best-effort"}), "0");
  EXPECT_EQ(anyway.exit_code, 0) << anyway.err;
}

TEST_F(ReservationsOnTheGpu, OfAnUnmodifiedProgramAreKeptWhereItIsCut) {
  const Background program({"/usr/bin/env", "ASAN_OPTIONS=verify_asan_link_order=0",
                            std::string("LD_PRELOAD=") + TACTUS_FAKE_DRIVER,
                            "TACTUS_SOCKET=" + socket_, TACTUS_BINARY, "exec", "--period", "1000",
                            "--gpu-time", "400", "--warm-up", "300", "--name", "unmodified",
                            "--auto", "--", TACTUS_URGENT_PROGRAM, "100000"});
  const auto jobs = [&] {
    const auto parsed =
        json::Document::parse(run_tactus({"reserve", "--list", "--json", "--socket", socket_}).out);
    if (!std::holds_alternative<json::Document>(parsed)) return 0;
    for (const json::Value& one :
         std::get<json::Document>(parsed).root().find("reservations")->items()) {
      if (one.find("task")->text() == "unmodified")
        return std::stoi(std::string(one.find("jobs")->text()));
    }
    return 0;
  };
  EXPECT_TRUE(eventually([&] { return jobs() >= 2; })) << list();
}

TEST_F(Reservations, AreDumpedAsASystemFile) {
  Background one(
      reserving({"--period", "50", "--cpu-time", "5", "--name", "x"}, {"/bin/sleep", "1000"}));
  EXPECT_TRUE(eventually([&] { return lists("x"); }));
  const std::string file =
      folder_.file("dump.json", run_tactus({"reserve", "--dump", "--socket", socket_}).out);
  EXPECT_EQ(run_tactus({"check", file}).exit_code, 0) << run_tactus({"check", file}).err;
  EXPECT_EQ(run_tactus({"analyze", file, "--method", "gcaps.boost.suspend"}).exit_code, 0);
}

TEST_F(Reservations, SurviveTheArbiter) {
  Background one(
      reserving({"--period", "50", "--cpu-time", "5", "--name", "x"}, {"/bin/sleep", "1000"}));
  EXPECT_TRUE(eventually([&] { return lists("x"); }));
  daemon_->stop(SIGKILL);
  begin();
  EXPECT_TRUE(eventually([&] { return lists("x"); })) << list();
  EXPECT_TRUE(lists("lidar"));
}

TEST_F(Reservations, NeedAnArbiterThatAdmits) {
  daemon_->stop(SIGTERM);
  const std::vector<std::string> small = {"--period", "50", "--cpu-time", "5"};
  EXPECT_EQ(run(small, {"true"}).exit_code, 3);
  EXPECT_EQ(run_tactus({"reserve", "--list", "--socket", socket_}).exit_code, 3);
  serve(joined(kPatient, {"--protocol", "boost"}));
  Ran ran;
  EXPECT_TRUE(eventually([&] {
    ran = run(small, {"true"});
    return ran.err.find("no arbiter is running") == std::string::npos;
  }));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("admits nobody"), std::string::npos) << ran.err;
}

TEST_F(Reservations, ComplainOfWhatDoesNotFit) {
  for (const auto& [options, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--period", "33"}, "--gpu-time or --cpu-time"},
           {{"--period", "33", "--cpu-time", "1", "--priority", "3"}, "leave out --priority"},
           {{"--period", "33", "--cpu-time", "1", "--tier", "process"}, "--tier channel"},
           {{"--reserved", "x", "--core", "1"}, "a task has its own"},
           {{"--period", "33", "--cpu-time", "1", "--reserved", "x"}, "take one"},
           {{"--period", "33", "--gpu-time", "1", "--auto", "--threshold", "3"},
            "leave out --threshold"},
           {{"--task", "/no/such"}, "/no/such"}}) {
    const Ran ran = run(options, {"true"});
    EXPECT_EQ(ran.exit_code, 2) << part;
    EXPECT_NE(ran.err.find(part), std::string::npos) << ran.err;
  }
  EXPECT_EQ(run_tactus({"reserve"}).exit_code, 2);
  EXPECT_EQ(run_tactus({"reserve", file_}).exit_code, 2);
  EXPECT_EQ(run_tactus({"reserve", "--start", "x", "--socket", socket_}).exit_code, 2);
}

}  // namespace
}  // namespace tactus::cli
