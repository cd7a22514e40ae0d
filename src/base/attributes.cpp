// SPDX-License-Identifier: BSD-3-Clause
#include "base/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/atomic.hpp"
#include "base/error.hpp"

namespace bowline {
namespace {

void check(int code, const char* callback, int key) {
  if (code == 0) return;
  throw Error(static_cast<ErrorClass>(code),
              fmt::format("the {} of the attribute key {} returned the error code {}", callback, key, code));
}

void call_remove(const Keyval& key, void* object, const AttributeValue& value) {
  if (key.remove) check(key.remove(object, key.number, value.as(key.form)), "delete function", key.number);
}

}  // namespace

AttributeValue AttributeValue::from(SetAs form, void* bits) noexcept {
  AttributeValue made(bits);
  made.form_ = form;
  if (form == SetAs::integer) made.bits_.integer = static_cast<int>(reinterpret_cast<std::intptr_t>(bits));
  if (form == SetAs::address) made.bits_.address = reinterpret_cast<std::intptr_t>(bits);
  return made;
}

void* AttributeValue::as_pointer() const noexcept {
  if (form_ == SetAs::pointer) return bits_.pointer;
  const void* const number = form_ == SetAs::integer ? static_cast<const void*>(&bits_.integer) : &bits_.address;
  return const_cast<void*>(number);  // MPI hands the number out as a pointer to a variable
}

std::intptr_t AttributeValue::number() const noexcept {
  if (form_ == SetAs::pointer) return reinterpret_cast<std::intptr_t>(bits_.pointer);
  return form_ == SetAs::integer ? bits_.integer : bits_.address;
}

int KeyvalTable::add(Keyval::Copying copying, Keyval::Remove remove, AttributeValue::SetAs form) {
  static Atomic<int> next = first_number;  // the numbers are shared by all tables
  const int number = next.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard hold(mutex_);
  keys_.emplace(number, std::make_shared<const Keyval>(Keyval{std::move(copying), std::move(remove), form, number}));
  return number;
}

std::shared_ptr<const Keyval> KeyvalTable::find(int number) const {
  const std::lock_guard hold(mutex_);
  const auto found = keys_.find(number);
  return found == keys_.end() ? nullptr : found->second;
}

bool KeyvalTable::remove(int number) {
  const std::lock_guard hold(mutex_);
  return keys_.erase(number) > 0;
}

std::list<Attributes::Entry>::iterator Attributes::position(int key) noexcept {
  return std::ranges::find_if(entries_, [key](const Entry& entry) { return entry.key->number == key; });
}

const AttributeValue* Attributes::find(int key) const noexcept {
  const auto found = std::ranges::find_if(entries_, [key](const Entry& entry) { return entry.key->number == key; });
  return found == entries_.end() ? nullptr : &found->value;
}

bool Attributes::find(int key, void*& value) const noexcept {
  const AttributeValue* const found = find(key);
  if (found != nullptr) value = found->as_pointer();
  return found != nullptr;
}

void Attributes::set(std::shared_ptr<const Keyval> key, AttributeValue value, void* object) {
  if (const auto found = position(key->number); found != entries_.end()) {
    call_remove(*key, object, found->value);
    if (const auto still = position(key->number); still != entries_.end()) {  // the callback may have changed the list
      still->value = value;
      return;
    }
  }
  entries_.push_back({std::move(key), value});
}

bool Attributes::remove(int key, void* object) {
  const auto found = position(key);
  if (found == entries_.end()) return false;
  const Entry entry = *found;
  call_remove(*entry.key, object, entry.value);
  if (const auto still = position(key); still != entries_.end()) entries_.erase(still);
  return true;
}

void Attributes::remove_all(void* object) {
  while (!entries_.empty()) remove(entries_.back().key->number, object);
}

void Attributes::copy_to(Attributes& target, void* object) const {
  const std::list<Entry> all = entries_;  // a callback may change the list
  for (const auto& [key, old] : all) {
    const AttributeValue* const now = find(key->number);
    const AttributeValue& value = now != nullptr ? *now : old;
    if (!key->copying.ask) {
      if (key->copying.same) target.entries_.push_back({key, value});
      continue;
    }
    void* copy = nullptr;
    int wanted = 0;
    check(key->copying.ask(object, key->number, value.as(key->form), &copy, &wanted), "copy function", key->number);
    if (wanted != 0) target.entries_.push_back({key, AttributeValue::from(key->form, copy)});
  }
}

}  // namespace bowline
