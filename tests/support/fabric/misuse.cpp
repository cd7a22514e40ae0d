// SPDX-License-Identifier: BSD-3-Clause
#include "support/fabric/misuse.hpp"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace fabric {

void misuse(const char* sentence, ...) {
  char text[500];
  va_list arguments;
  va_start(arguments, sentence);
  std::vsnprintf(text, sizeof text, sentence, arguments);
  va_end(arguments);
  std::fprintf(stderr, "fabric: %s (process %d)\n", text, static_cast<int>(getpid()));
  std::abort();
}

}  // namespace fabric
