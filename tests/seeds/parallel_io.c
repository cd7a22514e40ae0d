/* SPDX-License-Identifier: BSD-3-Clause
 * Files as the lecture notes describe them: a file that all processes open together, a view of each process that
 * partitions the file, explicit offsets, and what a process learns at the end of the file.
 *
 *   parallel_io FILE */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define PER_TILE 2
#define NUMBERS 6

static void fail_if(int wrong, const char* what) {
  if (!wrong) return;
  fprintf(stderr, "%s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char* argv[]) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const name = argv[1];
  MPI_File file;

  /* A new file has size 0, and MPI_MODE_EXCL refuses one that exists. */
  fail_if(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
          "open");
  MPI_Offset bytes;
  MPI_File_get_size(file, &bytes);
  fail_if(bytes != 0, "a new file is not empty");
  MPI_File second;
  fail_if(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL,
                        &second) == MPI_SUCCESS,
          "a file was made twice");

  /* Behind a header each process sees PER_TILE numbers of every tile; the holes belong to the others. */
  const MPI_Offset header = 16;
  MPI_Datatype block, filetype;
  MPI_Type_contiguous(PER_TILE, MPI_INT, &block);
  MPI_Type_create_resized(block, 0, (MPI_Aint)sizeof(int) * PER_TILE * size, &filetype);
  MPI_Type_commit(&filetype);
  MPI_File_set_view(file, header + (MPI_Offset)sizeof(int) * PER_TILE * rank, MPI_INT, filetype, "native",
                    MPI_INFO_NULL);
  MPI_Offset displacement;
  MPI_Datatype etype_found, filetype_found;
  char representation[MPI_MAX_DATAREP_STRING];
  MPI_File_get_view(file, &displacement, &etype_found, &filetype_found, representation);
  fail_if(displacement != header + (MPI_Offset)sizeof(int) * PER_TILE * rank, "displacement");
  fail_if(etype_found != MPI_INT || strcmp(representation, "native") != 0, "etype or representation");
  MPI_Type_free(&filetype_found);

  int numbers[NUMBERS];
  for (int i = 0; i < NUMBERS; ++i) numbers[i] = 100 * rank + i;
  MPI_Status status;
  MPI_File_write(file, numbers, NUMBERS, MPI_INT, &status);
  MPI_Offset position;
  MPI_File_get_position(file, &position);
  fail_if(position != NUMBERS, "the individual pointer counts etypes of the view");

  /* What the others have written is visible after the synchronization. */
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_set_view(file, header, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  int all[NUMBERS * 16];
  MPI_File_read_at(file, 0, all, NUMBERS * 16, MPI_INT, &status);
  int count;
  MPI_Get_count(&status, MPI_INT, &count);
  fail_if(count != NUMBERS * size, "less is read only at the end of the file");
  if (rank == 0) {
    for (int i = 0; i < count; ++i) printf("%d%c", all[i], i + 1 < count ? ' ' : '\n');
  }
  MPI_File_read_at(file, count - 1, all, 2, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  fail_if(count != 1, "the last number");
  MPI_File_read_at(file, NUMBERS * size, all, 1, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  fail_if(count != 0, "there is nothing behind the end");

  /* Appending begins at the end; each process in turn, by the shared pointer. */
  fail_if(MPI_File_close(&file), "close");
  fail_if(file != MPI_FILE_NULL, "a closed file");
  fail_if(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_APPEND | MPI_MODE_WRONLY, MPI_INFO_NULL, &file), "append");
  char letter = (char)('a' + rank);
  MPI_File_write_ordered(file, &letter, 1, MPI_CHAR, &status);
  MPI_File_close(&file);
  fail_if(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), "read only");
  MPI_File_get_size(file, &bytes);
  fail_if(bytes != header + (MPI_Offset)sizeof(int) * NUMBERS * size + size, "size");
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);

  fail_if(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file), "again");
  MPI_File_close(&file);
  fail_if(MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS, "it was deleted when it was closed");
  MPI_Type_free(&block);
  MPI_Type_free(&filetype);
  MPI_Finalize();
  return 0;
}
