# SPDX-License-Identifier: BSD-3-Clause
"""bowline-info tells the truth about the library, in a form that scripts can read. INFO names the program."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

INFO = os.environ["INFO"]


def info(*arguments, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BOWLINE_")} | variables
    return subprocess.run([INFO, *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=30, check=False)


class Info(unittest.TestCase):
    def lines(self, *arguments, **variables):
        done = info(*arguments, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_overview(self):
        text = "\n".join(self.lines())
        self.assertRegex(text, r"version +Bowline \d+\.\d+\.\d+")
        self.assertRegex(text, r"build +\S+ [\d.]+")
        for transport in ("self", "shm", "ucx"):
            self.assertRegex(text, rf"(?m)^  {transport} +\S+")
        self.assertRegex(text, r"(?m)^pmix +/\S+/libpmix\.so\.2$")
        self.assertRegex(text, r"\d+ of 503 functions, \d+ of 662 entry points")
        text = "\n".join(self.lines(BOWLINE_PMIX="/nowhere/libpmix.so.2"))
        self.assertRegex(text, r"(?m)^pmix +none: .* but /nowhere/libpmix\.so\.2: cannot open")

    def test_full_device(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for words in ([], ["--tunables"], ["--help"]):
                done = subprocess.run([INFO, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                      check=False)
                self.assertEqual((done.returncode, done.stderr),
                                 (1, "bowline-info: cannot write to standard output: No space left on device\n"))

    def test_version(self):
        self.assertEqual(len(self.lines("--version")), 1)

    def test_coverage_adds_up(self):
        missing, implemented = self.lines("--coverage=missing"), self.lines("--coverage", "implemented")
        self.assertEqual(len(missing) + len(implemented), 662)
        self.assertEqual(len(set(missing + implemented)), 662)
        self.assertIn("MPI_Send", implemented)
        functions = [name for name in implemented if not (name.endswith("_c") and name[:-2] in implemented + missing)]
        summary = re.fullmatch(r"coverage +(\d+) of 503 functions, (\d+) of 662 entry points with large count",
                               self.lines("--coverage=summary")[0])
        self.assertEqual((int(summary[1]), int(summary[2])), (len(functions), len(implemented)))
        listed = [line.split() for line in self.lines("--coverage")[1:]]
        self.assertEqual(sorted(name for state, name in listed if state == "missing"), sorted(missing))

    def test_variables(self):
        lines = self.lines("--variables")
        self.assertIn("    BOWLINE_COLLECTIVES (control; for tuners; may change before MPI starts; equal at all ranks)",
                      lines)
        self.assertIn("    BOWLINE_LOG_LEVEL (control; for users; may change at any time)", lines)
        self.assertIn("    unexpected_recvq_length (performance; level)", lines)
        self.assertIn("    wait_ended (event; process, context, nanoseconds)", lines)
        tunables = [line.split()[0] for line in self.lines("--tunables") if " = " in line and line.startswith("  B")]
        controls = [line.split()[0] for line in lines if " (control; " in line]
        self.assertEqual(sorted(controls), sorted(tunables))

    def test_the_page_of_variables(self):
        """Of a build with all networks: others lack what belongs to the networks that they lack."""
        with open(os.environ["PAGE"], encoding="utf-8") as page:
            expected = page.read().splitlines()
        printed = self.lines("--variables=markdown")
        missing = [line for line in expected if line not in printed and "ucx" not in line.lower()
                   and "verbs" not in line.lower()]
        self.assertEqual([line for line in printed if line not in expected], [], "docs/variables.md lacks these lines")
        self.assertEqual(missing, [], "docs/variables.md has these lines, which nothing declares")

    def test_the_document_of_variables(self):
        """It has the same as the text."""
        document = json.loads("\n".join(self.lines("--variables=json")))
        variables = [each for category in document["categories"] for each in category["variables"]]
        listed = [f"    {each['name']} ({'; '.join(filter(None, [each['kind'], each.get('traits')]))})"
                  for each in variables]
        self.assertEqual(listed, [line for line in self.lines("--variables") if re.match(r"    \S", line)])
        limit = next(each for each in variables if each["name"] == "BOWLINE_EAGER_LIMIT")
        self.assertEqual((limit["default"], limit["allowed"]), ("8192", "0 to 1048576"))
        self.assertIn("BOWLINE_MPIEXEC", [each["name"] for each in document["other_variables"]])

    def test_tunables(self):
        text = "\n".join(self.lines("--tunables"))
        self.assertRegex(text, r"BOWLINE_EAGER_LIMIT = \d+\n +\S.*\(default \d+, allowed \d+ to \d+\)")
        changed = "\n".join(self.lines("--tunables", BOWLINE_EAGER_LIMIT="1K"))
        self.assertIn("BOWLINE_EAGER_LIMIT = 1024", changed)

    def test_tunable_out_of_range(self):
        done = info("--tunables", BOWLINE_EAGER_LIMIT="-1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("BOWLINE_EAGER_LIMIT", done.stderr)

    def protocols(self, **variables):
        """By transport and name of the protocol: what is said of it."""
        table = {}
        for line in self.lines("--protocols", **variables):
            if line.startswith("long messages between"):
                break
            if heading := re.fullmatch(r"protocols over (\w+) \(.*\)", line):
                rows = table.setdefault(heading[1], {})
            else:
                name, said = line.split(maxsplit=1)
                rows[name] = re.sub(" +", " ", said)
        return table

    def test_protocols(self):
        table = self.protocols()
        self.assertEqual(list(table), ["self", "shm", "ucx"])
        for rows in table.values():
            self.assertEqual(list(rows), ["eager_inline", "eager_copy", "rendezvous_get", "rendezvous_put",
                                          "rendezvous_single_copy", "rendezvous_single_copy_by_both",
                                          "rendezvous_long_pieces", "rendezvous_pipeline"])
        shm = table["shm"]
        self.assertRegex(shm["eager_inline"], r"\Aserves 0 to 40, used for 0 to 40: \S.*")
        self.assertRegex(shm["eager_copy"], r"\Aserves 41 to 8192, used for 41 to 8192: \S.*")
        self.assertRegex(shm["rendezvous_get"], r"\Anot offered by this transport\b.*: \S")
        for name in ("rendezvous_single_copy", "rendezvous_single_copy_by_both", "rendezvous_long_pieces",
                     "rendezvous_pipeline"):
            self.assertRegex(shm[name], r"\Aserves any length, used for 8193 and more, if it is the fastest: \S.*")
        self.assertRegex(table["self"]["rendezvous_single_copy"], r"serves any length, used for 8193 and more: \S.*")
        self.assertIn("used for none unless others fail:", table["self"]["rendezvous_pipeline"])

    def windows(self, **variables):
        """By kind of window and place of the target: the paths of puts and gets, and of accumulates."""
        table = {}
        for line in self.lines("--windows", **variables):
            if not line.startswith(" "):
                rows = table.setdefault(line.removeprefix("windows of "), {})
            elif row := re.fullmatch(r"  (\S.*?) +puts and gets (\w+) +accumulates (\w+) +\S.*", line):
                rows[row[1]] = (row[2], row[3])
        return table

    def test_windows(self):
        table = self.windows()
        self.assertEqual(list(table), ["MPI_Win_allocate and MPI_Win_allocate_shared", "MPI_Win_create",
                                       "MPI_Win_create_dynamic", "locks"])
        neighbour, elsewhere = "a process of this node", "another node, adapters that access memory"
        self.assertEqual(table["MPI_Win_allocate and MPI_Win_allocate_shared"][neighbour], ("mapped", "mapped"))
        self.assertEqual(table["MPI_Win_create"][neighbour], ("single_copy", "single_copy"))
        self.assertEqual(table["MPI_Win_create"][elsewhere], ("adapter", "messages"))
        self.assertEqual(table["MPI_Win_create_dynamic"][elsewhere], ("messages", "messages"))

    def test_windows_follow_the_tunables(self):
        for rows in list(self.windows(BOWLINE_RMA_PATH="messages").values())[:3]:
            self.assertEqual({path for place, path in rows.items() if place != "the process itself"},
                             {("messages", "messages")})
        created = self.windows(BOWLINE_CROSS_MEMORY_ATTACH="0")["MPI_Win_create"]
        self.assertEqual(created["a process of this node"], ("messages", "messages"))
        allocated = self.windows(BOWLINE_RMA_PATH="adapter")["MPI_Win_allocate and MPI_Win_allocate_shared"]
        self.assertEqual(allocated["another node, other networks"], ("adapter", "messages"))

    def paths(self, **variables):
        """What is said of long messages by each path: the title, the names of the paths, and the rows as numbers."""
        lines = self.lines("--protocols", **variables)
        begin = next(i for i, line in enumerate(lines) if line.startswith("long messages between"))
        title, names, *rows = lines[begin:]
        return title, names.split()[1:], [row.replace(", us", "").replace(", GB/s", "").split() for row in rows]

    def test_paths_of_long_messages_are_measured(self):
        title, names, rows = self.paths()
        self.assertIn("ranks choose the path with a star", title)
        self.assertEqual(names, ["short_pieces", "long_pieces", "single_copy", "single_copy_by_both"])
        self.assertEqual([row[0] for row in rows[::2]], ["16384", "65536", "262144", "1048576", "4194304"])
        for row in rows:
            numbers = row[-4:]
            self.assertEqual(sum("*" in number for number in numbers), 1, row)
            best = (min if "alone" in row else max)(float(number.rstrip("*")) for number in numbers if number != "-")
            self.assertEqual(float(next(number for number in numbers if "*" in number).rstrip("*")), best, row)

    def test_nobody_goes_on_measuring_alone(self):
        with subprocess.Popen([INFO, "--protocols"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as measuring:
            children = pathlib.Path(f"/proc/{measuring.pid}/task/{measuring.pid}/children")
            deadline = time.monotonic() + 30
            while not (child := children.read_text(encoding="ascii").split()):
                self.assertLess(time.monotonic(), deadline)
            measuring.kill()
        while pathlib.Path(f"/proc/{child[0]}").exists():
            if time.monotonic() > deadline:
                os.kill(int(child[0]), signal.SIGKILL)
                self.fail("the other process of the measurement goes on for ever")
            time.sleep(0.01)

    def test_paths_that_are_pinned_or_impossible_say_so(self):
        title, _, rows = self.paths(BOWLINE_LONG_MESSAGES="long_pieces", BOWLINE_CROSS_MEMORY_ATTACH="0")
        self.assertIn("has all of them go as long_pieces", title)
        self.assertTrue(all(row[-2:] == ["-", "-"] for row in rows), rows)

    def test_protocols_follow_the_tunables(self):
        shm = self.protocols(BOWLINE_EAGER_LIMIT="1K", BOWLINE_LONG_MESSAGES="single_copy")["shm"]
        self.assertIn("serves 41 to 1024, used for 41 to 1024:", shm["eager_copy"])
        self.assertTrue(shm["rendezvous_put"].startswith("not offered by this transport"), shm["rendezvous_put"])
        self.assertIn("serves any length, used for 1025 and more:", shm["rendezvous_single_copy"])
        self.assertIn("serves any length, used for none unless others fail:", shm["rendezvous_pipeline"])

    def test_protocols_without_access_to_memory(self):
        shm = self.protocols(BOWLINE_CROSS_MEMORY_ATTACH="0")["shm"]
        for name in "rendezvous_single_copy", "rendezvous_single_copy_by_both":
            self.assertTrue(shm[name].startswith("not offered by this transport"), shm[name])
        self.assertIn("used for 8193 and more", shm["rendezvous_pipeline"])

    def test_protocols_with_rings_too_small_for_the_eager_limit(self):
        shm = self.protocols(BOWLINE_EAGER_LIMIT="1M", BOWLINE_SHM_RING_SIZE="8K")["shm"]
        self.assertIn("serves 41 to 1912, used for 41 to 1912:", shm["eager_copy"])

    def test_protocols_without_eager_messages(self):
        shm = self.protocols(BOWLINE_EAGER_LIMIT="0")["shm"]
        self.assertIn("used for 0 to 0:", shm["eager_inline"])
        self.assertTrue(shm["eager_copy"].startswith("not offered"), shm["eager_copy"])
        self.assertIn("used for 1 and more, if it is the fastest:", shm["rendezvous_pipeline"])

    def collectives(self, *arguments, **variables):
        """By operation: the lines below it."""
        table = {}
        for line in self.lines("--collectives", *arguments, **variables)[1:]:
            if line.startswith(" "):
                rows.append(re.sub(r"^any length: +", "any length: ", line.strip()))
            else:
                rows = table.setdefault(line, [])
        return table

    def test_collectives(self):
        table = self.collectives()
        self.assertEqual(len(table), 18)
        self.assertTrue(any(re.match(r"dissemination +\S", row) for row in table["barrier"]), table["barrier"])
        self.assertIn("rule: barrier oversubscribed = central", table["barrier"])
        for operation, rows in table.items():
            rules = [row for row in rows if row.startswith("rule:")]
            for rule in rules:
                name = re.fullmatch(rf"rule: {operation}\b.* = (\w+)(:\w+)?", rule)[1]
                self.assertTrue(any(row.split()[0] == name for row in rows if row not in rules), rule)
        self.assertEqual(self.collectives("--op", "barrier"), {"barrier": table["barrier"]})

    def test_collectives_what_runs(self):
        self.assertEqual(self.collectives("--op=barrier", "--ranks=4"), {"barrier": ["any length: flags"]})
        self.assertEqual(self.collectives("--op=barrier", "--ranks=99"), {"barrier": ["any length: groups"]})
        self.assertEqual(self.collectives("--op=barrier", "--ranks=999"), {"barrier": ["any length: dissemination"]})
        self.assertEqual(self.collectives("--op=barrier", "--ranks=999", "--oversubscribed"),
                         {"barrier": ["any length: central"]})
        self.assertEqual(self.collectives("--op=barrier", "--ranks=4", "--oversubscribed", "--several-nodes"),
                         {"barrier": ["any length: hierarchical"]})
        self.assertEqual(len(self.collectives("--ranks=4", "--bytes=8K", "--ordered")), 18)

    def test_collectives_say_what_ranks_compare(self):
        rows = self.collectives("--op=bcast", "--ranks=2")["bcast"]
        self.assertEqual([re.sub(" +", " ", row) for row in rows],
                         ["0 to 4096: slots", "4097 and more: slots, compared with single_copy"])
        rows = self.collectives("--op=bcast", "--ranks=2", BOWLINE_COLL_COMPARE="0")["bcast"]
        self.assertEqual(rows, ["any length: slots"])

    def test_collectives_say_what_ranks_on_several_nodes_compare(self):
        rows = self.collectives("--op=alltoall", "--ranks=4", "--several-nodes")["alltoall"]
        self.assertEqual([re.sub(" +", " ", row) for row in rows],
                         ["0 to 4096: spread", "4097 to 32768: spread, compared with pairwise",
                          "32769 and more: pairwise, compared with spread"])
        rows = self.collectives("--op=bcast", "--ranks=2", "--several-nodes", "--bytes=1M")["bcast"]
        self.assertIn("compared with chain:8K and chain:64K", rows[0])
        rows = self.collectives("--op=allreduce", "--ranks=4", "--several-nodes")["allreduce"]
        self.assertNotIn("compared", "".join(rows))

    def test_collectives_follow_the_users_rules(self):
        rules = "allreduce bytes>=4K bytes<=64K = reduce_bcast, allreduce = recursive_doubling"
        rows = self.collectives("--op", "allreduce", "--ranks", "16", BOWLINE_COLLECTIVES=rules)["allreduce"]
        self.assertEqual([re.sub(" +", " ", row) for row in rows],
                         ["0 to 4095: recursive_doubling", "4096 to 65536: reduce_bcast",
                          "65537 and more: recursive_doubling"])
        rows = self.collectives("--op", "allreduce", BOWLINE_COLLECTIVES=rules)["allreduce"]
        self.assertIn("user's rule: allreduce bytes>=4K bytes<=64K = reduce_bcast", rows)
        rows = self.collectives("--op=allreduce", "--ranks=2", "--bytes=8K", BOWLINE_COLLECTIVES=rules)["allreduce"]
        self.assertEqual([re.sub(" +", " ", row) for row in rows], ["8192 bytes: reduce_bcast"])

    def test_collectives_from_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".rules") as file:
            file.write("# all of them\nbarrier = central\n")
            file.flush()
            self.assertEqual(self.collectives("--op=barrier", "--ranks=2", BOWLINE_COLLECTIVES_FILE=file.name),
                             {"barrier": ["any length: central"]})
            file.write("barrier = centre\n")
            file.flush()
            done = info("--collectives", BOWLINE_COLLECTIVES_FILE=file.name)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"\Abowline-info: {file.name}:3: .*\"centre\".*dissemination.*\n\Z")

    def test_doctor(self):
        done = info("--doctor")
        broken = "BROKEN" in done.stdout
        self.assertEqual(done.returncode, 1 if broken else 0)
        for word in ("cores", "shared memory", "cross-memory attach", "locked memory"):
            self.assertRegex(done.stdout, rf"(?m)^  (good|slower|BROKEN) +{word}: \S")

    def test_doctor_counts_usable_cores(self):
        one = {next(iter(os.sched_getaffinity(0)))}
        done = subprocess.run([INFO, "--doctor"], capture_output=True, text=True, timeout=30, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, one))
        self.assertIn(f"cores: 1 of {os.sysconf('SC_NPROCESSORS_ONLN')} CPUs", done.stdout)

    def test_all(self):
        text = info("--all").stdout
        for part in ("version ", "transports", "coverage ", "protocols over shm", "algorithms of the", "tunables ",
                     "this node"):
            self.assertIn(part, text)
        self.assertRegex(text, r"(?m)^  ucx       (ready: (through the kernel|with an RDMA)|cannot be used, so all)")

    def test_bad_input(self):
        number = "must be a whole number from {} to {}, such as 64 or 4K (K, M, G may follow)"
        ranks, length = number.format(1, 2147483647), number.format(0, 1 << 60)
        collectives = ["--collectives", "--ranks=2"]
        for arguments, sentence in (
                (["--nonsense"], "--nonsense is no option; bowline-info --help lists them"),
                (["-x"], "-x is no option; bowline-info --help lists them"),
                (["extra"], "extra is no option; bowline-info --help lists them"),
                ([""], "an empty argument is no option; bowline-info --help lists them"),
                (["--help=xml"],
                 '--help: "xml" is no form: write json, or nothing; bowline-info --help lists the options'),
                (["--variables=xml"], "--variables xml: must be text, markdown or json"),
                (["--coverage=some"], "--coverage some: must be one of all, implemented, missing, summary"),
                (["--collectives", "--op=allreduse"], r"--op allreduse: must be one of barrier, bcast, .*"),
                (["--collectives", "--op"], "--op needs a value behind it; bowline-info --help says which"),
                (["--op=bcast"], "--op says nothing without --collectives: give both"),
                (["--ranks=2"], "--ranks says nothing without --collectives: give both"),
                (["--collectives", "--bytes=8"], "--bytes says nothing without --ranks N: give both"),
                (["--collectives", "--oversubscribed"], "--oversubscribed says nothing without --ranks N: give both"),
                (["--collectives", "--several-nodes"], "--several-nodes says nothing without --ranks N: give both"),
                (["--collectives", "--ordered"], "--ordered says nothing without --ranks N: give both"),
                (["--collectives", "--ranks=0"], f"--ranks 0: {ranks}"),
                (["--collectives", "--ranks=-1"], f"--ranks -1: {ranks}"),
                (["--collectives", "--ranks=3000000000"], f"--ranks 3000000000: {ranks}"),
                (["--collectives", "--ranks=two"], f"--ranks two: {ranks}"),
                ([*collectives, "--bytes=8B"], f"--bytes 8B: {length}"),
                ([*collectives, "--bytes=2.5"], f"--bytes 2.5: {length}"),
                ([*collectives, "--bytes=99999999999G"], f"--bytes 99999999999G: {length}"),
                (["--tunables=x"], "--tunables takes no value: leave it away"),
                (["--doctor=1"], "--doctor takes no value: leave it away")):
            with self.subTest(arguments=arguments):
                done = info(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                expected = sentence if ".*" in sentence else re.escape(sentence)
                self.assertRegex(done.stderr, rf"\Abowline-info: {expected}\n\Z")

    def test_the_last_of_two_values_counts(self):
        self.assertEqual(info("--collectives", "--op=bcast", "--ranks=2", "--ranks=4").stdout,
                         info("--collectives", "--op=bcast", "--ranks=4").stdout)


if __name__ == "__main__":
    unittest.main()
