#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ros2
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./tp.h"
#if !defined(TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TP_H
#include <lttng/tracepoint.h>
#include <stdint.h>
#define H(name) lttng_ust_field_integer_hex(const void *, name, name##_arg)
LTTNG_UST_TRACEPOINT_EVENT(ros2, rcl_init, LTTNG_UST_TP_ARGS(const void *, context_handle_arg), LTTNG_UST_TP_FIELDS(H(context_handle) lttng_ust_field_string(version, "8.2.0")))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rcl_node_init, LTTNG_UST_TP_ARGS(const void *, node_handle_arg, const void *, rmw_handle_arg, const char *, node_name_arg, const char *, namespace_arg),
  LTTNG_UST_TP_FIELDS(H(node_handle) H(rmw_handle) lttng_ust_field_string(node_name, node_name_arg) lttng_ust_field_string(namespace, namespace_arg)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rmw_publisher_init, LTTNG_UST_TP_ARGS(const void *, rmw_publisher_handle_arg, const uint8_t *, gid_arg),
  LTTNG_UST_TP_FIELDS(H(rmw_publisher_handle) lttng_ust_field_array(uint8_t, gid, gid_arg, 24)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rcl_publisher_init, LTTNG_UST_TP_ARGS(const void *, publisher_handle_arg, const void *, node_handle_arg, const void *, rmw_publisher_handle_arg, const char *, topic_name_arg, size_t, queue_depth_arg),
  LTTNG_UST_TP_FIELDS(H(publisher_handle) H(node_handle) H(rmw_publisher_handle) lttng_ust_field_string(topic_name, topic_name_arg) lttng_ust_field_integer(size_t, queue_depth, queue_depth_arg)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rclcpp_publish, LTTNG_UST_TP_ARGS(const void *, message_arg), LTTNG_UST_TP_FIELDS(H(message)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rcl_publish, LTTNG_UST_TP_ARGS(const void *, publisher_handle_arg, const void *, message_arg), LTTNG_UST_TP_FIELDS(H(publisher_handle) H(message)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rmw_publish, LTTNG_UST_TP_ARGS(const void *, rmw_publisher_handle_arg, const void *, message_arg, int64_t, timestamp_arg),
  LTTNG_UST_TP_FIELDS(H(rmw_publisher_handle) H(message) lttng_ust_field_integer(int64_t, timestamp, timestamp_arg)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rcl_subscription_init, LTTNG_UST_TP_ARGS(const void *, subscription_handle_arg, const void *, node_handle_arg, const void *, rmw_subscription_handle_arg, const char *, topic_name_arg, size_t, queue_depth_arg),
  LTTNG_UST_TP_FIELDS(H(subscription_handle) H(node_handle) H(rmw_subscription_handle) lttng_ust_field_string(topic_name, topic_name_arg) lttng_ust_field_integer(size_t, queue_depth, queue_depth_arg)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rclcpp_subscription_init, LTTNG_UST_TP_ARGS(const void *, subscription_handle_arg, const void *, subscription_arg), LTTNG_UST_TP_FIELDS(H(subscription_handle) H(subscription)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rclcpp_subscription_callback_added, LTTNG_UST_TP_ARGS(const void *, subscription_arg, const void *, callback_arg), LTTNG_UST_TP_FIELDS(H(subscription) H(callback)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rmw_take, LTTNG_UST_TP_ARGS(const void *, rmw_subscription_handle_arg, const void *, message_arg, int64_t, source_timestamp_arg, int, taken_arg),
  LTTNG_UST_TP_FIELDS(H(rmw_subscription_handle) H(message) lttng_ust_field_integer(int64_t, source_timestamp, source_timestamp_arg) lttng_ust_field_integer(int, taken, taken_arg)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rcl_take, LTTNG_UST_TP_ARGS(const void *, message_arg), LTTNG_UST_TP_FIELDS(H(message)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rclcpp_take, LTTNG_UST_TP_ARGS(const void *, message_arg), LTTNG_UST_TP_FIELDS(H(message)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rcl_timer_init, LTTNG_UST_TP_ARGS(const void *, timer_handle_arg, int64_t, period_arg), LTTNG_UST_TP_FIELDS(H(timer_handle) lttng_ust_field_integer(int64_t, period, period_arg)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rclcpp_timer_callback_added, LTTNG_UST_TP_ARGS(const void *, timer_handle_arg, const void *, callback_arg), LTTNG_UST_TP_FIELDS(H(timer_handle) H(callback)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rclcpp_timer_link_node, LTTNG_UST_TP_ARGS(const void *, timer_handle_arg, const void *, node_handle_arg), LTTNG_UST_TP_FIELDS(H(timer_handle) H(node_handle)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rclcpp_callback_register, LTTNG_UST_TP_ARGS(const void *, callback_arg, const char *, symbol_arg), LTTNG_UST_TP_FIELDS(H(callback) lttng_ust_field_string(symbol, symbol_arg)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, callback_start, LTTNG_UST_TP_ARGS(const void *, callback_arg, int, is_intra_process_arg), LTTNG_UST_TP_FIELDS(H(callback) lttng_ust_field_integer(int, is_intra_process, is_intra_process_arg)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, callback_end, LTTNG_UST_TP_ARGS(const void *, callback_arg), LTTNG_UST_TP_FIELDS(H(callback)))
LTTNG_UST_TRACEPOINT_EVENT(ros2, rclcpp_executor_get_next_ready, LTTNG_UST_TP_ARGS(void), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(ros2, rclcpp_executor_execute, LTTNG_UST_TP_ARGS(const void *, handle_arg), LTTNG_UST_TP_FIELDS(H(handle)))
#endif
#include <lttng/tracepoint-event.h>
