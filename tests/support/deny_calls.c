// SPDX-License-Identifier: BSD-3-Clause
// deny_calls CALL[,CALL...] PROGRAM [ARGUMENT...]: runs a program for which these system calls fail with EPERM, as in
// sandboxes and containers that forbid them. Exit status 77: this kernel does not let us.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

enum { most_calls = 8 };

static const struct {
  const char* name;
  int number;
} calls[] = {
    {"memfd_create", SYS_memfd_create},           {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev}, {"sched_getaffinity", SYS_sched_getaffinity},
    {"sched_setaffinity", SYS_sched_setaffinity},
};

// The number of a system call, or -1.
static int number_of(const char* name) {
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    if (strcmp(calls[i].name, name) == 0) return calls[i].number;
  }
  return -1;
}

static int install(const int* numbers, int count) {
#ifdef THIS_ARCHITECTURE
  // Jumps skip that many of the instructions that follow: first if the value is equal, then if not.
  struct sock_filter code[most_calls + 5] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 0, (unsigned char)(count + 1)),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
  };
  const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  for (int i = 0; i < count; ++i) {
    const struct sock_filter compare =
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], (unsigned char)(count - i), 0);
    code[3 + i] = compare;
  }
  code[3 + count] = allow;
  code[4 + count] = refuse;
  const struct sock_fprog program = {(unsigned short)(5 + count), code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
  (void)numbers;
  (void)count;
  errno = ENOSYS;
  return -1;
#endif
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "deny_calls: deny_calls CALL[,CALL...] PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  int numbers[most_calls], count = 0;
  for (char* name = strtok(argv[1], ","); name != NULL && count < most_calls; name = strtok(NULL, ",")) {
    numbers[count] = number_of(name);
    if (numbers[count++] < 0) {
      fprintf(stderr, "deny_calls: the table in deny_calls.c has no system call %s\n", name);
      return 2;
    }
  }
  if (install(numbers, count) != 0) {
    perror("deny_calls: no seccomp filter can be installed");
    return 77;
  }
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 127;
}
