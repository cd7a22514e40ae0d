// SPDX-License-Identifier: BSD-3-Clause
// The table of wrong calls, fourth part: groups, communicators, topologies, info, attributes, error handlers.
#pragma once

#include "arguments_table.hpp"

namespace arguments {

inline MPI_Group world_group() {
  static MPI_Group group = [] {
    MPI_Group made = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &made);
    return made;
  }();
  return group;
}

inline void Table::groups() {
  static MPI_Group made;
  static MPI_Comm comm;
  static int ranks[2], found[2];
  static int ranges[1][3];
  add("MPI_Group_size", "group", MPI_ERR_GROUP, [] { return MPI_Group_size(MPI_GROUP_NULL, found); });
  add("MPI_Group_rank", "rank", MPI_ERR_ARG, [] { return MPI_Group_rank(world_group(), nullptr); });
  add("MPI_Group_free", "group", MPI_ERR_GROUP, [] {
    made = MPI_GROUP_NULL;
    return MPI_Group_free(&made);
  });
  add("MPI_Group_union", "group2", MPI_ERR_GROUP, [] { return MPI_Group_union(world_group(), MPI_GROUP_NULL, &made); });
  add("MPI_Group_compare", "group1", MPI_ERR_GROUP,
      [] { return MPI_Group_compare(MPI_GROUP_NULL, world_group(), found); });
  add("MPI_Group_incl", "n", MPI_ERR_ARG, [] { return MPI_Group_incl(world_group(), -1, ranks, &made); });
  for (const int wrong : {-1, check::size}) {
    add("MPI_Group_incl", "ranks", MPI_ERR_RANK, [wrong] {
      ranks[0] = wrong;
      return MPI_Group_incl(world_group(), 1, ranks, &made);
    });
    add("MPI_Group_excl", "ranks", MPI_ERR_RANK, [wrong] {
      ranks[0] = wrong;
      return MPI_Group_excl(world_group(), 1, ranks, &made);
    });
    add("MPI_Group_translate_ranks", "ranks1", MPI_ERR_RANK, [wrong] {
      ranks[0] = wrong;
      return MPI_Group_translate_ranks(world_group(), 1, ranks, world_group(), found);
    });
    add("MPI_Group_range_incl", "ranges", MPI_ERR_RANK, [wrong] {
      ranges[0][0] = ranges[0][1] = wrong;
      ranges[0][2] = 1;
      return MPI_Group_range_incl(world_group(), 1, ranges, &made);
    });
  }
  add("MPI_Group_incl", "ranks", MPI_ERR_RANK, [] {
    ranks[0] = ranks[1] = 0;  // twice
    return MPI_Group_incl(world_group(), 2, ranks, &made);
  });
  add("MPI_Group_range_incl", "ranges", MPI_ERR_ARG, [] {
    ranges[0][0] = ranges[0][1] = ranges[0][2] = 0;  // a stride of 0
    return MPI_Group_range_incl(world_group(), 1, ranges, &made);
  });
  add("MPI_Comm_create", "group", MPI_ERR_GROUP, [] { return MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &comm); });
  add("MPI_Comm_group", "group", MPI_ERR_ARG, [] { return MPI_Comm_group(MPI_COMM_WORLD, nullptr); });
}

inline void Table::communicators() {
  static MPI_Comm comm, made;
  static int number, numbers[2];
  Wrong* const w = &wrong_;
  for (const std::function<MPI_Comm()>& make :
       {std::function<MPI_Comm()>([] { return MPI_COMM_NULL; }), {[w] { return w->freed; }}}) {
    add("MPI_Comm_split", "comm", MPI_ERR_COMM, [make] { return MPI_Comm_split(make(), 0, 0, &made); });
    add("MPI_Comm_split_type", "comm", MPI_ERR_COMM,
        [make] { return MPI_Comm_split_type(make(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made); });
    add("MPI_Comm_free", "comm", MPI_ERR_COMM, [make] {
      comm = make();
      return MPI_Comm_free(&comm);
    });
    add("MPI_Comm_set_name", "comm", MPI_ERR_COMM, [make] { return MPI_Comm_set_name(make(), "name"); });
    add("MPI_Comm_remote_size", "comm", MPI_ERR_COMM, [make] { return MPI_Comm_remote_size(make(), &number); });
  }
  add("MPI_Comm_free", "comm", MPI_ERR_COMM, [] {
    comm = MPI_COMM_WORLD;
    return MPI_Comm_free(&comm);
  });
  add("MPI_Comm_split", "color", MPI_ERR_ARG, [] { return MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &made); });
  add("MPI_Comm_split", "newcomm", MPI_ERR_ARG, [] { return MPI_Comm_split(MPI_COMM_WORLD, 0, 0, nullptr); });
  add("MPI_Comm_split_type", "split_type", MPI_ERR_ARG,
      [] { return MPI_Comm_split_type(MPI_COMM_WORLD, -77, 0, MPI_INFO_NULL, &made); });
  add("MPI_Comm_remote_size", "comm", MPI_ERR_COMM, [] { return MPI_Comm_remote_size(MPI_COMM_WORLD, &number); });
  add("MPI_Intercomm_merge", "intercomm", MPI_ERR_COMM, [] { return MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made); });
  add("MPI_Intercomm_create", "local_leader", MPI_ERR_RANK,
      [] { return MPI_Intercomm_create(MPI_COMM_SELF, 1, MPI_COMM_WORLD, 0, 1, &made); });
  add("MPI_Comm_set_name", "comm_name", MPI_ERR_ARG, [] { return MPI_Comm_set_name(MPI_COMM_WORLD, nullptr); });

  for (const int wrong : {MPI_KEYVAL_INVALID, MPI_TAG_UB, 999}) {
    add("MPI_Comm_set_attr", "comm_keyval", MPI_ERR_KEYVAL,
        [wrong] { return MPI_Comm_set_attr(MPI_COMM_WORLD, wrong, nullptr); });
    add("MPI_Comm_delete_attr", "comm_keyval", MPI_ERR_KEYVAL,
        [wrong] { return MPI_Comm_delete_attr(MPI_COMM_WORLD, wrong); });
    add("MPI_Comm_free_keyval", "comm_keyval", MPI_ERR_KEYVAL, [wrong] {
      number = wrong;
      return MPI_Comm_free_keyval(&number);
    });
    add("MPI_Type_set_attr", "type_keyval", MPI_ERR_KEYVAL,
        [wrong] { return MPI_Type_set_attr(MPI_INT, wrong, nullptr); });
  }
  add("MPI_Comm_set_errhandler", "errhandler", MPI_ERR_ERRHANDLER,
      [] { return MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL); });
  add("MPI_Add_error_code", "errorclass", MPI_ERR_ARG, [] { return MPI_Add_error_code(12345, &number); });
  add("MPI_Error_class", "errorcode", MPI_ERR_ARG, [] { return MPI_Error_class(-3, &number); });

  add("MPI_Dims_create", "nnodes", MPI_ERR_ARG, [] { return MPI_Dims_create(0, 2, numbers); });
  add("MPI_Dims_create", "dims", MPI_ERR_DIMS, [] {
    numbers[0] = 4;
    numbers[1] = 0;
    return MPI_Dims_create(6, 2, numbers);  // 4 divides 6 into no whole number
  });
  add("MPI_Cart_create", "dims", MPI_ERR_DIMS, [] {
    numbers[0] = -1;
    const int periods = 0;
    return MPI_Cart_create(MPI_COMM_WORLD, 1, numbers, &periods, 0, &made);
  });
  add("MPI_Cart_coords", "comm", MPI_ERR_TOPOLOGY, [] { return MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, numbers); });
  add("MPI_Cart_shift", "comm", MPI_ERR_TOPOLOGY,
      [] { return MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &numbers[0], &numbers[1]); });
  add("MPI_Graphdims_get", "comm", MPI_ERR_TOPOLOGY,
      [] { return MPI_Graphdims_get(MPI_COMM_WORLD, &numbers[0], &numbers[1]); });
}

inline void Table::infos() {
  static MPI_Info info = MPI_INFO_NULL;
  static const std::string long_key(MPI_MAX_INFO_KEY + 1, 'k');
  static char key[MPI_MAX_INFO_KEY + 1];
  const auto fresh = [] {
    if (info == MPI_INFO_NULL) MPI_Info_create(&info);
    return info;
  };
  add("MPI_Info_set", "info", MPI_ERR_INFO, [] { return MPI_Info_set(MPI_INFO_NULL, "key", "value"); });
  add("MPI_Info_free", "info", MPI_ERR_INFO, [] {
    MPI_Info null = MPI_INFO_NULL;
    return MPI_Info_free(&null);
  });
  add("MPI_Info_set", "key", MPI_ERR_INFO_KEY, [fresh] { return MPI_Info_set(fresh(), "", "value"); });
  add("MPI_Info_set", "key", MPI_ERR_INFO_KEY, [fresh] { return MPI_Info_set(fresh(), long_key.c_str(), "value"); });
  add("MPI_Info_delete", "key", MPI_ERR_INFO_NOKEY, [fresh] { return MPI_Info_delete(fresh(), "absent"); });
  add("MPI_Info_get_nthkey", "n", MPI_ERR_ARG, [fresh] { return MPI_Info_get_nthkey(fresh(), 99, key); });
}

}  // namespace arguments
