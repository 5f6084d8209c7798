#pragma once

/* What libtactus_preload.so offers to code in the same process; found with dlsym, because a process
 * that was not started with the library does not have it. */
#ifdef __cplusplus
extern "C" {
#endif

/* Takes this process's compute work off the GPU; returns when it is off.
 * How many channels were stopped, or a negative errno (-EPERM stands for a refusal of the driver).
 */
int tactus_channel_stop(void);

/* Puts it back. As above; safe at any time. */
int tactus_channel_resume(void);

#ifdef __cplusplus
}
#endif
