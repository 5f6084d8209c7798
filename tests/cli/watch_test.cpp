// tactus watch, and the metrics of everything that has some, as a user runs them.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tactus/base/file.hpp"
#include "tests/cli/with_arbiter.hpp"
#include "tests/model/schema_validator.hpp"

namespace tactus::cli {
namespace {

/// Of this process alone: a system of the same name that another test runs would be taken for it.
const std::string kSystem = "small" + std::to_string(getpid());
const std::string kFile =
    R"({"tactus":1,"name":")" + kSystem + R"(","time_unit":"ms","platform":{"elements":[
  {"name":"cpu","kind":"cpu","units":2},
  {"name":"gpu","kind":"gpu","units":1,"time_slice":2,"context_switch":0.5,"runlist_update":3,
   "preemption_delay":3}]},
 "tasks":[
  {"name":"high","period":100,"priority":2,"core":1,
   "nodes":[{"name":"c","on":"cpu","wcet":10},{"name":"g","on":"gpu","wcet":20,"launch":2}]},
  {"name":"low","period":200,"priority":1,"core":1,
   "nodes":[{"name":"c","on":"cpu","wcet":10},{"name":"g","on":"gpu","wcet":25}]}]})";

/// Its tasks run, and write down their jobs.
class WatchedFile : public testing::Test {
 protected:
  WatchedFile() { setenv("TACTUS_WATCH", folder_.file("watch").c_str(), 1); }
  ~WatchedFile() override { unsetenv("TACTUS_WATCH"); }
  void run() {
    tasks_ = std::make_unique<Background>(std::vector<std::string>{
        TACTUS_BINARY, "run", file_, "--policy", "gcaps.suspend", "--backend", "cpu", "--tier",
        "gate", "--duration", "60000", "--fill", "50"});
    ASSERT_TRUE(eventually([&] {
      return std::filesystem::exists(folder_.file("watch/" + kSystem + "%2Flow.diary"));
    }));
  }
  Ran watch(const std::vector<std::string>& options) const {
    return run_tactus(joined({"watch", file_, "--method", "gcaps.suspend", "--folder",
                              folder_.file("watch"), "--socket", folder_.file("none")},
                             options));
  }

  TemporaryFolder folder_;
  std::string file_ = folder_.file("small.system.json", kFile);
  std::unique_ptr<Background> tasks_;
};

TEST_F(WatchedFile, IsSeenWhileItRuns) {
  run();
  // A busy machine may take long to do the first jobs.
  Ran ran;
  EXPECT_TRUE(eventually([&] {
    ran = watch({"--json", "--duration", "1000"});
    return !contains(ran.out, "\"jobs\": 0,") && !contains(ran.out, "\"segments\": 0,");
  }));
  EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const auto schema = json::Document::parse(run_tactus({"schema", "watched"}).out);
  EXPECT_EQ(
      violation(std::get<json::Document>(schema).root(), std::get<json::Document>(parsed).root()),
      std::nullopt);
  for (const json::Value& task : std::get<json::Document>(parsed).root().find("tasks")->items()) {
    EXPECT_NE(task.find("jobs")->text(), "0") << ran.out;
    EXPECT_NE(task.find("segments")->text(), "0") << ran.out;
  }
}

TEST_F(WatchedFile, TellsWhatLeavesTheModel) {
  run();
  const std::string told = folder_.file("told"), seen = folder_.file("seen.system.json");
  const Ran ran =
      watch({"--set", "high.g.wcet=0.1", "--duration", "3000", "--exec",
             "echo \"$TACTUS_DEPARTURE $TACTUS_DEPARTED: $TACTUS_LINE\" >> " + told, "-o", seen});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_TRUE(contains(ran.err, "tactus: outside the model: high: g took ")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "rest on it; with it")) << ran.err;
  EXPECT_TRUE(contains(ran.out, "Outside the model")) << ran.out;
  EXPECT_TRUE(contains(slurp(told), "time high: high: g took ")) << slurp(told);
  EXPECT_EQ(run_tactus({"check", seen}).exit_code, 0);
  EXPECT_TRUE(contains(slurp(seen), "\"measured\"")) << slurp(seen);
  // What that changes: with the time that was seen the bounds are longer than before.
  const std::vector<std::string> analyze = {"analyze", "--method", "gcaps.suspend"};
  const std::string before =
      folder_.file("before.json",
                   run_tactus(joined(analyze, {file_, "--set", "high.g.wcet=0.1", "--json"})).out);
  const Ran compared = run_tactus(joined(analyze, {seen, "--baseline", before}));
  EXPECT_TRUE(contains(compared.out, ": worse\n")) << compared.out << compared.err;
  EXPECT_TRUE(contains(compared.out, "high  ")) << compared.out << compared.err;
}

TEST_F(WatchedFile, EndsWhenSomethingLeavesTheModel) {
  run();
  EXPECT_EQ(watch({"--set", "high.g.wcet=0.1", "--until-outside"}).exit_code, 1);
}

TEST_F(WatchedFile, IsNotSeenWhereNothingRuns) {
  const Ran ran = watch({"--duration", "50"});
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
  EXPECT_TRUE(contains(ran.out, "not seen")) << ran.out;
  EXPECT_EQ(watch({"--duration", "0"}).exit_code, 2);
}

TEST_F(WatchedFile, TellsTheManagerOfServices) {
  const std::string path = folder_.file("notify");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  const int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(manager, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  setenv("NOTIFY_SOCKET", path.c_str(), 1);
  setenv("WATCHDOG_USEC", "100000", 1);
  EXPECT_EQ(watch({"--duration", "500"}).exit_code, 3);
  unsetenv("NOTIFY_SOCKET");
  unsetenv("WATCHDOG_USEC");
  std::string all;
  char text[1000];
  for (ssize_t got = 0; (got = recv(manager, text, sizeof text, MSG_DONTWAIT)) > 0;)
    all += std::string(text, static_cast<std::size_t>(got)) + "\n";
  close(manager);
  EXPECT_TRUE(all.starts_with("READY=1\nSTATUS=0 of 2 covered")) << all;
  EXPECT_TRUE(contains(all, "WATCHDOG=1\n")) << all;
  EXPECT_TRUE(all.ends_with("STOPPING=1\n")) << all;
}

/// What every sample must have: a family before it, with a type and a help; and each is there once.
std::string openmetrics_problem(const std::string& text) {
  if (!text.ends_with("# EOF\n")) return "no end";
  static const std::regex kSample(
      R"re(([a-z_]+)(\{[a-z]+="([^"\\]|\\.)*"(,[a-z]+="([^"\\]|\\.)*")*\})? -?[0-9.]+)re");
  std::map<std::string, std::string> types;
  std::set<std::string> samples;
  std::string family;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line != "# EOF";) {
    std::istringstream words(line);
    std::string hash, what, name, type;
    if (line.starts_with("# ")) {
      words >> hash >> what >> name >> type;
      if (what == "TYPE" && !types.emplace(name, type).second) return "twice: " + name;
      if (what == "HELP" && name != family && !types.contains(name)) return "no type: " + name;
      family = name;
      continue;
    }
    std::smatch parts;
    if (!std::regex_match(line, parts, kSample)) return "no sample: " + line;
    const std::string suffix =
        parts[1].str().starts_with(family) ? parts[1].str().substr(family.size()) : "?";
    const std::string& kind = types[family];
    const bool fits = kind == "counter" ? suffix == "_total"
                      : kind == "histogram"
                          ? suffix == "_bucket" || suffix == "_sum" || suffix == "_count"
                          : suffix.empty();
    if (!fits) return kind + " " + family + " has " + line;
    if (!samples.insert(line.substr(0, line.rfind(' '))).second) return "twice: " + line;
  }
  return samples.empty() ? "no samples" : "";
}

TEST_F(WatchedFile, GivesOpenMetrics) {
  run();
  const Ran ran = watch({"--openmetrics", "--duration", "1000"});
  EXPECT_EQ(openmetrics_problem(ran.out), "") << ran.out;
  for (const char* sample :
       {"\ntactus_jobs_total{task=\"high\",state=\"covered\"} ", "\ntactus_covered{task=\"low\"} ",
        "\ntactus_response_seconds_bucket{task=\"high\",le=\"+Inf\"} ",
        "\ntactus_segment_wait_seconds_count{task=\"low\"} ",
        "\ntactus_node_promised_seconds{task=\"high\",node=\"g\"} 0.02\n",
        "\ntactus_deadline_seconds{task=\"low\"} 0.2\n"})
    EXPECT_TRUE(contains(ran.out, sample)) << sample << "\n" << ran.out;
}

/// The answer to a GET, without its head.
std::string got(int port, const std::string& path, const std::string& more = {},
                const std::string& host = "127.0.0.1") {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  EXPECT_EQ(connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n";
  send(connection, request.data(), request.size(), MSG_NOSIGNAL);
  std::string text;
  char some[4096];
  for (ssize_t size = 0; (size = recv(connection, some, sizeof some, 0)) > 0;)
    text.append(some, static_cast<std::size_t>(size));
  close(connection);
  return text;
}

std::string body_of(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

/// A port that was free a moment ago.
int free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(probe, reinterpret_cast<const sockaddr*>(&address), size);
  getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
  close(probe);
  return ntohs(address.sin_port);
}

class ArbiterMetrics : public ArbiterPlace {
 protected:
  ArbiterMetrics() {
    serve(joined(kPatient, {"--metrics", "127.0.0.1:" + std::to_string(port_)}));
    client_ = std::make_unique<Background>(exec({"--priority", "7"}, endless()));
    static_cast<void>(pid_of_endless());
  }
  int port_ = free_port();
  std::unique_ptr<Background> client_;
};

TEST_F(ArbiterMetrics, AreGivenByTop) {
  const Ran ran = run_tactus({"top", "--openmetrics", "--socket", socket_});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(openmetrics_problem(ran.out), "") << ran.out;
  EXPECT_TRUE(contains(ran.out, "\ntactus_arbiter_clients 1\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "tactus_arbiter_client_segments_total{client=")) << ran.out;
}

TEST_F(ArbiterMetrics, AreGivenByTheArbiterItselfAtTheLoopbackOnly) {
  const std::string plain = got(port_, "/metrics");
  EXPECT_TRUE(plain.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"))
      << plain;
  EXPECT_TRUE(contains(plain, "\n# TYPE tactus_arbiter_begins_total counter\n")) << plain;
  const std::string open =
      got(port_, "/metrics", "Accept: application/openmetrics-text; version=1.0.0\r\n");
  EXPECT_EQ(openmetrics_problem(body_of(open)), "") << open;
  EXPECT_TRUE(got(port_, "/").starts_with("HTTP/1.1 404")) << "nothing else is there";
  EXPECT_TRUE(got(port_, "/metrics", "", "evil.example").starts_with("HTTP/1.1 403"));
  const std::string program =
      std::filesystem::path(TACTUS_BINARY).replace_filename("tactusd").string();
  for (const char* address : {"0.0.0.0:0", "192.168.0.1:9", "9101", "127.0.0.1", "127.0.0.1:x"}) {
    const Ran ran =
        run_program(program.c_str(), {"--socket", folder_.file("x/y"), "--metrics", address});
    EXPECT_EQ(ran.exit_code, 2) << address << ran.err;
    EXPECT_TRUE(contains(ran.err, "address of this machine itself")) << ran.err;
  }
}

TEST_F(WithArbiter, IsWatchedForMoreBestEffortThanTheFileHas) {
  const Background more(exec({"--best-effort"}, endless()));
  ASSERT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  const Ran ran =
      run_tactus({"watch", folder_.file("small.system.json", kFile), "--method", "gcaps.suspend",
                  "--socket", socket_, "--folder", folder_.file("watch"), "--until-outside"});
  EXPECT_EQ(ran.exit_code, 1) << ran.out;
  EXPECT_TRUE(contains(ran.err,
                       "1 best-effort program may have to leave the GPU at once; the file "
                       "has 0"))
      << ran.err;
}

TEST_F(WithArbiter, IsWatchedForOneMore) {
  const std::string told = folder_.file("told");
  const Background watch({TACTUS_BINARY, "watch", folder_.file("small.system.json", kFile),
                          "--method", "gcaps.suspend", "--socket", socket_, "--folder",
                          folder_.file("watch"), "--exec", "echo \"$TACTUS_LINE\" >> " + told});
  const std::string program =
      std::filesystem::path(TACTUS_BINARY).replace_filename("tactusd").string();
  // It looks at who runs every 5 s, and compares with its look before.
  std::vector<std::unique_ptr<Background>> more;
  EXPECT_TRUE(eventually([&, turn = 0]() mutable {
    if (turn++ % 700 == 0)
      more.push_back(std::make_unique<Background>(std::vector<std::string>{
          program, "--socket", folder_.file(std::to_string(turn) + "/socket")}));
    return contains(slurp(told), "one more arbiter was started");
  })) << slurp(told);
}

/// Without promtool: nothing, after it was said.
#define SKIP_WITHOUT_PROMTOOL()                                \
  if (std::system("command -v promtool >/dev/null 2>&1") != 0) \
  GTEST_SKIP() << "promtool is not here (Debian package prometheus)"

int promtool(const std::string& check, const std::string& text) {
  TemporaryFolder folder;
  const std::string said = folder.file("said");
  const int status = std::system(
      ("promtool check " + check + " " + folder.file("text", text) + " > " + said + " 2>&1")
          .c_str());
  EXPECT_EQ(status, 0) << slurp(said) << text;
  return status;
}

TEST_F(ArbiterMetrics, PleasePromtool) {
  SKIP_WITHOUT_PROMTOOL();
  promtool("metrics <", body_of(got(port_, "/metrics")));
}

TEST(AlertRules, PleasePromtool) {
  SKIP_WITHOUT_PROMTOOL();
  const std::string page = slurp(source_path("docs/use/watch.md"));
  const std::size_t from = page.find("```yaml\n") + 8;
  promtool("rules", page.substr(from, page.find("```", from) - from));
}

}  // namespace
}  // namespace tactus::cli
