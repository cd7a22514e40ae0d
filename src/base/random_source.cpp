// SPDX-License-Identifier: BSD-3-Clause
#include "base/random_source.hpp"

#include <sys/random.h>

#include <fstream>

#include "base/error.hpp"

namespace bowline {
namespace {

template <class Number>
Number ask_kernel() {
  Number number = 0;
  if (getrandom(&number, sizeof number, 0) == sizeof number) [[likely]]
    return number;
  std::ifstream file("/dev/urandom", std::ios::binary);  // a kernel before 3.17, or a filter of system calls
  if (!file.read(reinterpret_cast<char*>(&number), sizeof number))
    throw Error(ErrorClass::other, "the system gives no random numbers: getrandom() and /dev/urandom are refused");
  return number;
}

}  // namespace

RandomSource::result_type RandomSource::operator()() const {
  return ask_kernel<result_type>();
}

std::uint64_t random_bits() {
  return ask_kernel<std::uint64_t>();
}

}  // namespace bowline
