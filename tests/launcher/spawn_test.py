# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that ranks start: what they get, what is refused, and names that ranks publish."""
import os
import resource
import signal
import socket
import unittest

from launcher_case import CLIENT
from spawn_case import SPAWNER, THEN, SpawnCase

HOST = socket.gethostname()
USABLE = sorted(os.sched_getaffinity(0))


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
        self.assertIn(other, self.commands(spawn, ("end",), options=options))
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


if __name__ == "__main__":
    unittest.main()
