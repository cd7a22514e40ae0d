// SPDX-License-Identifier: BSD-3-Clause
// The interface by which debuggers show message queues: "A Standard Interface for Debugger Access to Message Queue
// Information in MPI" (J. Cownie, W. Gropp, 1999), in the version 2 that DDT and TotalView know. The names of the
// functions, the order and types of members and the numbers are the interface's; debuggers rely on them.
//
// The debugger loads the library, and calls it from one thread at a time. Pointers to images, processes and what the
// library has attached to them cross the interface; nobody looks into those of the other side. All functions but those
// that return a text, a width or nothing return a Result, or a number of this library's own from `first_own` on.
#pragma once

#include <cstddef>

namespace bowline::mqs {

using Address = unsigned long;  ///< in the debugged process
using Word = long;              ///< a number of the debugged process

constexpr int interface_version = 2;

enum Result : int { ok = 0, no_information = 1, end_of_list = 2, first_own = 100 };
enum OperationClass : int { pending_sends = 0, pending_receives = 1, unexpected_messages = 2 };
enum Status : int { pending = 0, matched = 1, complete = 2 };
constexpr Word any_rank = -1;        ///< of a receive
constexpr int invalid_process = -1;  ///< a rank that MPI_COMM_WORLD does not have

struct Image;        ///< a program, of the debugger
struct Process;      ///< one of its processes, of the debugger
struct Type;         ///< of a program, of the debugger
struct ImageInfo;    ///< what this library attaches to an image
struct ProcessInfo;  ///< what this library attaches to a process

struct TypeSizes {
  int short_size, int_size, long_size, long_long_size, pointer_size, bool_size, size_t_size;
};

struct Communicator {
  Address unique_id;
  Word local_rank;
  Word size;
  char name[64];
};

/// "Desired" is what the operation asks for, "actual" what it got: of matched operations, and of sends.
struct PendingOperation {
  int status;
  Word desired_local_rank;   ///< in the communicator, or any_rank
  Word desired_global_rank;  ///< in MPI_COMM_WORLD
  int tag_wild;              ///< whether any tag is accepted
  Word desired_tag;
  Word desired_length;  ///< bytes
  int system_buffer;    ///< whether `buffer` belongs to the library
  Address buffer;
  Word actual_local_rank;
  Word actual_global_rank;
  Word actual_tag;
  Word actual_length;
  char extra_text[5][64];  ///< lines for the user
};
static_assert(sizeof(Communicator) == 88 && sizeof(PendingOperation) == 416);

// Tables of what the library may call.
struct BasicCallbacks {
  void* (*allocate)(std::size_t);
  void (*free)(void*);
  void (*print)(const char*);
  char* (*error_string)(int);
  void (*put_image_info)(Image*, ImageInfo*);
  ImageInfo* (*get_image_info)(Image*);
  void (*put_process_info)(Process*, ProcessInfo*);
  ProcessInfo* (*get_process_info)(Process*);
};

struct ImageCallbacks {
  void (*get_type_sizes)(Process*, TypeSizes*);
  int (*find_function)(Image*, char*, int language, Address*);
  int (*find_symbol)(Image*, char*, Address*);
  Type* (*find_type)(Image*, char*, int language);
  int (*field_offset)(Type*, char*);
  int (*size_of)(Type*);
};

struct ProcessCallbacks {
  int (*get_global_rank)(Process*);
  Image* (*get_image)(Process*);
  int (*fetch_data)(Process*, Address, int bytes, void* into);
  void (*target_to_host)(Process*, const void* from, void* to, int bytes);
};

// What the debugger calls. It keeps all tables of callbacks for as long as the library may use them.
#pragma GCC visibility push(default)
extern "C" {
void mqs_setup_basic_callbacks(const BasicCallbacks* callbacks);
char* mqs_version_string();
int mqs_version_compatibility();
/// Bytes of an Address.
int mqs_dll_taddr_width();
/// A sentence about a number that a function has returned, valid until the next call.
char* mqs_dll_error_string(int code);

int mqs_setup_image(Image* image, const ImageCallbacks* callbacks);
/// `message` becomes what the debugger should tell the user, as a format for the image's name, or null.
int mqs_image_has_queues(Image* image, char** message);
void mqs_destroy_image_info(ImageInfo* info);

int mqs_setup_process(Process* process, const ProcessCallbacks* callbacks);
/// `message` as above.
int mqs_process_has_queues(Process* process, char** message);
void mqs_destroy_process_info(ProcessInfo* info);

/// Reads all communicators and operations, which the iterators tell.
int mqs_update_communicator_list(Process* process);
/// Begins with the first communicator, after another look at the process unless the list has just been updated.
int mqs_setup_communicator_iterator(Process* process);
int mqs_get_communicator(Process* process, Communicator* communicator);
/// Writes the rank in MPI_COMM_WORLD of each member of the current communicator.
int mqs_get_comm_group(Process* process, int* ranks);
int mqs_next_communicator(Process* process);
/// Begins with the first operation of the class in the current communicator.
int mqs_setup_operation_iterator(Process* process, int operation_class);
int mqs_next_operation(Process* process, PendingOperation* operation);
}
#pragma GCC visibility pop

}  // namespace bowline::mqs
