// SPDX-License-Identifier: BSD-3-Clause
// deny_attach PROGRAM [ARGUMENT...]: runs a program for which process_vm_readv and process_vm_writev fail with EPERM,
// as in containers that forbid them. Exit status 77: this kernel does not let us.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static int install(void) {
#ifdef THIS_ARCHITECTURE
  // Jumps skip that many of the instructions that follow: first if the value is equal, then if not.
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
  errno = ENOSYS;
  return -1;
#endif
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "deny_attach: there is no program to run: deny_attach PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  if (install() != 0) {
    perror("deny_attach: no seccomp filter can be installed");
    return 77;
  }
  execvp(argv[1], argv + 1);
  perror(argv[1]);
  return 127;
}
