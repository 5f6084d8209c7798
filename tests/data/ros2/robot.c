// Three processes that do what nodes of ROS 2 do, as far as its tracepoints show it, and no more: a
// camera with a timer of 20 ms, a detector that takes its images, a planner that takes its objects.
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define TP(name, ...) lttng_ust_tracepoint(ros2, name, ##__VA_ARGS__)
#define P(n) ((const void *)(uintptr_t)(n))
enum { kJobs = 40 };
static int64_t now(clockid_t clock) { struct timespec t; clock_gettime(clock, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
static void spin_us(int64_t us) { const int64_t end = now(CLOCK_MONOTONIC) + us * 1000; while (now(CLOCK_MONOTONIC) < end) {} }
static void init(const char *node, const char *sub, const char *pub, int64_t period) {
  prctl(PR_SET_NAME, node);
  uint8_t gid[24] = {1, 15};
  TP(rcl_init, P(0x1000));
  TP(rcl_node_init, P(0x2000), P(0x2100), node, "/");
  if (pub) { TP(rmw_publisher_init, P(0x3100), gid); TP(rcl_publisher_init, P(0x3000), P(0x2000), P(0x3100), pub, 10); }
  if (sub) {
    TP(rcl_subscription_init, P(0x4000), P(0x2000), P(0x4100), sub, 10);
    TP(rclcpp_subscription_init, P(0x4000), P(0x4200));
    TP(rclcpp_subscription_callback_added, P(0x4200), P(0x5000));
  }
  if (period) {
    TP(rcl_timer_init, P(0x6000), period);
    TP(rclcpp_timer_callback_added, P(0x6000), P(0x5000));
    TP(rclcpp_timer_link_node, P(0x6000), P(0x2000));
  }
  TP(rclcpp_callback_register, P(0x5000), "void (robot::on_message)");
}
// The message arrives when the callback has ended.
static int64_t publish(void) {
  TP(rclcpp_publish, P(0x7000));
  TP(rcl_publish, P(0x3000), P(0x7000));
  const int64_t stamp = now(CLOCK_REALTIME);
  TP(rmw_publish, P(0x3100), P(0x7000), stamp);
  return stamp;
}
static void end_callback(int to, int64_t stamp) {
  TP(callback_end, P(0x5000));
  if (to >= 0 && write(to, &stamp, sizeof stamp) != sizeof stamp) exit(1);
}
static int take(int from, int64_t *stamp) {
  if (read(from, stamp, sizeof *stamp) != sizeof *stamp) return 0;
  TP(rclcpp_executor_execute, P(0x4000));
  TP(rmw_take, P(0x4100), P(0x7100), *stamp, 1);
  TP(rcl_take, P(0x7100));
  TP(rclcpp_take, P(0x7100));
  return 1;
}
static void gpu(FILE *out, int n, int64_t call, int64_t start, int64_t end) {
  const long pid = getpid(), tid = syscall(SYS_gettid);
  fprintf(out, ",\n{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":%ld,\"tid\":%ld,\"ts\":%.3f,\"dur\":20,\"args\":{\"correlation\":%d}}", pid, tid, call / 1e3, 2 * n);
  fprintf(out, ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"conv\",\"pid\":0,\"tid\":7,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d,\"grid\":[264,1,1],\"block\":[256,1,1],\"registers per thread\":64,\"shared memory\":0}}", start / 1e3, (end - start) / 1e3, 2 * n);
  fprintf(out, ",\n{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaStreamSynchronize\",\"pid\":%ld,\"tid\":%ld,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"correlation\":%d}}", pid, tid, (call + 20000) / 1e3, (end - call - 20000) / 1e3 + 5, 2 * n + 1);
}
int main(int argc, char **argv) {
  int images[2], objects[2];
  if (pipe(images) || pipe(objects)) return 1;
  if (fork() == 0) {  // detector
    close(images[1]);
    init("detector", "/image", "/objects", 0);
    FILE *out = fopen(argv[1], "w");
    fprintf(out, "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"synthetic GPU\",\"numSms\":132,\"computeMajor\":9,\"computeMinor\":0,\"maxThreadsPerMultiprocessor\":2048,\"regsPerMultiprocessor\":65536,\"sharedMemPerMultiprocessor\":233472}],\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"detector\"}}", getpid());
    int64_t stamp;
    for (int n = 0; take(images[0], &stamp); ++n) {
      TP(callback_start, P(0x5000), 0);
      spin_us(600);
      const int64_t call = now(CLOCK_REALTIME);
      spin_us(50);
      const int64_t start = now(CLOCK_REALTIME);
      spin_us(3000 + 100 * (n % 5));
      const int64_t end = now(CLOCK_REALTIME);
      spin_us(10);
      gpu(out, n, call, start, end);
      spin_us(300);
      end_callback(objects[1], publish());
    }
    fprintf(out, "\n]}\n");
    fclose(out);
    return 0;
  }
  close(images[0]);
  if (fork() == 0) {  // planner
    close(objects[1]);
    close(images[1]);
    init("planner", "/objects", "/cmd_vel", 0);
    int64_t stamp;
    while (take(objects[0], &stamp)) {
      TP(callback_start, P(0x5000), 0);
      spin_us(1500);
      end_callback(-1, publish());
    }
    return 0;
  }
  close(objects[0]);
  close(objects[1]);
  init("camera", NULL, "/image", 20000000);
  usleep(200000);
  int64_t next = now(CLOCK_MONOTONIC);
  for (int k = 0; k < kJobs; ++k, next += 20000000) {
    struct timespec until = {next / 1000000000, next % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    TP(rclcpp_executor_execute, P(0x6000));
    TP(callback_start, P(0x5000), 0);
    spin_us(800);
    end_callback(images[1], publish());
  }
  close(images[1]);
  while (wait(NULL) > 0) {}
  return 0;
}
