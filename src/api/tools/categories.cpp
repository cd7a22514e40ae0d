// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 15.3.9: categories. They have no sub-categories, and never change.
#include <algorithm>
#include <string_view>
#include <vector>

#include "api/tools/object_variables.hpp"
#include "api/tools/tool_interface.hpp"
#include "base/counter.hpp"
#include "base/events/event.hpp"
#include "base/tunable.hpp"
#include "base/variable.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

Category category_at(int index) {
  return static_cast<Category>(checked_index(index, category_texts.size()));
}

/// The indices of the variables of a category.
template <class Variables, class CategoryOf>
std::vector<int> members(const Variables& all, Category category, CategoryOf category_of) {
  std::vector<int> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (category_of(*all[i]) == category) found.push_back(static_cast<int>(i));
  }
  return found;
}

std::vector<int> control_variables(Category category) {
  return members(TunableBase::all(), category, [](const TunableBase& each) { return each.traits().category; });
}

std::vector<int> performance_variables(Category category) {
  std::vector<int> found = members(Measure::all(), category, [](const Measure& each) { return each.category(); });
  for (const int each : members(object_variables(), category, [](const auto& one) { return one.category(); }))
    found.push_back(each + static_cast<int>(Measure::all().size()));
  return found;
}

std::vector<int> events(Category category) {
  return members(EventKind::all(), category, [](const EventKind& each) { return each.category(); });
}

/// As many as the caller has room for.
void give_indices(const std::vector<int>& found, int len, int indices[]) {
  if (len < 0 || (len > 0 && indices == nullptr)) throw ToolError(MPI_T_ERR_INVALID);
  std::copy_n(found.begin(), std::min<std::size_t>(found.size(), static_cast<std::size_t>(len)), indices);
}

}  // namespace

void t_category_get_num(int* num_cat) {
  const ToolLock lock;
  required(num_cat) = static_cast<int>(category_texts.size());
}

void t_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len, int* num_cvars,
                         int* num_pvars, int* num_categories) {
  const ToolLock lock;
  const Category category = category_at(cat_index);
  give_string(text_of(category).name, name, name_len);
  give_string(text_of(category).help, desc, desc_len);
  give(num_cvars, static_cast<int>(control_variables(category).size()));
  give(num_pvars, static_cast<int>(performance_variables(category).size()));
  give(num_categories, 0);
}

void t_category_get_index(const char* name, int* cat_index) {
  const ToolLock lock;
  const auto found = std::ranges::find(category_texts, std::string_view(&required(name)), &CategoryText::name);
  if (found == category_texts.end()) throw ToolError(MPI_T_ERR_INVALID_NAME);
  required(cat_index) = static_cast<int>(found - category_texts.begin());
}

void t_category_get_cvars(int cat_index, int len, int indices[]) {
  const ToolLock lock;
  give_indices(control_variables(category_at(cat_index)), len, indices);
}

void t_category_get_pvars(int cat_index, int len, int indices[]) {
  const ToolLock lock;
  give_indices(performance_variables(category_at(cat_index)), len, indices);
}

void t_category_get_categories(int cat_index, int len, int indices[]) {
  const ToolLock lock;
  static_cast<void>(category_at(cat_index));
  give_indices({}, len, indices);
}

void t_category_get_num_events(int cat_index, int* num_events) {
  const ToolLock lock;
  required(num_events) = static_cast<int>(events(category_at(cat_index)).size());
}

void t_category_get_events(int cat_index, int len, int indices[]) {
  const ToolLock lock;
  give_indices(events(category_at(cat_index)), len, indices);
}

void t_category_changed(int* update_number) {
  const ToolLock lock;
  required(update_number) = 0;
}

}  // namespace bowline::api
