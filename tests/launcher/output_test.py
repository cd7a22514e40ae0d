# SPDX-License-Identifier: BSD-3-Clause
"""Output: lines stay whole, streams stay apart, bytes stay bytes, a slow reader blocks nobody for ever."""
import os
import re
import subprocess
import sys
import unittest

from launcher_case import LauncherCase, PATIENCE, eventually

PYTHON = sys.executable
# Writes the given number of lines in little pieces, to both streams; a line says its rank and its number.
PIECES = """
import os, sys
rank, count = int(os.environ["PMIX_RANK"]), int(sys.argv[1])
for number in range(count):
    for stream in (1, 2):
        line = b"%d.%d.%d." % (stream, rank, number) + b"x" * (number * 37 % 5000) + b"\\n"
        for begin in range(0, len(line), 997):
            os.write(stream, line[begin:begin + 997])
"""


class Lines(LauncherCase):
    def check_lines(self, text, stream, ranks, count, tag=b""):
        seen = set()
        for line in text.splitlines():
            match = re.fullmatch(tag + rb"(\d)\.(\d)\.(\d+)\.(x*)", line)
            self.assertIsNotNone(match, line[:200])
            stream_seen, rank, number = int(match[1]), int(match[2]), int(match[3])
            self.assertEqual((stream_seen, len(match[4])), (stream, number * 37 % 5000))
            self.assertNotIn((rank, number), seen)
            seen.add((rank, number))
        self.assertEqual(len(seen), ranks * count)

    def test_lines_of_many_ranks_stay_whole(self):
        done = self.run_mpiexec("-n", 6, PYTHON, "-c", PIECES, 300, text=False)
        self.assertEqual(done.returncode, 0, done.stderr[-500:])
        self.check_lines(done.stdout, 1, 6, 300)
        self.check_lines(done.stderr, 2, 6, 300)

    def test_tags(self):
        done = self.run_mpiexec("-n", 3, "--tag-output", PYTHON, "-c", PIECES, 100, text=False)
        self.check_lines(done.stdout, 1, 3, 100, rb"\[\d\]<stdout> ")
        self.check_lines(done.stderr, 2, 3, 100, rb"\[\d\]<stderr> ")
        done = self.run_mpiexec("-n", 1, "--tag-output", "printf", "a\\n\\nb")
        self.assertEqual(done.stdout, "[0]<stdout> a\n[0]<stdout> \n[0]<stdout> b\n")

    def test_last_line_without_newline(self):
        done = self.run_mpiexec("-n", 1, "sh", "-c", "printf 'a\\nlast'; printf 'err' >&2")
        self.assertEqual((done.stdout, done.stderr), ("a\nlast", "err"))

    def test_any_bytes(self):
        content = os.urandom(3 << 20) + b"\0\0\xff"
        (self.directory / "bytes").write_bytes(content)
        done = self.run_mpiexec("-n", 1, "cat", "bytes", text=False)
        self.assertEqual(done.stdout, content)

    def test_line_longer_than_any_buffer(self):
        done = self.run_mpiexec("-n", 2, PYTHON, "-c", "print('y' * (5 << 20))")
        self.assertEqual(done.stdout.count("y"), 2 * (5 << 20))
        self.assertEqual(done.stdout.count("\n"), 2)

    def test_output_of_one_rank_stays_in_order(self):
        done = self.run_mpiexec("-n", 1, "seq", 200000)
        self.assertEqual(done.stdout, "".join(f"{i}\n" for i in range(1, 200001)))

    def test_lines_appear_when_they_are_written(self):
        job = self.start_mpiexec("-n", 2, "sh", "-c", "[ $PMIX_RANK = 0 ] && echo early; sleep 60")
        self.assertEqual(job.stdout.readline(), "early\n")
        self.assertIsNone(job.poll())  # rank 1 stays for a minute
        job.terminate()
        self.assert_ends(job)


class Buffering(LauncherCase):
    """What libraries hold back from a pipe appears line by line, and survives the end of the job."""
    # Rank 0 prints a line and waits; when it has, rank 1 is killed, which ends rank 0 before its libraries flush.
    HELD_BACK = (f'[ $PMIX_RANK = 1 ] && {{ while [ ! -e printed ]; do sleep 0.01; done; kill -9 $$; }}; '
                 f'exec {PYTHON} -c "import time; print(\'line\'); open(\'printed\', \'w\'); time.sleep(60)"')

    def setUp(self):
        super().setUp()
        self.environment.pop("PYTHONUNBUFFERED", None)

    def test_lines_before_another_rank_ends_the_job(self):
        done = self.run_mpiexec("-n", 2, "sh", "-c", self.HELD_BACK)
        self.assertEqual((done.returncode, done.stdout), (128 + 9, "line\n"))

    def test_lines_in_files(self):
        for words, file in ((["--output-dir", "out"], "out/rank.0.out"), (["-outfile-pattern", "o%r"], "o0"),
                            (["--output-filename", "dir:nojobid,nocopy"], "dir/rank.0/stdout")):
            (self.directory / "printed").unlink(missing_ok=True)
            done = self.run_mpiexec("-n", 2, *words, "sh", "-c", self.HELD_BACK)
            self.assertEqual((done.returncode, done.stdout), (128 + 9, ""))
            self.assertEqual((self.directory / file).read_text(encoding="utf-8"), "line\n")

    def test_what_was_written_before_the_end(self):
        """More than a pseudo-terminal holds, and no line end."""
        script = "import os; n = 0\nwhile n < 300000: n += os.write(1, b'z' * (300000 - n))\nos.kill(os.getpid(), 9)"
        done = self.run_mpiexec("-n", 2, PYTHON, "-c", script)
        self.assertEqual(done.returncode, 128 + 9)
        # One of the ranks ends the job, maybe before the other has written all.
        self.assertGreaterEqual(done.stdout.count("z"), 300000)

    def test_choice(self):
        for words, terminal in (([], True), (["--stream-buffering", "line"], True), (["-stream-buffering", "1"], True),
                                (["--stream-buffering", "full"], False), (["-stream-buffering", "2"], False)):
            done = self.run_mpiexec("-n", 1, *words, PYTHON, "-c", "import os; print(os.isatty(1), os.isatty(2))")
            self.assertEqual((done.stdout, done.stderr), (f"{terminal} False\n", ""), words)
        done = self.run_mpiexec("--stream-buffering", "none", "true")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "mpiexec: --stream-buffering none: must be one of line, full\n"))

    @unittest.skipUnless(os.geteuid() == 0, "only root can hide the pseudo-terminals from a job")
    def test_without_pseudo_terminals(self):
        script = 'mount --bind /dev/null /dev/ptmx && mount -t tmpfs none /dev/pts && exec "$MPIEXEC" -n 2 echo line'
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script], env=self.environment, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        if done.stderr.startswith(("unshare:", "mount:")):
            self.skipTest(f"the pseudo-terminals cannot be hidden here: {done.stderr.strip()}")
        self.assertEqual((done.returncode, done.stdout), (0, "line\n" * 2), done.stderr)
        self.assertRegex(done.stderr, r"\Ampiexec: rank 0 gets a pipe [^\n]+--stream-buffering full\n\Z")


class FullDevice(LauncherCase):
    SENTENCE = "mpiexec: cannot write to standard output: No space left on device"

    def run_full(self, *words):
        with open("/dev/full", "w", encoding="utf-8") as full:
            return self.run_mpiexec(*words, stdout=full, stderr=subprocess.PIPE, capture_output=False)

    def test_standard_output(self):
        for words in ([], ["--stream-buffering", "full"]):
            for script in ("echo line", "echo line; sleep 60"):
                done = self.run_full("-n", 2, *words, "sh", "-c", script)
                self.assertEqual((done.returncode, done.stderr), (1, f"{self.SENTENCE}; the job is ended\n"))

    def test_help(self):
        done = self.run_full("--help")
        self.assertEqual((done.returncode, done.stderr), (1, self.SENTENCE + "\n"))

    def test_file_of_a_rank(self):
        """The ranks go on; the status tells that output was lost."""
        script = 'trap "" XFSZ; ulimit -f 8; exec "$MPIEXEC" -n 1 -outfile-pattern out sh -c "seq 9999; echo end >&2"'
        done = subprocess.run(["sh", "-c", script], env=self.environment, cwd=self.directory, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        sentence = "mpiexec: cannot write more of the output of rank 0 to its file: File too large\n"
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertCountEqual(done.stderr.splitlines(keepends=True), [sentence, "end\n"])


class Directory(LauncherCase):
    def test_files(self):
        for _ in range(2):  # the second time the directory is there already, and the files are replaced
            done = self.run_mpiexec("-n", 3, "--output-dir", "out", "sh", "-c",
                                    "echo o$PMIX_RANK; echo e$PMIX_RANK >&2")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            found = {path.name: path.read_text(encoding="utf-8") for path in (self.directory / "out").iterdir()}
            self.assertEqual(found, {f"rank.{rank}.{stream}": f"{stream[0]}{rank}\n"
                                     for rank in range(3) for stream in ("out", "err")})

    def test_with_another_working_directory(self):
        (self.directory / "elsewhere").mkdir()
        self.run_mpiexec("-n", 1, "--output-dir", "out", "--wdir", "elsewhere", "echo", "x")
        self.assertEqual((self.directory / "out" / "rank.0.out").read_text(encoding="utf-8"), "x\n")


class SlowReader(LauncherCase):
    FLOOD = "i=0; while [ $i -lt 3000 ]; do echo $PMIX_RANK %01000d; i=$((i+1)); done; touch done.$PMIX_RANK" % 7

    def test_ranks_wait_and_nothing_is_lost(self):
        job = self.start_mpiexec("-n", 2, "sh", "-c", self.FLOOD)
        self.wait_until_quiet()
        self.assertFalse((self.directory / "done.0").exists() and (self.directory / "done.1").exists())
        status, out, _ = self.assert_ends(job)
        self.assertEqual(status, 0)
        self.assertEqual(len(out.splitlines()), 6000)

    def test_other_stream_goes_on(self):
        job = self.start_mpiexec("-n", 1, "sh", "-c", "yes >/dev/fd/1 & echo here >&2; wait")
        self.assertEqual(job.stderr.readline(), "here\n")
        job.terminate()
        job.wait(timeout=PATIENCE)

    def test_failure_is_noticed_while_the_reader_sleeps(self):
        os.mkfifo(self.directory / "go")
        job = self.start_mpiexec("-n", 2, "sh", "-c", "if [ $PMIX_RANK = 0 ]; then yes; fi; read x <go; exit 3")
        self.wait_until_quiet()
        (self.directory / "go").write_bytes(b"")
        self.assertIn("status 3", job.stderr.readline())
        self.assertTrue(eventually(lambda: len(self.processes()) == 2), "ranks still run")
        self.assertEqual(self.assert_ends(job)[0], 3)

    def test_signal_ends_a_job_that_nobody_reads(self):
        job = self.start_mpiexec("-n", 2, "yes")
        self.wait_until_quiet()
        job.terminate()
        job.wait(timeout=PATIENCE)
        self.assertEqual(job.returncode, 128 + 15)

    def test_reader_that_goes_away(self):
        """As without a launcher: who writes on gets SIGPIPE."""
        job = self.start_mpiexec("-n", 2, "yes")
        self.assertEqual(job.stdout.readline(), "y\n")
        job.stdout.close()
        job.wait(timeout=PATIENCE)
        self.assertEqual(job.returncode, 128 + 13)

    def test_shared_descriptions_keep_their_flags(self):
        """mpiexec never blocks, but must not make the pipe of a whole pipeline non-blocking."""
        script = "import fcntl, os; print(bool(fcntl.fcntl(1, fcntl.F_GETFL) & os.O_NONBLOCK))"
        done = subprocess.run(["sh", "-c", f"\"$MPIEXEC\" -n 2 true; {PYTHON} -c '{script}'"], env=self.environment,
                              capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(done.stdout, "False\n")

    def test_file_that_is_appended_to(self):
        done = subprocess.run(["sh", "-c", '(echo a; "$MPIEXEC" -n 1 echo b; echo c) >file'], env=self.environment,
                              cwd=self.directory, timeout=30, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual((self.directory / "file").read_text(encoding="utf-8"), "a\nb\nc\n")


if __name__ == "__main__":
    unittest.main()
