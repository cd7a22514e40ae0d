// SPDX-License-Identifier: BSD-3-Clause
#include "base/handle_numbers.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace bowline {

template class HandleNumbersOf<HandleNumberSizes>;

void refuse_handle_number(std::size_t numbers) {
  throw Error(ErrorClass::no_space,
              fmt::format("{} handles have numbers, and there are no more: free handles that are not needed", numbers));
}

HandleNumbers& make_handle_numbers() {
  static auto* const numbers = new HandleNumbers;  // not destroyed by exit(): the program may still convert handles
  made_handle_numbers.store(numbers, std::memory_order_release);
  return *numbers;
}

}  // namespace bowline
