#include "tactus/deploy/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/deploy/systems.hpp"
#include "tests/support/folder.hpp"

namespace tactus::deploy {
namespace {

namespace fs = std::filesystem;

using Folder = support::TemporaryFolder;
using support::slurp;

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

const File& file_named(const std::vector<File>& files, std::string_view name) {
  for (const File& file : files)
    if (file.name == name) return file;
  throw std::runtime_error("no file " + std::string(name));
}

TEST(Units, SayWhereHowUrgentAndAfterWhatEachTaskRuns) {
  const auto units =
      units_of(launched(robot(R"("arbiter_core": 3)",
                              R"({"argv": ["/opt/robot/run", "100% $HOME"], "cwd": "/opt/my robot",
                         "env": {"A": "x y"}, "user": "robot"})")),
               Restart::kOnFailure);
  ASSERT_TRUE(units) << units.error().message;
  const std::string& camera = file_named(*units, "tactus-robot-camera.service").text;
  for (const char* line :
       {R"(ExecStart=:/opt/robot/run "100%% $HOME")", "WorkingDirectory=/opt/my robot",
        "User=robot", R"(Environment="A=x y")", R"(Environment="TACTUS_SEGMENT_PRIORITY=9")",
        "CPUAffinity=0", "CPUSchedulingPolicy=fifo", "CPUSchedulingPriority=11",
        "Requires=tactus-robot-arbiter.service", "After=tactus-robot-arbiter.service",
        "PartOf=tactus-robot.target", "Restart=on-failure", "SupplementaryGroups=video"})
    EXPECT_TRUE(has_line(camera, line)) << line << "\n" << camera;
  const std::string& logger = file_named(*units, "tactus-robot-logger.service").text;
  EXPECT_EQ(logger.find("CPUScheduling"), std::string::npos);
  const std::string& target = file_named(*units, "tactus-robot.target").text;
  EXPECT_TRUE(has_line(target, "Wants=tactus-robot-motor.service"));
  const std::string& arbiter = file_named(*units, "tactus-robot-arbiter.service").text;
  EXPECT_TRUE(has_line(arbiter, "RuntimeDirectory=tactus"));
}

TEST(Units, MakeTheFolderWhereTasksStartEachOther) {
  System system = robot(R"("arbiter_core": 3)", R"({"argv": ["x"], "user": "robot"})");
  system.tasks[1].after = 0;
  const Launch launch = launched(system);
  const auto units = units_of(launch, Restart::kNo);
  ASSERT_TRUE(units) << units.error().message;
  for (const char* unit : {"tactus-robot-camera.service", "tactus-robot-lidar.service"}) {
    const std::string& text = file_named(*units, unit).text;
    for (const char* line : {"RuntimeDirectory=tactus/paths-robot tactus/watch-robot-robot",
                             "RuntimeDirectoryMode=0700", "RuntimeDirectoryPreserve=yes"})
      EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  }
  EXPECT_TRUE(has_line(file_named(*units, "tactus-robot-motor.service").text,
                       "RuntimeDirectory=tactus/watch-robot-robot"));
  const std::string script = script_of(launch).text;
  EXPECT_TRUE(has_line(script,
                       "mkdir -p /run/tactus/paths-robot && chmod 700 /run/tactus/paths-robot && "
                       "chown robot /run/tactus/paths-robot || { say 'no folder for tasks that "
                       "start each other'; stop_all; exit 3; }"))
      << script;
  EXPECT_TRUE(has_line(script,
                       "mkdir -p /run/tactus/watch-robot-robot && chmod 700 "
                       "/run/tactus/watch-robot-robot && chown robot "
                       "/run/tactus/watch-robot-robot || say 'no folder for tactus watch'"))
      << script;
}

TEST(Units, NameWhatWasWaivedAndWhatIsNotKnown) {
  Launch launch = launched(robot());
  launch.waived = {{"leaves", "mapping 40 takes\nlong", decide::Holds::kNo, "gcaps.md: d", "h",
                    decide::Whose::kStart}};
  launch.unsettled = {
      {"throttling", "x", decide::Holds::kNotKnown, "y", "z", decide::Whose::kMachine}};
  const auto units = units_of(launch, Restart::kNo);
  ASSERT_TRUE(units);
  for (const File& unit : *units) {
    EXPECT_NE(unit.text.find("not proved, waived: leaves\n"), std::string::npos) << unit.text;
    EXPECT_NE(unit.text.find("\n# NOT PROVED. Waived: leaves: mapping 40 takes"),
              std::string::npos);
    EXPECT_EQ(unit.text.find("\nlong"), std::string::npos) << "a line break ends no comment";
  }
  const std::string line = "# Not known; tactus doctor must settle it before the start: throttling";
  EXPECT_TRUE(has_line(units->front().text, line));
  EXPECT_NE(script_of(launch).text.find(line), std::string::npos);
  EXPECT_NE(script_of(launch).text.find("# NOT PROVED. Waived: leaves"), std::string::npos);
  const File readme = readme_of(launch, *units, Restart::kNo, "tactus doctor");
  EXPECT_NE(readme.text.find("**Nothing is proved of this start.**"), std::string::npos);
  EXPECT_NE(readme.text.find("Not known before that: throttling."), std::string::npos);
}

TEST(Units, AreInOrder) {
  if (std::system("systemd-analyze --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no systemd-analyze";
  Wish wish;
  wish.tactus = wish.tactusd = "/bin/true";  // it must be there
  const auto units =
      units_of(launched(robot(R"("arbiter_core": 3)",
                              R"({"argv": ["/bin/echo", "50%", "$A", "a\\b", "it's", "\"q\"", ";"],
                                  "cwd": "/tmp/50%", "env": {"B": "%n $x \"y\""}})"),
                        wish),
               Restart::kAlways);
  ASSERT_TRUE(units) << units.error().message;
  const Folder folder;
  std::string command = "systemd-analyze verify";
  for (const File& unit : *units) {
    std::ofstream(folder.file(unit.name)) << unit.text;
    command += " " + folder.file(unit.name);
  }
  const std::string said = folder.file("said");
  EXPECT_EQ(std::system((command + " > " + said + " 2>&1").c_str()), 0) << slurp(said);
  EXPECT_EQ(slurp(said), "");
}

TEST(Units, OfTasksWithStrangeNamesHaveNamesOfTheirOwn) {
  System system = robot();
  system.tasks[0].name = "front/camera";
  system.tasks[1].name = "front camera";
  system.tasks[2].name = "arbiter";
  const auto units = units_of(launched(system), Restart::kNo);
  ASSERT_TRUE(units);
  std::set<std::string> names;
  for (const File& unit : *units) {
    EXPECT_TRUE(names.insert(unit.name).second) << unit.name;
    EXPECT_EQ(unit.name.find('/'), std::string::npos);
  }
}

TEST(Units, RefuseWhatTheyCannotHoldAndNameTheTask) {
  const auto units = units_of(
      launched(robot(R"("arbiter_core": 3)", R"({"argv": ["/bin/echo", "a\nb"]})")), Restart::kNo);
  ASSERT_FALSE(units);
  EXPECT_EQ(units.error().message.find("camera: "), 0U) << units.error().message;
}

TEST(Script, IsOneThatAShellAndShellcheckUnderstand) {
  const Folder folder;
  Wish wish;
  wish.by = By::kProcess;
  const File script =
      script_of(launched(robot(R"("arbiter_core": 3)",
                               R"({"argv": ["/bin/echo", "it's", "$A", "a\nb"], "cwd": "/x y",
                         "env": {"B": "1 2"}, "user": "robot"})"),
                         wish));
  EXPECT_TRUE(script.program);
  const std::string file = folder.file(script.name);
  std::ofstream(file) << script.text;
  EXPECT_EQ(std::system(("sh -n " + file).c_str()), 0);
  if (std::system("shellcheck --version > /dev/null 2>&1") == 0) {
    EXPECT_EQ(std::system(("shellcheck -S warning " + file).c_str()), 0) << script.text;
  }
}

TEST(Script, PrintsTheNameOfTheSystemAsText) {
  const Folder folder;
  System system = robot();
  system.name = "\\033[31mred\\007 \x1b[2J";  // some shells' echo makes an escape of the first
  const File script = script_of(launched(system));
  std::ofstream(folder.file("start.sh")) << script.text;
  const std::string said = folder.file("said");
  // Without programs it says that one is not to be found, and ends.
  const std::string command =
      "PATH=/nonexistent /bin/sh " + folder.file("start.sh") + " > /dev/null 2> " + said;
  EXPECT_NE(std::system(command.c_str()), 0);
  EXPECT_EQ(slurp(said), "\\033[31mred\\007 \\u001b[2J: env is not to be found\n");
}

TEST(Readme, SaysWhatWasWrittenAndWhy) {
  const Launch launch = launched(robot());
  const auto units = units_of(launch, Restart::kOnFailure);
  const File readme = readme_of(launch, *units, Restart::kOnFailure, "tactus doctor x --plan y");
  for (const char* part :
       {"gcaps.suspend (safe-arbiter)", "tactus doctor x --plan y", "tactus-robot.target",
        "| camera | CPU 0, SCHED_FIFO 11 | core 1, priority 8, GPU priority 9 |",
        "TACTUS_DEPLOYED_PRIORITY", "Restart=on-failure"})
    EXPECT_NE(readme.text.find(part), std::string::npos) << part << "\n" << readme.text;
}

class WriteFolder : public testing::Test {
 protected:
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.file("")))
      names.push_back(entry.path().filename().string());
    return names;
  }
  const Folder folder_;
  const std::string path_ = folder_.file("out");
  const std::vector<File> files_ = {
      {"a.sh", "text\n", true, ""},
      {"README.md", "# x\n\nWritten by `tactus deploy`\n", false, ""}};
};

TEST_F(WriteFolder, MakesAllFilesWithTheirModes) {
  ASSERT_FALSE(write_folder(path_ + "/", files_, false));
  EXPECT_EQ(slurp(path_ + "/a.sh"), "text\n");
  struct stat info {};
  stat((path_ + "/a.sh").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0755U);
  stat((path_ + "/README.md").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0644U);
  EXPECT_EQ(left(), (std::vector<std::string>{"out"}));
}

TEST_F(WriteFolder, TakesAnEmptyFolderAndReplacesOnlyADeployment) {
  fs::create_directory(path_);
  ASSERT_FALSE(write_folder(path_, files_, false));
  EXPECT_TRUE(write_folder(path_, files_, false)) << "not empty any more";
  std::ofstream(path_ + "/old") << "x";
  EXPECT_FALSE(write_folder(path_, files_, true));
  EXPECT_FALSE(fs::exists(path_ + "/old"));
  fs::remove(path_ + "/README.md");
  EXPECT_TRUE(write_folder(path_, files_, true)) << "it could be anybody's";
  EXPECT_TRUE(fs::exists(path_ + "/a.sh"));
  EXPECT_EQ(left(), (std::vector<std::string>{"out"}));
}

TEST_F(WriteFolder, LeavesNothingWhereAFileCannotBeWritten) {
  std::vector<File> files = files_;
  files.push_back({"no/such/folder", "x", false, ""});
  EXPECT_TRUE(write_folder(path_, files, false));
  EXPECT_EQ(left(), std::vector<std::string>{});
}

TEST_F(WriteFolder, FollowsNoLinkAndTakesNoFileForAFolder) {
  fs::create_directory(folder_.file("elsewhere"));
  fs::create_directory_symlink(folder_.file("elsewhere"), path_);
  EXPECT_TRUE(write_folder(path_, files_, true));
  EXPECT_TRUE(fs::is_empty(folder_.file("elsewhere")));
}

/// Stands in for the packages of ROS 2: what the file describes, as one line for each action.
constexpr std::string_view kLaunch = R"(
import shlex
class Action:
    def __init__(self, **given):
        self.given = given
    def told(self):
        given = dict(self.given)
        if "prefix" in given:
            given["prefix"] = shlex.split(given["prefix"])
        return type(self).__name__ + " " + repr(sorted(given.items()))
class ExecuteProcess(Action): pass
class Node(Action): pass
class Shutdown(Action): pass
class OnProcessExit(Action): pass
class RegisterEventHandler:
    def __init__(self, handler):
        self.handler = handler
class LaunchDescription:
    def __init__(self, actions):
        for one in actions:
            if isinstance(one, RegisterEventHandler):
                print("then", [one.handler.given["target_action"] is other for other in actions].index(True))
                for task in one.handler.given["on_exit"]:
                    print("  " + task.told())
            else:
                print(type(one).__name__, one.given["cmd"])
)";

/// What ROS 2 would be asked to start.
std::string described(const File& file) {
  const Folder folder;
  fs::create_directory(folder.file("launch"));
  fs::create_directory(folder.file("launch_ros"));
  std::ofstream(folder.file("launch/__init__.py")) << kLaunch;
  for (const char* module : {"launch/actions.py", "launch/event_handlers.py"}) {
    std::ofstream(folder.file(module)) << "from launch import *\n";
  }
  std::ofstream(folder.file("launch_ros/__init__.py"));
  std::ofstream(folder.file("launch_ros/actions.py")) << "from launch import Node\n";
  std::ofstream(folder.file("robot_launch.py")) << file.text;
  const std::string out = folder.file("out");
  const std::string command =
      "cd " + folder.path() +
      " && python3 -c 'import robot_launch as r; r.generate_launch_description()' > " + out +
      " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << slurp(out) << file.text;
  return slurp(out);
}

TEST(Ros2Launch, StartsNodesWhereTheyBelongWhenTheArbiterListens) {
  System system = robot(R"("arbiter_core": 3)", R"({"argv": ["ros2", "run", "robot", "camera node",
                        "--ros-args", "-p", "name:=a \"b\" $HOME"], "env": {"A": "x\\y"}})");
  for (Task& task : system.tasks) task.command->argv[3] = task.name;
  const auto file = ros2_launch_of(launched(system));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->name, "robot.launch.py");
  const std::string told = described(*file);
  EXPECT_NE(told.find("ExecuteProcess ['/usr/bin/tactusd', '--socket', '/run/tactus/tactus.sock'"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("until /usr/bin/tactus top --json --socket /run/tactus/tactus.sock"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("mkdir -p /run/tactus/watch-robot && chmod 700"), std::string::npos) << told;
  EXPECT_NE(told.find("then 1\n"), std::string::npos) << "after that process\n" << told;
  EXPECT_NE(
      told.find("('package', 'robot'), ('prefix', ['chrt', '-f', '11', 'taskset', '-c', '0'])"),
      std::string::npos)
      << told;
  EXPECT_NE(told.find(R"(('arguments', ['--ros-args', '-p', 'name:=a "b" $HOME']))"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find(R"('A': 'x\\y')"), std::string::npos) << told;
  EXPECT_NE(told.find("'TACTUS_SEGMENT_PRIORITY': '9'"), std::string::npos) << told;
}

TEST(Ros2Launch, PutsExecInFrontOfWhatRunsUnderIt) {
  System system = robot(R"("arbiter_core": 3)", R"({"argv": ["/opt/run"], "user": "robot"})");
  for (Task& task : system.tasks) task.command->argv.push_back(task.name);
  Wish wish;
  wish.by = By::kProcess;
  const std::string told = described(*ros2_launch_of(launched(system, wish)));
  EXPECT_NE(told.find("ExecuteProcess [('additional_env'"), std::string::npos) << told;
  EXPECT_NE(told.find("'runuser', '-u', 'robot', '--', '/usr/bin/tactus', 'exec', '--tier', "
                      "'process', '--priority', '9', '--required', '--']"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("('cmd', ['/opt/run', 'camera'])"), std::string::npos) << told;
}

TEST(Ros2Launch, RefusesTwoTasksThatAreOneProcess) {
  const auto file = ros2_launch_of(launched(robot()));
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("have the same `command`: a process has one priority"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus::deploy
