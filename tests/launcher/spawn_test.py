# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that ranks start, in the event loop of the job that asks for them. PMIX_SPAWNER is the program of
pmix_spawner.c, which describes its commands; `/then` separates those of a spawned spawner."""
import os
import pathlib
import re
import resource
import signal
import socket
import stat
import sys
import unittest

from launcher_case import CLIENT, PATIENCE, LauncherCase, eventually

HOST = socket.gethostname()
SPAWNER = os.environ["PMIX_SPAWNER"]
USABLE = sorted(os.sched_getaffinity(0))
STAYS = ("sh", "-c", "touch $0; sleep 60")
THEN = "then"


class SpawnCase(LauncherCase):
    def commands(self, *commands, options=("-n", 1), status=0, err=(), **more):
        """Runs the commands in a rank; returns the lines that appear."""
        words = [word for command in commands for word in (THEN, *command)][1:]
        done = self.run_mpiexec(*options, SPAWNER, *words, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stderr.splitlines(), list(err), done.stdout)
        self.assert_nothing_left()
        return done.stdout.splitlines()

    def start(self, *commands, options=("-n", 1), **more):
        words = [word for command in commands for word in (THEN, *command)][1:]
        return self.start_mpiexec(*options, SPAWNER, *words, **more)

    def finish(self, process, status, *err):
        """Each of `err` begins a line of mpiexec's."""
        got, out, lines = self.assert_ends(process)
        self.assertEqual(got, status, out + lines)
        self.assertEqual(len(lines.splitlines()), len(err), lines)
        for line, begin in zip(lines.splitlines(), err):
            self.assertTrue(line.startswith(f"mpiexec: {begin}"), line)
        self.assert_nothing_left()
        return out.splitlines()

    def spawners(self):
        """The processes that run the spawner."""
        named = (words.partition(": ") for words in self.left())
        return [int(process) for process, _, command in named if command.startswith(SPAWNER)]

    def script(self, name, text):
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(stat.S_IRWXU)
        return path

    def touch(self, name):
        (self.directory / name).touch()


class Start(SpawnCase):
    def test_arguments_and_environment(self):
        show = 'echo "<$1> <$2> $A $B $WITH $PMIX_RANK" | cut -d" " -f1-8; [ $PMIX_NAMESPACE != x ] || echo deceived'
        out = self.commands(
            ("spawn", "env.A=1 2", "env.B=b=c", "env.PMIX_NAMESPACE=x", "--", 2, "sh", "-c", show, "sh", "a b", ""),
            ("end",), options=("-n", 1, "-x", "WITH=parent"))
        self.assertEqual(sorted(out), ["<a b> <> 1 2 b=c parent 0", "<a b> <> 1 2 b=c parent 1", "end: ok 0 ",
                                       "spawn: ok"])

    def test_several_programs_are_one_job(self):
        out = self.commands(("spawn", "--", 2, CLIENT, "keys", "and", "--", 1, CLIENT, "keys"), ("end",),
                            options=("-n", 1, "--usize", 7))
        ranks = sorted((dict(word.split("=", 1) for word in line.split()) for line in out if line.startswith("rank=")),
                       key=lambda keys: keys["rank"])
        self.assertEqual([(keys["app"], keys["app_rank"], keys["size"], keys["universe"]) for keys in ranks],
                         [("0", "0", "3", "7"), ("0", "1", "3", "7"), ("1", "0", "3", "7")])

    def test_children_know_their_parent_and_meet_it(self):
        out = self.commands(("parent",), ("spawn", "--", 2, SPAWNER, "parent", "/then", "meet", "PARENT"),
                            ("meet", "LAST"), ("end",), options=("-n", 1))
        self.assertEqual(sorted(out), ["end: ok 0 ", "meet: ok", "meet: ok", "meet: ok", "parent: none",
                                       "parent: rank 0", "spawn: ok"])

    def test_directories(self):
        (self.directory / "sub" / "deep").mkdir(parents=True)
        self.script("sub/own/here", "echo here in $(basename $PWD)")
        out = self.commands(
            ("spawn", "cwd=sub", "--", 1, "own/here"), ("end",),
            ("spawn", "cwd=sub", "pmix.wdir=deep", "--", 1, "../own/here"), ("end",),
            ("spawn", f"pmix.wdir={self.directory}/sub/deep", "bowline.path=nowhere:../own", "--", 1, "here"), ("end",))
        self.assertEqual([line for line in out if "here" in line], ["here in sub", "here in deep", "here in deep"])

    def test_a_host_file_is_read_at_each_spawn(self):
        hosts = self.directory / "hosts"
        hosts.write_text("nowhere\n", encoding="utf-8")
        process = self.start(("spawn", "pmix.hostfile=hosts", "--", 1, "true"), ("touch", "asked"), ("await", "go"),
                             ("spawn", "pmix.hostfile=hosts", "pmix.addhost=localhost:auto", "--", 1, "true"), ("end",))
        self.wait_for_files("asked")
        hosts.write_text(f"{HOST} slots=2\n", encoding="utf-8")
        self.touch("go")
        out = self.finish(process, 0)
        self.assertRegex(out[1], r"^error: ok 0 host nowhere: is another host")
        self.assertEqual(out[2:], ["spawn: ok", "end: ok 0 "])

    def test_output_is_told_apart(self):
        self.commands(("spawn", "--", 1, "sh", "-c", "echo low; echo high >&2"), ("end",),
                      options=("-n", 1, "--output-dir", "all"))
        self.assertEqual((self.directory / "all/job.1.rank.0.out").read_text(encoding="utf-8"), "low\n")
        self.assertEqual((self.directory / "all/job.1.rank.0.err").read_text(encoding="utf-8"), "high\n")
        self.assertEqual((self.directory / "all/rank.0.out").read_text(encoding="utf-8"), "spawn: ok\nend: ok 0 \n")
        out = self.commands(("spawn", "--", 2, "sh", "-c", "echo low >&2"), ("end",),
                            options=("-n", 1, "--tag-output", "--merge-stderr-to-stdout"))
        self.assertEqual(sorted(out), ["[0]<stdout> end: ok 0 ", "[0]<stdout> spawn: ok", "[1:0]<stdout> low",
                                       "[1:1]<stdout> low"])

    def test_children_read_no_input(self):
        out = self.commands(("spawn", "--", 1, "cat"), ("end",), input="for rank 0\n", stdin=None)
        self.assertEqual(out, ["spawn: ok", "end: ok 0 "])

    def test_a_spawned_rank_spawns(self):
        out = self.commands(("spawn", "--", 1, SPAWNER, "spawn", "--", 1, SPAWNER, "spawn", "--", 1, "echo", "deep",
                             "//then", "end", "/then", "end"), ("end",))
        self.assertIn("deep", out)
        self.assertEqual(out.count("end: ok 0 "), 3)

    @unittest.skipIf(len(USABLE) < 2, "one usable CPU: nothing to choose")
    def test_children_get_other_cores(self):
        show = ("grep", "Cpus_allowed_list", "/proc/self/status")
        every = f"{USABLE[0]}-{USABLE[-1]}"
        options = ("-n", 1, "--bind-to", "core", "--cpu-set", f"{USABLE[0]},{USABLE[1]}")
        spawn = ("spawn", "pmix.bindto=core", "--", 1, *show)
        other = f"Cpus_allowed_list:\t{USABLE[1]}"
        # Again while jobs of other users have these cores.
        self.assertTrue(eventually(lambda: other in self.commands(spawn, ("end",), options=options)))
        if len(USABLE) == USABLE[-1] - USABLE[0] + 1:  # every core is taken: not bound, whatever the number
            for number in (2, len(USABLE) + 1):
                out = self.commands(("spawn", "--", number, *show), ("end",),
                                    options=("-n", len(USABLE), "--bind-to", "core"))
                self.assertEqual(out.count(f"Cpus_allowed_list:\t{every}"), number, out)


class Refusals(SpawnCase):
    def test_each_has_its_sentence(self):
        self.script("plain", "").chmod(0o600)
        (self.directory / "hosts").write_text(f"{HOST}\nnowhere\n", encoding="utf-8")
        exe, place, launch = "EXECUTABLE NOT FOUND", "PROC-FAILED-TO-MAP|JOB FAILED TO MAP|.*MAP.*", ".*LAUNCH.*"
        cases = [
            (("--", 1, "nosuch"), exe, "0 nosuch: no such program in PATH"),
            (("--", 1, "./nosuch"), exe, r"0 \./nosuch: no such program"),
            (("--", 1, "./plain"), exe, r"0 \./plain: is not executable; chmod \+x it, or name its interpreter"),
            (("--", 1, "true", "and", "--", 1, "/"), exe, "1 /: is a directory, not a program"),
            (("--", 0, "true"), launch, "0 maxprocs 0: the number of ranks must be a whole number of at least 1 and "
                                        "at most 1073741824"),
            (("env.=x", "--", 1, "true"), launch, "0 env =x: the name of the variable is missing; .*"),
            (("pmix.wdir=gone", "--", 1, "true"), launch, "0 wdir .*/gone: is not a directory; name an existing one"),
            (("--", 1, "true", "and", "pmix.host=nowhere", "--", 1, "true"), place,
             f"1 host nowhere: is another host, and this mpiexec starts processes on {HOST} only; name that one, or "
             "leave the key out"),
            (("pmix.addhost=:2", "--", 1, "true"), place, "0 host :2: the name of a host is missing"),
            (("pmix.hostfile=hosts", "--", 1, "true"), place, "0 host nowhere: is another host, .*"),
            (("pmix.addhostfile=absent", "--", 1, "true"), place,
             "0 hostfile absent: cannot be read: No such file or directory"),
            (("pmix.host=localhost:2", "--", 3, "true"), place,
             "0 host: 3 processes are asked for, and the named hosts have 2 slots; name more slots, or none"),
            (("pmix.mapby=moon", "--", 1, "true"), place, "0 map_by moon: must be one of .*"),
            (("pmix.rankby=moon", "--", 1, "true"), place, "0 rank_by moon: must be one of .*"),
            (("pmix.bindto=moon", "--", 1, "true", "and", "--", 1, "true"), place, "-1 bind_to moon: must be one .*"),
            (("pmix.ppr=1:node", "--", 2, "true"), place, "0 .*2 ranks are asked for.*"),
            (("pmix.mapby=:nooversubscribe", "--", 4000, "true"), place, "0 map_by :NOOVERSUBSCRIBE: 4000 ranks .*"),
        ]
        out = self.commands(("publish", "there", "yes"), *[("spawn", *words) for words, *_ in cases],
                            ("lookup", "there"), ("spawn", "unknown.key=1", "--", 2, "true"), ("end",),
                            ("lookup", "bowline.spawn-error"))
        self.assertEqual(len(out), 2 * len(cases) + 5, out)
        for index, (words, status, sentence) in enumerate(cases):
            with self.subTest(words=words):
                self.assertRegex(out[1 + 2 * index], rf"^spawn: (?:{status})$")
                self.assertRegex(out[2 + 2 * index], rf"^error: ok {sentence}$")
        self.assertEqual(out[-4:], ["lookup: ok yes", "spawn: ok", "end: ok 0 ", "lookup: NOT-FOUND"])

    def test_a_job_that_cannot_start_is_taken_back(self):
        """The second job's first ranks start; then there are no descriptors any more. The first job goes on."""
        number, limit = 18, 94  # enough for one such job, as mpiexec reckons
        process = self.start(("spawn", "--", number, "sh", "-c", "until [ -e go ]; do sleep 0.01; done"),
                             ("spawn", "--", number, "sleep", 60), ("touch", "refused"), ("await", "go"),
                             ("end",), ("spawn", "--", number, "true"), ("end",),
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        self.wait_for_files("refused")
        self.assertEqual(sum(words.endswith(": sleep 60") for words in self.left()), 0)
        self.touch("go")
        out = self.finish(process, 0)
        self.assertEqual(out[0], "spawn: ok")
        self.assertRegex(out[1], "^spawn: .*LAUNCH")
        self.assertRegex(out[2], "^error: ok -1 cannot start rank [1-9].*Too many open files")
        self.assertEqual(out[3:], ["end: ok 0 ", "spawn: ok", "end: ok 0 "])

    def test_none_while_the_job_is_being_ended(self):
        """Rank 1 shows that mpiexec has passed the signal on."""
        deaf = "trap '' TERM; exec \"$@\""
        process = self.start_mpiexec(
            "-n", 1, "sh", "-c", deaf, "sh", SPAWNER, "touch", "there", THEN, "await", "go", THEN, "spawn", "--", 1,
            "true", ":", "-n", 1, "sh", "-c",
            "trap 'touch got; exit 0' TERM; touch ready; while :; do sleep 0.01; done")
        self.wait_for_files("there", "ready")
        process.send_signal(signal.SIGTERM)
        self.wait_for_files("got")
        self.touch("go")
        _, out, _ = self.assert_ends(process)
        self.assertRegex(out.splitlines()[1], "^error: ok -1 the job that asks for further processes is being ended")


class Names(SpawnCase):
    def test_within_a_job(self):
        out = self.commands(
            ("lookup", "a"), ("publish", "a", "1"), ("publish", "a", "2"), ("lookup", "a"), ("unpublish", "a"),
            ("unpublish", "a"), ("lookup", "a"), ("lookup", "a", 1), ("publish", "f", "3", "first"), ("lookup", "f"),
            ("lookup", "f"), ("publish", "bowline.x", "1"), ("lookup", "bowline.end.nothing"),
            ("publish", "p", "4", "process"), ("lookup", "p"))
        self.assertEqual(out, [
            "lookup: NOT-FOUND", "publish: ok", "publish: DUPLICATE KEY", "lookup: ok 1", "unpublish: ok",
            "unpublish: NOT-FOUND", "lookup: NOT-FOUND", "lookup: TIMEOUT", "publish: ok", "lookup: ok 3",
            "lookup: NOT-FOUND", "publish: NO-PERMISSIONS", "lookup: NOT-FOUND", "publish: ok", "lookup: ok 4"])

    def test_between_jobs(self):
        """A lookup waits for a name. Names of the session stay when their job has ended, others go."""
        child = ("lookup", "of.parent", "wait", "/then", "publish", "own", "1", "job", "/then", "publish", "stays", "2",
                 "/then", "publish", "goes", "3", "app", "/then", "publish", "dies", "4", "proc", "/then", "lookup",
                 "own", "/then", "unpublish", "of.parent")
        out = self.commands(("spawn", "--", 1, SPAWNER, *child), ("publish", "of.parent", "0"), ("lookup", "stays", 20),
                            ("end",), ("lookup", "own"), ("lookup", "stays"), ("lookup", "goes"), ("lookup", "dies"))
        self.assertIn("lookup: ok 0", out)
        self.assertIn("lookup: ok 1", out)
        self.assertIn("unpublish: NOT-FOUND", out)  # it is another job's
        self.assertEqual(out[-5:], ["end: ok 0 ", "lookup: NOT-FOUND", "lookup: ok 2", "lookup: NOT-FOUND",
                                    "lookup: NOT-FOUND"])

    def test_the_end_of_a_job_can_be_asked_for_again(self):
        out = self.commands(("spawn", "--", 1, "sh", "-c", "exit 5"), ("end",), ("end",), status=5,
                            err=[f"mpiexec: job 1: rank 0 on {HOST} exited with status 5"])
        self.assertEqual(out[1:], [f"end: ok 5 rank 0 on {HOST} exited with status 5"] * 2)


class Lifetimes(SpawnCase):
    def test_mpiexec_waits_for_the_children(self):
        process = self.start(("spawn", "--", 1, "sh", "-c", "touch there; until [ -e go ]; do sleep 0.01; done; "
                                                            "echo late"))
        self.wait_for_files("there")
        self.assertTrue(eventually(lambda: not self.spawners()))
        self.assertIsNone(process.poll())
        self.touch("go")
        self.assertEqual(self.finish(process, 0), ["spawn: ok", "late"])

    def test_a_child_that_fails_ends_its_own_children_only(self):
        process = self.start(
            ("spawn", "--", 1, *STAYS, "sibling"),
            ("spawn", "--", 1, SPAWNER, "spawn", "--", 1, *STAYS, "grandchild", "/then", "await", "grandchild", "/then",
             "exit", 4), ("end",), ("touch", "ended"), ("await", "go"), ("exit", 0))
        self.wait_for_files("ended", "sibling")
        left = self.left()
        self.assertEqual([sum(words.endswith(name) for words in left) for name in ("sibling", "grandchild")], [1, 0])
        self.touch("go")  # exits without PMIx_Finalize: that is a failure, which ends the sibling
        out = self.finish(process, 1, f"job 2: rank 0 on {HOST} exited with status 4",
                          "job 3: is ended, because job 2, which has spawned it, has failed",
                          f"rank 0 on {HOST} exited without MPI_Finalize",
                          "job 1: is ended, because job 0, which has spawned it, has failed")
        self.assertEqual(out[-1], f"end: ok 4 rank 0 on {HOST} exited with status 4 without MPI_Finalize")

    def test_an_abort_ends_children_of_jobs_that_have_ended(self):
        """The middle job ends well before, and its child is the first job's then."""
        process = self.start(
            ("spawn", "--", 1, SPAWNER, "spawn", "--", 1, *STAYS, "grandchild"), ("end",), ("await", "grandchild"),
            ("abort", 9))
        self.finish(process, 9, f"rank 0 on {HOST} called MPI_Abort with code 9: enough",
                    "job 2: is ended, because job 0, which has spawned it, has failed")

    def test_a_job_can_outlive_the_one_that_has_spawned_it(self):
        process = self.start(("spawn", "bowline.outlive=true", "--", 1, "sh", "-c",
                              "touch there; until [ -e go ]; do sleep 0.01; done; echo late"), ("await", "there"),
                             ("exit", 3))
        self.wait_for_files("there")
        self.assertTrue(eventually(lambda: not self.spawners()))
        self.touch("go")
        self.assertEqual(self.finish(process, 3, f"rank 0 on {HOST} exited with status 3")[-1], "late")

    def test_an_abort_of_another_rank_while_a_job_starts(self):
        for _ in range(5):
            process = self.start_mpiexec(
                "-n", 1, SPAWNER, "touch", "now", THEN, "spawn", "--", 30, "sleep", 60, THEN, "await", "never", ":",
                "-n", 1, "sh", "-c", f"until [ -e now ]; do :; done; exec {SPAWNER}", ":",
                "-n", 1, "sh", "-c", "until [ -e now ]; do :; done; exit 6")
            got, _, err = self.assert_ends(process)
            self.assertEqual(got, 6, err)
            self.assert_nothing_left()
            (self.directory / "now").unlink()

    def test_a_spawner_that_is_killed_while_it_waits(self):
        process = self.start(("touch", "there"), ("lookup", "never", "wait"))
        self.wait_for_files("there")
        self.wait_until_quiet()
        [spawner] = self.spawners()
        os.kill(spawner, signal.SIGKILL)
        self.finish(process, 137, f"rank 0 on {HOST} was killed by signal 9")

    def start_with_children(self, *options):
        process = self.start(("spawn", "--", 2, "sh", "-c", "touch child.$PMIX_RANK; sleep 60"),
                             ("spawn", "--", 1, SPAWNER, "spawn", "bowline.outlive=true", "--", 1, *STAYS, "deep",
                              "/then", "end"), ("end",), options=(*options, "-n", 1))
        self.wait_for_files("child.0", "child.1", "deep")
        return process

    def test_signals_and_the_time_limit_hold_for_all(self):
        process = self.start_with_children()
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.assert_ends(process)[0], 130)
        self.assert_nothing_left()
        for file in self.directory.glob("*"):
            if file.is_file():
                file.unlink()
        process = self.start_with_children("--timeout", 2)
        self.assertEqual(self.assert_ends(process)[0], 124)
        self.assert_nothing_left()

    def test_nothing_is_left_when_either_process_of_mpiexec_is_killed(self):
        for of_job in (False, True):
            process = self.start_with_children()
            os.kill(self.job_process(process) if of_job else process.pid, signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
            self.assertTrue(eventually(lambda: not self.left() and not os.listdir(self.temporary)))
            for name in ("child.0", "child.1", "deep"):
                (self.directory / name).unlink()


class Many(SpawnCase):
    def footprint(self, job):
        """Its descriptors and threads, the files of the job, and its memory in KiB."""
        proc = pathlib.Path(f"/proc/{job}")
        size = int(re.search(r"VmRSS:\s*(\d+)", (proc / "status").read_text(encoding="utf-8"))[1])
        entries = (len(list(each)) for each in ((proc / "fd").iterdir(), (proc / "task").iterdir(),
                                                self.temporary.rglob("*")))
        return (*entries, size)

    def test_one_after_the_other(self):
        number = 300
        process = self.start(("storm", 20, "true"), ("touch", "warm"), ("await", "go"), ("storm", number, "true"),
                             ("touch", "done"), ("await", "end"))
        self.wait_for_files("warm")
        job = self.job_process(process)
        before = self.footprint(job)
        self.touch("go")
        self.wait_for_files("done")
        self.assertTrue(eventually(lambda: self.footprint(job)[:3] == before[:3]), f"{self.footprint(job)} > {before}")
        after = self.footprint(job)
        if os.environ["SANITIZED"] == "0":
            self.assertLess(after[3] - before[3], 8 * number)
        self.touch("end")
        self.assertEqual(self.finish(process, 0), ["jobs: ok", "jobs: ok"])

    def test_at_once(self):
        self.assertEqual(self.commands(("burst", 40, "true"), ("burst", 10, CLIENT, "init")), ["jobs: ok", "jobs: ok"])

    def test_from_several_ranks_at_once(self):
        done = self.run_mpiexec("-n", 1, SPAWNER, "burst", 20, "true", ":", "-n", 1, "sh", "-c",
                                f"{SPAWNER} & wait", *[":", "-n", 1, SPAWNER] * 2)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Universe(SpawnCase):
    def universe(self, *options, ranks=1, environment=None):
        done = self.run_mpiexec(*options, "-n", ranks, CLIENT, "keys", env=self.environment | (environment or {}))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {int(size) for size in re.findall(r"universe=(\d+)", done.stdout)}

    def test_default(self):
        cores = min(self.universe())
        self.assertEqual(self.universe(ranks=cores + 1), {cores + 1})
        self.assertEqual(self.universe("--host", "localhost:9"), {9})
        self.assertEqual(self.universe("--host", f"localhost:{cores}", ranks=cores + 2), {cores + 2})
        self.assertEqual(self.universe("--cpu-set", USABLE[0]), {1})

    def test_choices(self):
        for words in (("--usize", 5), ("-usize", 5), ("--usize=5",)):
            self.assertEqual(self.universe(*words), {5})
        self.assertEqual(self.universe("--usize", 1, ranks=2), {2})
        self.assertEqual(self.universe("--usize", "system"), self.universe())
        self.assertEqual(self.universe("--usize", "INFINITE"), {1 << 30})
        both = {"MPIEXEC_UNIVERSE_SIZE": "6", "OMPI_UNIVERSE_SIZE": "7"}
        self.assertEqual(self.universe(environment=both), {6})
        self.assertEqual(self.universe(environment={"OMPI_UNIVERSE_SIZE": "7"}), {7})
        self.assertEqual(self.universe("--usize", 5, environment=both), {5})

    def test_bad_values(self):
        for option, value in (("--usize", "0"), ("--usize", "many"), ("--usize", "1073741825"),
                              ("MPIEXEC_UNIVERSE_SIZE", "-1"), ("OMPI_UNIVERSE_SIZE", "2.5")):
            words, more = ([option, value], {}) if option.startswith("-") else ([], {option: value})
            done = self.run_mpiexec(*words, "true", env=self.environment | more)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr, f"mpiexec: {option} {value}: the size of the universe, if not system or "
                                          "infinite, must be a whole number of at least 1 and at most 1073741824\n")


class EndWithDescriptor(SpawnCase):
    def start_with_pipe(self, *command):
        reader, writer = os.pipe()
        process = self.start_mpiexec("--end-with-descriptor", reader, *command, pass_fds=[reader])
        os.close(reader)
        return process, writer, reader

    def test_the_end_of_the_file_ends_all_silently(self):
        process, writer, _ = self.start_with_pipe("-n", 1, SPAWNER, "spawn", "--", 1, *STAYS, "there", THEN, "end")
        self.wait_for_files("there")
        os.write(writer, b"this has no meaning")
        self.wait_until_quiet()
        self.assertIsNone(process.poll())
        os.close(writer)
        self.finish(process, 128 + signal.SIGTERM)

    def test_ranks_do_not_inherit_it(self):
        look = "import os, sys; sys.exit(os.path.exists('/proc/self/fd/' + sys.argv[1]))"
        reader, writer = os.pipe()
        high = os.dup2(reader, 200)
        done = self.run_mpiexec("--end-with-descriptor", high, "-n", 2, sys.executable, "-c", look, high,
                                pass_fds=[high])
        for each in (reader, writer, high):
            os.close(each)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_ranks_that_do_not_end_are_killed(self):
        process, writer, _ = self.start_with_pipe("--grace", 0.2, "-n", 1, "sh", "-c",
                                                  "trap '' TERM; touch there; while :; do sleep 0.01; done")
        self.wait_for_files("there")
        os.close(writer)
        self.finish(process, 128 + signal.SIGTERM)

    def test_bad_values(self):
        for value, words in (("2", "the descriptor must be a whole number of at least 3 and at most 1048576"),
                             ("x", "the descriptor must be a whole number of at least 3 and at most 1048576"),
                             ("999", "is not open; name a descriptor that mpiexec inherits")):
            done = self.run_mpiexec("--end-with-descriptor", value, "true")
            self.assertEqual((done.returncode, done.stderr), (2, f"mpiexec: --end-with-descriptor {value}: {words}\n"))


if __name__ == "__main__":
    unittest.main()
