"""Proves the drivers of python3 and node against a fake supervisor.

Run as `python3 test_drivers.py [words of test names]`. PYTHON and NODE name
the interpreters to test with.
"""
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ASSETS = os.path.join(HERE, "..", "..", "assets", "shells")
PYTHON = os.environ.get("PYTHON", sys.executable)
NODE = os.environ.get("NODE", "node")
LIMIT = 30

DECK = """#!/bin/sh
[ "$1 $2 $3" = "job run --" ] || exit 99
shift 3
exec "$@"
"""


def eventually(condition, what):
    """Waits for something outside that nothing tells us about."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, "waited in vain: " + what
        time.sleep(0.005)


def reader(path):
    os.mkfifo(path)
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK)


class Job:
    """One request, seen from the supervisor's side."""

    def __init__(self, shell, number, code, cwd=None, env=None, stdin=None,
                 merge=False):
        self.id = "job-sess_test-%d" % number
        self.folder = os.path.join(shell.root, "jobs", str(number))
        os.makedirs(self.folder)
        with open(os.path.join(self.folder, "code"), "wb") as file:
            file.write(code if isinstance(code, bytes) else code.encode())
        self.fds = {name: reader(os.path.join(self.folder, name))
                    for name in ("out", "err", "done") if not (merge and name == "err")}
        self.data = {"out": bytearray(), "err": bytearray(), "done": bytearray()}
        self.open = set(self.fds)
        self.ended_streams = set()
        self.shell = shell
        self.request = {"job": self.id, "folder": self.folder, "cwd": cwd,
                        "env": env or {}, "stdin": stdin, "merge": merge,
                        "deck": shell.deck}

    def send(self):
        self.shell.send(self.request)
        return self

    def read(self, timeout):
        poll = select.poll()
        names = {}
        for name in self.open:
            poll.register(self.fds[name], select.POLLIN)
            names[self.fds[name]] = name
        ready = poll.poll(timeout * 1000)
        for fd, _ in ready:
            self.take(names[fd])
        return ready

    def take(self, name):
        try:
            data = os.read(self.fds[name], 1 << 20)
        except BlockingIOError:
            return
        if data:
            self.data[name] += data
        else:
            self.open.discard(name)

    def until(self, condition, what):
        end = time.monotonic() + LIMIT
        while not condition():
            left = end - time.monotonic()
            assert left > 0, "waited in vain: %s; %r" % (what, self.shortened())
            assert self.shell.process.poll() is None, \
                "the driver died: %r" % self.shortened()
            self.read(min(left, 1))

    def shortened(self):
        return {name: bytes(data[-2000:]) for name, data in self.data.items()}

    def wait_for(self, text):
        self.until(lambda: text.encode() in self.data["out"], text)
        return self

    def wait(self):
        self.until(lambda: "done" not in self.open, "done of " + self.id)
        while self.read(0) and self.open:
            pass
        self.out = self.data["out"].decode("utf-8", "replace")
        self.err = self.data["err"].decode("utf-8", "replace")
        lines = self.data["done"].decode().splitlines()
        assert len(lines) == 1, "done: %r" % lines
        answer = json.loads(lines[0])
        assert set(answer) == {"exit", "cwd"}, answer
        self.exit, self.cwd = answer["exit"], answer["cwd"]
        self.close()
        return self

    def close(self, *names):
        for name in names or list(self.fds):
            os.close(self.fds.pop(name))
            self.open.discard(name)


class Shell:
    def __init__(self, command, driver, env=None):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="drivers-"))
        self.work = os.path.join(self.root, "work")
        os.mkdir(self.work)
        self.deck = os.path.join(self.root, "deck")
        with open(self.deck, "w") as file:
            file.write(DECK)
        os.chmod(self.deck, 0o755)
        self.driver = os.path.realpath(os.path.join(ASSETS, driver))
        requests = os.path.join(self.root, "requests")
        os.mkfifo(requests)
        self.requests = os.open(requests, os.O_RDWR)
        self.count = 0
        life = os.path.join(self.root, "life")
        os.mkfifo(life)
        # Both ways, as deck does: it has no end.
        stdin = os.open(life, os.O_RDWR)
        self.life = os.open(life, os.O_WRONLY)
        self.process = subprocess.Popen(
            [*command, self.driver, requests], stdin=stdin,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=self.work, start_new_session=True, env=env)
        os.close(stdin)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.life)
        os.close(self.requests)
        shutil.rmtree(self.root, ignore_errors=True)

    def send(self, request):
        os.write(self.requests, json.dumps(request).encode() + b"\n")

    def job(self, code, **more):
        self.count += 1
        return Job(self, self.count, code, **more)

    def start(self, code, **more):
        return self.job(code, **more).send()

    def run(self, code, **more):
        return self.start(code, **more).wait()

    def interrupt(self):
        os.kill(self.process.pid, signal.SIGINT)

    def ends(self):
        """The driver's exit after something came to its stdin."""
        os.write(self.life, b"end")
        return self.process.wait(LIMIT)

    def fine(self, code, out=None, **more):
        job = self.run(code, **more)
        assert (job.exit, job.err) == (0, ""), (job.exit, job.out[-500:], job.err)
        if out is not None:
            assert job.out == out, job.out
        return job

    def fails(self, code, exit=1, **more):
        job = self.run(code, **more)
        assert job.exit == exit, (job.exit, job.out[-500:], job.err)
        assert "driver." not in job.err, job.err
        return job


def python(*args):
    env = {name: value for name, value in os.environ.items()
           if name != "PYTHONUNBUFFERED"}
    return Shell([PYTHON, *args], "python3/driver.py", env)


def node(*args):
    return Shell([NODE, *args], "node/driver.mjs")


TESTS = []


def test(*shells):
    """Runs the function with a new shell of each kind."""
    def add(function):
        TESTS.extend((function, shell) for shell in shells)
        return function
    return add


def is_node(sh):
    return sh.driver.endswith("mjs")


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


# Both

@test(python, node)
def state_stays(sh):
    sh.fine("x = 41", "" if not is_node(sh) else "41\n")
    sh.fine("x + 1", "42\n")


@test(python, node)
def ends_with_its_stdin_when_idle(sh):
    sh.fine("1")
    assert sh.ends() == 0


@test(python, node)
def ends_with_its_stdin_before_any_job(sh):
    sh.ends()


@test(python, node)
def ends_with_its_stdin_while_code_runs(sh):
    code = "console.log('go'); while(true){}" if is_node(sh) else \
        "print('go', flush=True)\nwhile True: pass"
    sh.start(code).wait_for("go\n")
    begin = time.monotonic()
    sh.ends()
    assert time.monotonic() - begin < 5


@test(python, node)
def ends_with_its_stdin_while_it_waits_for_a_command(sh):
    code = "console.log('go'); require('child_process').spawnSync('sleep', ['60'])" \
        if is_node(sh) else \
        "import subprocess\nprint('go', flush=True)\nsubprocess.run(['sleep', '60'])"
    sh.start(code).wait_for("go\n")
    begin = time.monotonic()
    sh.ends()
    assert time.monotonic() - begin < 5


@test(python, node)
def ends_with_its_stdin_while_output_blocks(sh):
    job = sh.start("process.stdout.write('x'.repeat(1e7))" if is_node(sh)
                   else "print('x' * 10**7)")
    poll = select.poll()
    poll.register(job.fds["out"], select.POLLIN)
    assert poll.poll(LIMIT * 1000)
    sh.ends()
    job.close()


@test(python, node)
def argv_is_an_interpreter_s(sh):
    if is_node(sh):
        sh.fine("process.argv.length === 1 && process.argv[0] === process.execPath",
                "true\n")
    else:
        sh.fine("import sys; (sys.argv, sys.path[0], __name__)",
                "([''], '', '__main__')\n")


@test(python, node)
def modules_come_from_the_work_directory(sh):
    write(os.path.join(sh.work, "mine.py"), "value = 7")
    write(os.path.join(sh.work, "mine.js"), "exports.value = 7")
    sh.fine("require('./mine').value" if is_node(sh) else
            "import mine; mine.value", "7\n")


@test(python, node)
def stdin_of_the_holder_is_out_of_reach(sh):
    if is_node(sh):
        sh.fine("require('fs').readFileSync(0, 'utf8')", "''\n")
        sh.fine("require('child_process').execSync('cat; ls /proc/self/fd | wc -l',"
                "{stdio: ['inherit', 'pipe', 'inherit']}).toString()", "'4\\n'\n")
    else:
        sh.fine("import sys; sys.stdin.read()", "''\n")
        assert "EOFError" in sh.fails("input()").err
        sh.fine("import subprocess; subprocess.run('cat; ls /proc/self/fd | wc -l',"
                "shell=True).returncode", "4\n0\n")


@test(python, node)
def stdin_from_a_file(sh):
    path = os.path.join(sh.root, "in")
    write(path, "one\ntwo\n")
    code = "require('fs').readFileSync(0, 'utf8')" if is_node(sh) else \
        "input() + input()"
    sh.fine(code, "'one\\ntwo\\n'\n" if is_node(sh) else "'onetwo'\n", stdin=path)
    # The next job has none again.
    if is_node(sh):
        sh.fine(code, "''\n")
    else:
        assert "EOFError" in sh.fails("input()").err
    # The whole file again, whatever an earlier job read ahead.
    sh.fine("require('child_process').execSync('cat', {stdio: [0, 'pipe', 2]}) + ''"
            if is_node(sh) else "import sys; sys.stdin.read()",
            "'one\\ntwo\\n'\n", stdin=path)


@test(python, node)
def stdin_from_a_fifo(sh):
    path = os.path.join(sh.root, "in")
    os.mkfifo(path)
    code = """console.log('go'); let all = '';
        for await (const part of process.stdin) all += part; all""" \
        if is_node(sh) else "import sys; print('go', flush=True); sys.stdin.read()"
    for text in (b"first", b"second"):
        writer = os.open(path, os.O_RDWR)
        job = sh.start(code, stdin=path).wait_for("go\n")
        os.write(writer, text)
        os.close(writer)
        job.wait()
        assert job.out == "go\n'%s'\n" % text.decode(), (job.out, job.err)


@test(python, node)
def stdin_that_is_missing(sh):
    assert "/no/such" in sh.fails("1", stdin="/no/such").err
    socket_path = os.path.join(sh.root, "socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(socket_path)  # is there, but can't be opened
        sh.fails("1", stdin=socket_path)
    sh.fine("2", "2\n")


@test(python, node)
def both_streams(sh):
    job = sh.run(
        "console.log('o'); console.error('e')" if is_node(sh) else
        "import sys; print('o'); print('e', file=sys.stderr)")
    assert (job.exit, job.out, job.err) == (0, "o\n", "e\n"), (job.out, job.err)


@test(python, node)
def merged_streams_stand_in_order(sh):
    code = """for (let i = 0; i < 3; i++) { console.log('o'); console.error('e') }
        require('child_process').execSync('echo c; echo d >&2', {stdio: 'inherit'})
        console.log('end')""" if is_node(sh) else """
import sys, subprocess
for i in range(3):
    print('o'); print('e', file=sys.stderr)
_ = subprocess.run('echo c; echo d >&2', shell=True)
print('end')"""
    sh.fine(code, "o\ne\no\ne\no\ne\nc\nd\nend\n", merge=True)
    job = sh.run("console.log('o'); console.error('e')" if is_node(sh) else
                 "print('o'); print('e', file=sys.stderr)")
    assert (job.out, job.err) == ("o\n", "e\n")


@test(python, node)
def subprocesses_inherit_the_streams(sh):
    code = "require('child_process').spawnSync('sh', ['-c', 'echo o; echo e >&2']," \
        "{stdio: 'inherit'}).status" if is_node(sh) else \
        "import os; os.system('echo o; echo e >&2')"
    for _ in range(2):
        job = sh.run(code)
        assert (job.exit, job.out, job.err) == (0, "o\n0\n", "e\n"), (job.out, job.err)


@test(python, node)
def subprocesses_have_the_default_sigpipe(sh):
    code = "grep SigIgn /proc/self/status"
    job = sh.fine("require('child_process').execSync('%s') + ''" % code
                  if is_node(sh) else
                  "import subprocess; subprocess.check_output('%s'.split())" % code)
    mask = int(job.out.split("\\t")[1].split("\\n")[0], 16)
    assert not mask & 1 << (signal.SIGPIPE - 1) and not mask & 1 << (signal.SIGINT - 1)


@test(python, node)
def env_holds_for_one_job(sh):
    get = "(process.env.%s)" if is_node(sh) else "os.environ.get('%s')"
    put = "process.env.%s = '%s'" if is_node(sh) else "os.environ['%s'] = '%s'"
    if not is_node(sh):
        sh.fine("import os")
    sh.run(put % ("OLD", "before"))
    sh.fine(get % "OLD", "'job'\n", env={"OLD": "job", "NEW": "1"})
    sh.fine(get % "OLD", "'before'\n")
    sh.fine(get % "NEW", "")
    sh.run(put % ("NEW", "by code"), env={"NEW": "1"})
    sh.fine(get % "NEW", "'by code'\n")


@test(python, node)
def env_reaches_subprocesses(sh):
    code = "require('child_process').execSync('echo $A:$DECK_JOB_ID') + ''" \
        if is_node(sh) else \
        "import subprocess; subprocess.getoutput('echo $A:$DECK_JOB_ID')"
    job = sh.fine(code, env={"A": "ä"})
    assert "ä:" + job.id in job.out, job.out


@test(python, node)
def job_id_is_in_the_environment(sh):
    code = "process.env.DECK_JOB_ID" if is_node(sh) else \
        "import os; os.environ.get('DECK_JOB_ID')"
    for _ in range(2):
        job = sh.fine(code)
        assert job.out == "'%s'\n" % job.id
    late = """setTimeout(() => { globalThis.seen = process.env.DECK_JOB_ID ?? 'none' }, 1);
        0""" if is_node(sh) else """
import threading
idle = threading.Event()
def look():
    global seen
    while 'DECK_JOB_ID' in os.environ: pass
    seen = 'none'; idle.set()
threading.Thread(target=look).start(); 0"""
    sh.fine(late, "0\n")
    if is_node(sh):
        eventually(lambda: sh.run("globalThis.seen").out, "the timer")
    else:
        time_limit = "idle.wait(0) and seen"
        eventually(lambda: sh.run(time_limit).out == "'none'\n", "the thread")


@test(python, node)
def cwd_holds_for_one_job(sh):
    other = os.path.join(sh.root, "other")
    third = os.path.join(sh.root, "third")
    os.mkdir(other)
    os.mkdir(third)
    here = "process.cwd()" if is_node(sh) else "import os; os.getcwd()"
    change = "process.chdir('%s')" if is_node(sh) else "os.chdir('%s')"
    job = sh.fine(here, "'%s'\n" % other, cwd=other)
    assert job.cwd == sh.work
    sh.fine(here, "'%s'\n" % sh.work)
    assert sh.fine(change % third, cwd=other).cwd == third
    assert sh.fine(here, "'%s'\n" % third).cwd == third


@test(python, node)
def cwd_that_is_missing(sh):
    job = sh.fails("process.stdout.write('ran')" if is_node(sh) else "print('ran')",
                   cwd="/no/such")
    assert job.out == "" and "/no/such" in job.err and job.cwd == sh.work
    sh.fine("2", "2\n")


@test(python, node)
def cwd_that_is_removed(sh):
    code = "process.chdir(require('fs').mkdtempSync('/tmp/gone'));" \
        "require('fs').rmdirSync(process.cwd())" if is_node(sh) else \
        "import os, tempfile\nos.chdir(tempfile.mkdtemp())\nos.rmdir(os.getcwd())"
    assert sh.fine(code).cwd is None
    assert sh.fine("1 + 1", "2\n").cwd is None
    job = sh.fine("process.cwd()" if is_node(sh) else "os.getcwd()",
                  "'%s'\n" % sh.work, cwd=sh.work)
    sh.run("process.chdir('/')" if is_node(sh) else "os.chdir('/')")
    assert sh.fine("3", "3\n").cwd == "/"


@test(python, node)
def the_command_helper(sh):
    if is_node(sh):
        sh.fine("const r = cmd('sh', ['-c', 'echo o; echo e >&2; exit 3']).exec();"
                "[r.stdout, r.stderr, r.code]", "[ 'o\\n', 'e\\n', 3 ]\n")
        sh.fine("cmd('sh', ['-c', 'head -c 5000000 /dev/zero']).exec().stdout.length",
                "5000000\n")
    else:
        sh.fine("r = cmd('sh', '-c', 'echo o; echo e >&2; exit 3').exec();"
                "(r.stdout, r.stderr, r.code)", "('o\\n', 'e\\n', 3)\n")
        assert "stderr='e\\n'" in sh.fine("r").out
        sh.fine("'cmd' in globals()", "False\n")


@test(python, node)
def the_command_helper_without_deck(sh):
    os.remove(sh.deck)
    assert "ENOENT" in sh.fails("cmd('ls', []).exec()").err if is_node(sh) else \
        "FileNotFoundError" in sh.fails("cmd('ls')").err


@test(python, node)
def an_uncaught_error_is_exit_1(sh):
    code = "function deep() {\n  throw new TypeError('boo')\n}\ndeep()" \
        if is_node(sh) else "def deep():\n    raise TypeError('boo')\n\ndeep()"
    job = sh.fails(code)
    assert "TypeError: boo" in job.err and job.out == ""
    if is_node(sh):
        assert "deep (%s:2:9)" % job.id in job.err, job.err
        assert "at %s:4:1" % job.id in job.err, job.err
        assert "node:" not in job.err, job.err
    else:
        # Less the marks below the source that some versions draw.
        lines = [line for line in job.err.splitlines(True) if line.strip(" ~^\n")]
        assert "".join(lines) == """Traceback (most recent call last):
  File "%s", line 4, in <module>
    deep()
  File "%s", line 2, in deep
    raise TypeError('boo')
TypeError: boo
""" % (job.id, job.id), job.err
        # A later job still has the source of an earlier one.
        assert "raise TypeError('boo')" in sh.fails("deep()").err
    sh.fine("1", "1\n")


@test(python, node)
def a_syntax_error(sh):
    job = sh.fails("ok = 1\nfoo bar")
    assert "SyntaxError" in job.err and job.id in job.err and "foo bar" in job.err, job.err
    assert "Traceback" not in job.err and "    at " not in job.err, job.err
    assert "NameError" in sh.fails("ok").err or is_node(sh)


@test(python, node)
def empty_code(sh):
    comment = "// only this" if is_node(sh) else "# only this"
    for code in ("", "\n\n", "   ", comment, comment + "\n", "\r\n"):
        sh.fine(code, "")


@test(python, node)
def code_with_crlf(sh):
    code = "const t = 'a'\r\nif (t) {\r\n  console.log(t)\r\n}\r\n" if is_node(sh) else \
        "t = 'a'\r\nif t:\r\n    print(t)\r\n"
    sh.fine(code, "a\n")


@test(python, node)
def code_with_a_null_byte(sh):
    sh.fails("x = \0 1")
    sh.fine("1", "1\n")


@test(python, node)
def code_that_is_no_utf8(sh):
    sh.run(b"'\xff'")
    sh.fine("1", "1\n")


@test(python, node)
def code_of_any_size(sh):
    filler = ("// " if is_node(sh) else "# ") + "x" * 77 + "\n"
    sh.fine(filler * 40000 + "'end'", "'end'\n")


@test(python, node)
def huge_output_to_a_slow_reader(sh):
    size = 100 * 1000 * 1000
    code = "process.stdout.write('0123456789'.repeat(%d)); console.error('e'); 0" \
        if is_node(sh) else \
        "import sys; sys.stdout.write('0123456789' * %d) and print('e', file=sys.stderr)"
    job = sh.start(code % (size // 10))
    poll = select.poll()
    poll.register(job.fds["out"], select.POLLIN)
    assert poll.poll(LIMIT * 1000)
    job.wait()
    assert job.exit == 0 and job.err == "e\n"
    expected = size + (2 if is_node(sh) else 0)
    assert len(job.data["out"]) == expected, len(job.data["out"])
    assert bytes(job.data["out"][-22:-2]) in b"0123456789" * 4


@test(python, node)
def huge_output_in_lines(sh):
    code = "for (let i = 0; i < 100000; i++) console.log('line ' + i)" if is_node(sh) \
        else "for i in range(100000): print('line', i)"
    job = sh.fine(code)
    assert job.out.splitlines() == ["line %d" % i for i in range(100000)]


@test(python, node)
def output_without_a_newline_is_flushed(sh):
    sh.fine("process.stdout.write('half'); 0" if is_node(sh) else "print('half', end='')",
            "half0\n" if is_node(sh) else "half")
    sh.fine("1", "1\n")


@test(python, node)
def a_reader_that_goes_away(sh):
    code = """console.log('go'); while (process.env.X) {
            process.stdout.write('x'.repeat(100000)); if (n++ > 50) break }; 5""" \
        if is_node(sh) else "print('go')\nfor _ in range(50): print('x' * 100000)"
    if is_node(sh):
        sh.run("n = 0")
    job = sh.start(code, env={"X": "1"}).wait_for("go\n")
    job.close("out")
    job.wait()
    assert job.exit in (0, 1)
    sh.fine("1", "1\n")


@test(python, node)
def a_supervisor_that_is_gone(sh):
    job = sh.job("ran = 1")
    job.close()
    job.send()
    no_out = sh.job("ran = 1")
    no_out.close("out")
    no_out.send()
    sh.fine("typeof ran" if is_node(sh) else "'ran' in globals()",
            "'undefined'\n" if is_node(sh) else "False\n")
    assert os.read(no_out.fds["done"], 10) == b""
    no_out.close()


@test(python, node)
def a_folder_that_is_gone(sh):
    job = sh.job("1")
    shutil.rmtree(job.folder)
    job.send()
    sh.fine("2", "2\n")


@test(python, node)
def requests_sent_together(sh):
    jobs = [sh.start("%d" % i) for i in range(10)]
    assert [job.wait().out for job in jobs] == ["%d\n" % i for i in range(10)]


@test(python, node)
def a_request_in_pieces(sh):
    job = sh.job("7", env={"LONG": "x" * 30000, "UTF": "ä€"})
    line = json.dumps(job.request, ensure_ascii=False).encode() + b"\n"
    for start in range(0, len(line), 997):
        os.write(sh.requests, line[start:start + 997])
    assert job.wait().out == "7\n"


@test(python, node)
def a_line_that_is_no_request(sh):
    os.write(sh.requests, b"nonsense\n\n")
    sh.fine("1", "1\n")


@test(python, node)
def sigint_ends_a_busy_loop(sh):
    code = "console.log('go'); while(true){}" if is_node(sh) else \
        "print('go', flush=True)\nwhile True: pass"
    for _ in range(5):
        job = sh.start(code).wait_for("go\n")
        sh.interrupt()
        job.wait()
        assert job.exit == 130, (job.exit, job.err)
        assert ("Interrupted\n" == job.err) if is_node(sh) else \
            job.err.endswith("KeyboardInterrupt\n"), job.err
        assert "python3.py" not in job.err
        sh.fine("1 + 1", "2\n")


@test(python, node)
def sigint_ends_an_await(sh):
    code = "console.log('go'); await new Promise(() => {})" if is_node(sh) else \
        "import asyncio\nprint('go', flush=True)\nawait asyncio.sleep(1000)"
    for _ in range(5):
        job = sh.start(code).wait_for("go\n")
        sh.interrupt()
        job.wait()
        assert job.exit == 130, (job.exit, job.err)
        assert "python3.py" not in job.err and "node.mjs" not in job.err, job.err
        sh.fine("1 + 1", "2\n")
    sh.fine("await new Promise(r => setTimeout(r, 1, 5))" if is_node(sh) else
            "await asyncio.sleep(0.001, 5)", "5\n")


@test(python, node)
def sigint_while_idle_is_ignored(sh):
    sh.fine("1")
    for _ in range(20):
        sh.interrupt()
    for i in range(20):
        sh.interrupt()
        job = sh.run("%d" % i)
        # A signal may still arrive as the job begins.
        assert (job.exit, job.out) == (0, "%d\n" % i) or job.exit == 130, job.err
    sh.fine("2", "2\n")


@test(python, node)
def sigint_while_a_command_runs(sh):
    code = "console.log('go'); require('child_process').spawnSync('sleep', ['60'])" \
        if is_node(sh) else \
        "import subprocess\nprint('go', flush=True)\nsubprocess.run(['sleep', '60'])"
    job = sh.start(code).wait_for("go\n")
    sleeping = "/proc/%d/task/%d/children" % (sh.process.pid, sh.process.pid)
    eventually(lambda: open(sleeping).read().strip(), "the command")
    os.killpg(sh.process.pid, signal.SIGINT)
    # In node the code may come to its end first, as the command is gone.
    assert job.wait().exit in ((130, 0) if is_node(sh) else (130,))
    sh.fine("1", "1\n")


@test(python, node)
def sigints_at_any_moment(sh):
    """The REPL lives on and every job is answered."""
    busy = "for (let i = 0; i < 3e5; i++) { }; 0" if is_node(sh) else \
        "for i in range(30000): pass"
    sh.fine("1", "1\n")
    for i in range(300):
        job = sh.start(busy)
        end = time.monotonic() + 0.00002 * i
        while time.monotonic() < end:
            pass  # so that each job is hit at another moment
        for _ in range(1 + i % 3):
            sh.interrupt()
        job.wait()
        assert job.exit in (0, 130), (job.exit, job.err)
    # A late one may still arrive.
    eventually(lambda: sh.run("1 + 1").out == "2\n", "a job that nothing interrupts")
    sh.fine("1 + 1", "2\n")


@test(python)
def a_storm_of_sigints(sh):
    sh.fine("1", "1\n")
    for i in range(60):
        job = sh.start("for i in range(30000): pass")
        end = time.monotonic() + 0.0005 * i
        while time.monotonic() < end:
            sh.interrupt()
        job.wait()
        assert job.exit in (0, 130), (job.exit, job.err)
    sh.fine("1 + 1", "2\n")


@test(python, node)
def sigterm_ends_the_process(sh):
    sh.fine("1")
    sh.process.terminate()
    assert sh.process.wait(LIMIT) == -signal.SIGTERM


@test(python, node)
def sigterm_ends_the_process_while_code_runs(sh):
    sh.start("console.log('go'); while(true){}" if is_node(sh) else
             "print('go', flush=True)\nwhile True: pass").wait_for("go\n")
    sh.process.terminate()
    assert sh.process.wait(LIMIT) == -signal.SIGTERM


@test(python, node)
def exit_is_a_code_and_not_the_end(sh):
    codes = [("process.exit(7)", 7), ("process.exit()", 0), ("process.exit(300)", 44),
             ("try { process.exit(3) } catch { process.exit(4) }", 3),
             ("await null; process.exit(5)", 5)] if is_node(sh) else \
        [("import sys; sys.exit(7)", 7), ("sys.exit()", 0), ("raise SystemExit(300)", 44),
         ("exit(3)", 3), ("import asyncio; await asyncio.sleep(0); sys.exit(5)", 5),
         ("sys.exit(-1)", 255)]
    sh.run("kept = 1")
    for code, exit in codes:
        job = sh.run(code)
        assert (job.exit, job.out, job.err) == (exit, "", ""), (code, job.exit, job.err)
    sh.fine("kept", "1\n")


@test(python, node)
def await_at_top_level(sh):
    if is_node(sh):
        sh.fine("const v = await Promise.resolve(5); v + 1", "6\n")
        sh.fine("v", "5\n")
    else:
        sh.fine("import asyncio\nv = await asyncio.sleep(0, 5)\nawait asyncio.sleep(0, v + 1)",
                "6\n")
        sh.fine("v", "5\n")


@test(python, node)
def an_error_behind_an_await(sh):
    code = "async function f() { await null; throw new Error('late') }\nawait f()" \
        if is_node(sh) else """
import asyncio
async def f():
    await asyncio.sleep(0)
    raise ValueError('late')
await f()"""
    job = sh.fails(code)
    assert "late" in job.err and "asyncio" not in job.err and "node:" not in job.err, job.err


@test(python, node)
def deep_recursion(sh):
    code = "function f() { f() }; f()" if is_node(sh) else "def f(): f()\nf()"
    err = sh.fails(code).err
    assert ("RangeError" if is_node(sh) else "RecursionError") in err
    assert len(err) < 100000
    sh.fine("1", "1\n")


@test(python, node)
def descriptors_do_not_pile_up(sh):
    count = "require('fs').readdirSync('/proc/self/fd').length" if is_node(sh) else \
        "import os; len(os.listdir('/proc/self/fd'))"
    first = sh.fine(count).out
    for _ in range(20):
        sh.run("console.log(1); console.error(2)" if is_node(sh) else "print(1)")
        sh.run("process.stdin; process.exit(1)" if is_node(sh) else "raise SystemExit")
    sh.fine(count, first)


# python

@test(python)
def the_value_of_a_last_expression(sh):
    sh.fine("1; 'a'", "'a'\n")
    sh.fine("_ + 'b'", "'ab'\n")
    sh.fine("None", "")
    sh.fine("if True:\n    5", "")
    sh.fine("def f():\n    return 3\nf()  # shown", "3\n")


@test(python)
def a_clean_main(sh):
    sh.fine("sorted(n for n in dir() if not n.startswith('__'))", "[]\n")
    sh.fine("import __main__; __main__.y = 3; y", "3\n")
    sh.fine("hasattr(__main__, '__file__')", "False\n")


@test(python)
def the_driver_s_folder_is_not_on_the_path(sh):
    sh.fine("import sys; %r in sys.path" % HERE, "False\n")


@test(python)
def system_exit_with_text(sh):
    job = sh.run("raise SystemExit('words')")
    assert (job.exit, job.err) == (1, "words\n")


@test(python)
def a_trace_has_the_source(sh):
    job = sh.fails("x = 1\n\nx / 0")
    assert "line 3" in job.err and "x / 0" in job.err, job.err
    job = sh.fails("try:\n    1/0\nexcept Exception as e:\n    raise KeyError('b') from e")
    assert "ZeroDivisionError" in job.err and "direct cause" in job.err
    job = sh.fails("def f():\n  return 1\nreturn 5")
    assert "return 5" in job.err, job.err


@test(python)
def warnings_as_usual(sh):
    job = sh.run("x = 1\nx is 1")
    assert "SyntaxWarning" in job.err and job.exit == 0 and job.out == "True\n", job.err
    assert job.err.count("SyntaxWarning") == 1, job.err
    job = sh.run("import warnings; warnings.warn('careful')")
    assert "UserWarning: careful" in job.err


@test(python)
def future_imports_stay(sh):
    sh.fine("from __future__ import annotations\ndef f(x: Unknown): pass\nf.__annotations__",
            "{'x': 'Unknown'}\n")
    sh.fine("def g(x: Unknown): pass")


@test(python)
def tasks_rest_between_jobs(sh):
    sh.fine("""
import asyncio
steps = []
async def work():
    for i in range(3):
        steps.append(i)
        await asyncio.sleep(0)
async def begin():
    return asyncio.ensure_future(work())
task = await begin()""")
    sh.fine("task.done()", "False\n")
    sh.fine("await task\nsteps", "[0, 1, 2]\n")
    sh.fine("asyncio.run(work()); len(steps)", "6\n")
    sh.fine("await asyncio.sleep(0, 'again')", "'again'\n")


@test(python)
def a_loop_that_the_code_closed(sh):
    sh.fine("import asyncio\nloop = await asyncio.sleep(0, asyncio.get_event_loop())")
    sh.fine("loop.close()")
    sh.fine("await asyncio.sleep(0, 3)", "3\n")


@test(python)
def finally_runs_when_an_await_is_interrupted(sh):
    job = sh.start("""
import asyncio
try:
    print('go', flush=True)
    await asyncio.sleep(1000)
finally:
    print('cleaned')""").wait_for("go\n")
    sh.interrupt()
    job.wait()
    assert job.exit == 130 and job.out == "go\ncleaned\n", job.out


@test(python)
def sigint_that_the_code_catches(sh):
    job = sh.start("""
try:
    print('go', flush=True)
    while True: pass
except KeyboardInterrupt:
    print('caught')
5""").wait_for("go\n")
    sh.interrupt()
    job.wait()
    assert (job.exit, job.out) == (0, "go\ncaught\n5\n")


@test(python)
def sigint_handlers_of_the_code(sh):
    sh.fine("""
import signal
got = []
_ = signal.signal(signal.SIGINT, lambda *a: got.append(1))""")
    sh.interrupt()
    job = sh.start("print('go', flush=True)\nwhile not got: pass").wait_for("go\n")
    sh.interrupt()
    assert job.wait().exit == 0
    sh.fine("_ = signal.signal(signal.SIGINT, signal.SIG_DFL)")
    sh.interrupt()
    sh.fine("1", "1\n")


@test(python)
def threads_live_on(sh):
    sh.fine("""
import threading
go, ran = threading.Event(), threading.Event()
t = threading.Thread(target=lambda: (go.wait(), ran.set()))
t.start()
threading.active_count()""", "2\n")
    sh.fine("go.set(); ran.wait(30)", "True\n")
    sh.fine("t.join(30); threading.active_count()", "1\n")


@test(python)
def closed_and_replaced_streams(sh):
    sh.fine("import sys; sys.stdout.close(); sys.stderr.close(); sys.stdin.close()")
    job = sh.run("print('o'); print('e', file=sys.stderr)")
    assert (job.out, job.err) == ("o\n", "e\n")
    sh.fine("import io; sys.stdout = io.StringIO(); sys.stderr = None; print('lost')", "")
    sh.fine("print('o')", "o\n")
    sh.fine("b = sys.stdout.detach()")
    sh.fine("print('o')", "o\n")
    sh.fine("del sys.stdout, sys.__stdout__, sys.stdin")
    sh.fine("print('o')", "o\n")
    sh.fine("import os; os.close(1); os.close(0)", "")
    sh.fine("print('o')", "o\n")
    job = sh.fails("sys.stderr.close(); sys.stdout.close(); 1/0")
    assert "ZeroDivisionError" in job.err


@test(python)
def loggers_keep_their_stream(sh):
    sh.fine("import logging; logging.basicConfig(format='%(message)s')")
    for _ in range(2):
        assert sh.run("logging.warning('w')").err == "w\n"


@test(python)
def output_with_surrogates(sh):
    job = sh.run("print('a\\ud800b')")
    assert job.exit == 1 and "UnicodeEncodeError" in job.err
    sh.fine("'a\\ud800b'", "'a\\ud800b'\n")
    job = sh.fails("raise ValueError('\\ud800')")
    assert "\\ud800" in job.err
    sh.fine("print('ä€😀')", "ä€😀\n")


@test(python)
def damaged_builtins_and_modules(sh):
    sh.fine("import builtins; del builtins.print, builtins.open, builtins.dict")
    sh.fine("1 + 1", "2\n")
    assert "NameError" in sh.fails("print(1)").err
    sh.fine("import sys\nfor name in list(sys.modules):\n"
            "    if name not in ('sys', 'builtins'): del sys.modules[name]")
    sh.fine("1 + 1", "2\n")
    assert "ValueError" in sh.fails("raise ValueError('boo')").err
    sh.fine("import __main__; __main__.sys is sys", "True\n")


@test(python)
def damaged_stdlib(sh):
    sh.fine("import os, json, sys; os.environ = {}; sys.excepthook = None")
    sh.fine("1 + 1", "2\n", env={"A": "1"}, cwd="/")
    sh.fine("sys.setrecursionlimit(60)")
    sh.fine("1 + 1", "2\n")
    sh.fails("1 / 0")


@test(python)
def an_error_that_can_not_be_shown(sh):
    sh.fails("class E(Exception):\n    def __str__(self): raise self\nraise E")
    job = sh.fails("class R:\n    def __repr__(self): raise ValueError('no repr')\nR()")
    assert "no repr" in job.err


@test(python)
def a_fork_that_exits(sh):
    job = sh.run("""
import os, sys
pid = os.fork()
if pid == 0:
    print('child')
    sys.exit(3)
os.waitstatus = os.waitpid(pid, 0)[1] >> 8
os.waitstatus""")
    assert (job.exit, job.out, job.err) == (0, "child\n3\n", ""), (job.out, job.err)


@test(python)
def a_fork_that_falls_through(sh):
    job = sh.run("""
import os
pid = os.fork()
if pid: os.waitpid(pid, 0)
'parent' if pid else 'child'""")
    assert (job.exit, job.out, job.err) == (0, "'child'\n'parent'\n", ""), job.err
    job = sh.run("pid = os.fork()\nif not pid: 1/0\nos.waitpid(pid, 0)[1] >> 8")
    assert (job.exit, job.out) == (0, "1\n") and "ZeroDivisionError" in job.err
    sh.fine("pid > 0", "True\n")


@test(python)
def a_fork_does_not_hold_done(sh):
    job = sh.start("""
import os, time
pid = os.fork()
if pid == 0:
    time.sleep(1000)""")
    assert job.wait().exit == 0  # done has ended although the child lives
    sh.fine("os.kill(pid, 9); os.waitpid(pid, 0)[1]", "9\n")


@test(python)
def multiprocessing(sh):
    job = sh.fine("""
import multiprocessing
def twice(x): return x * 2
with multiprocessing.get_context('fork').Pool(2) as pool:
    print(pool.map(twice, range(4)))""", "[0, 2, 4, 6]\n")
    sh.fine("1", "1\n")


@test(python)
def code_that_wants_the_default_sigpipe(sh):
    sh.fine("import signal; _ = signal.signal(signal.SIGPIPE, signal.SIG_DFL)")
    job = sh.job("1")
    job.send()
    job.wait()
    sh.fine("signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN", "True\n")


@test(lambda: python("-X", "dev", "-u"))
def arguments_of_the_user(sh):
    sh.fine("import sys; (sys.flags.dev_mode, sys.argv)", "(True, [''])\n")


@test(lambda: python("-I"))
def an_isolated_python(sh):
    sh.fine("import sys; '' in sys.path, 'collections' in sys.modules or "
            "__import__('csv').__name__ and True", "(False, True)\n")


@test(python)
def sources_can_be_inspected(sh):
    sh.fine("def f():\n    return 1")
    sh.fine("import inspect; inspect.getsource(f)", "'def f():\\n    return 1'\n")


# node

@test(node)
def names_may_be_declared_again(sh):
    for i in range(2):
        sh.fine("const x = %d; let y = x; class C {}; x" % i, "%d\n" % i)
    sh.fine("[x, y, typeof C]", "[ 1, 1, 'function' ]\n")


@test(node)
def values_are_inspected(sh):
    sh.fine("({ a: [1, 'x'], b: new Map([[1, 2]]) })",
            "{ a: [ 1, 'x' ], b: Map(1) { 1 => 2 } }\n")
    for code, out in [("undefined", ""), ("null", "null\n"), ("-0", "-0\n"), ("NaN", "NaN\n"),
                      ("10n", "10n\n"), ("Symbol('s')", "Symbol(s)\n"), ("'\\ud800'", None),
                      ("Promise.resolve(1)", "Promise { 1 }\n"), ("await Promise.resolve(1)", "1\n")]:
        sh.fine(code, out)


@test(node)
def dynamic_import(sh):
    write(os.path.join(sh.work, "m.mjs"), "export default 5; export const url = import.meta.url")
    sh.fine("(await import('node:path')).sep", "'/'\n")
    sh.fine("(await import('./m.mjs')).default", "5\n")
    sh.fine("const f = async () => (await import( './m.mjs')).url; await f()",
            "'file://%s/m.mjs'\n" % sh.work)
    sh.fine("(await import_('node:os')).EOL", "'\\n'\n")
    sh.fine("// import('x')\n'import(1)' + `import(2)${(await import('fs')).constants.O_RDWR}`"
            " + /import('a')/.source", "\"import(1)import(2)2import('a')\"\n")
    assert "Cannot find" in sh.fails("await import('no-such-module')").err
    job = sh.fails("import fs from 'fs'")
    assert "await import(" in job.err, job.err


@test(node)
def require_follows_the_work_directory(sh):
    other = os.path.join(sh.root, "other")
    os.mkdir(other)
    write(os.path.join(other, "here.js"), "exports.v = 9")
    sh.fine("require('./here').v", "9\n", cwd=other)
    sh.fails("require('./here')")
    sh.fine("process.chdir('../other'); require('./here').v", "9\n")
    sh.fine("typeof module + typeof __filename", "'undefinedundefined'\n")


@test(node)
def errors_of_all_kinds(sh):
    assert sh.fails("throw 5").err == "Uncaught 5\n"
    assert sh.fails("throw null").err == "Uncaught null\n"
    assert sh.fails("throw undefined").err == "Uncaught undefined\n"
    job = sh.fails("const e = new Error('x', { cause: new Error('y') }); e.code = 'C'; throw e")
    assert "[cause]: Error: y" in job.err and "code: 'C'" in job.err, job.err
    assert "node:inspector" not in job.err, job.err
    assert sh.fails("await Promise.reject(new Error('z'))").err.startswith("Uncaught Error: z\n")
    job = sh.fails("({ [require('util').inspect.custom]() { throw new Error('odd') } })")
    assert "odd" in job.err


@test(node)
def an_asynchronous_error_is_the_job_s(sh):
    job = sh.fails("setTimeout(() => { throw new Error('late') }, 1);"
                   "await new Promise(r => setTimeout(r, 50)); 'end'")
    assert "late" in job.err and job.out == "'end'\n", job.err
    job = sh.fails("Promise.reject(new Error('nobody')); 'end'")
    assert "nobody" in job.err and job.out == "'end'\n", job.err
    sh.fine("1", "1\n")


@test(node)
def an_asynchronous_error_while_idle_is_dropped(sh):
    sh.fine("setTimeout(() => { globalThis.came = true; throw new Error('idle') }, 1); 0", "0\n")
    eventually(lambda: "true" in sh.run("globalThis.came").out, "the timer")
    sh.fine("1", "1\n")


@test(node)
def listeners_of_the_code(sh):
    sh.fine("process.removeAllListeners('uncaughtException'); 0", "0\n")
    sh.fails("Promise.reject(new Error('a'))")
    job = sh.fine("process.once('uncaughtException', e => console.log('own', e.message));"
                  "Promise.reject(new Error('b')); 0")
    assert sorted(job.out.split()) == ["0", "b", "own"], job.out
    sh.fine("process.on('SIGINT', () => { globalThis.sigint = 1 }); 0", "0\n")
    sh.interrupt()
    job = sh.start("console.log('go'); while(true){}").wait_for("go\n")
    sh.interrupt()
    assert job.wait().exit == 130
    sh.fine("process.removeAllListeners('SIGINT'); 0", "0\n")
    sh.interrupt()
    sh.fine("1", "1\n")


@test(node)
def sigint_ends_a_busy_timer(sh):
    job = sh.start("setTimeout(() => { console.log('go'); for (;;); }, 1);"
                   "await new Promise(() => {})").wait_for("go\n")
    sh.interrupt()
    assert job.wait().exit == 130
    sh.fine("await new Promise(r => setTimeout(r, 5, 'timers work'))", "'timers work'\n")
    job = sh.start("(async () => { await null; console.log('go'); for (;;); })();"
                   "await new Promise(() => {})").wait_for("go\n")
    sh.interrupt()
    assert job.wait().exit == 130
    sh.fine("await new Promise(r => setImmediate(r, 'again'))", "'again'\n")


@test(node)
def sigint_that_code_can_not_catch(sh):
    job = sh.start("console.log('go'); for (;;) try { for (;;); } catch {} finally { }")
    job.wait_for("go\n")
    sh.interrupt()
    assert job.wait().exit == 130
    job = sh.start("({ [require('util').inspect.custom]() { console.log('go'); for (;;); } })")
    job.wait_for("go\n")
    sh.interrupt()
    assert job.wait().exit == 130
    sh.fine("1", "1\n")


@test(node)
def exit_from_a_callback(sh):
    job = sh.run("setTimeout(() => { process.exit(6) }, 1); await new Promise(() => {})")
    assert (job.exit, job.err) == (6, "")
    sh.fine("globalThis.n = 0; setTimeout(() => { n = 1; process.exit(6) }, 1); 0", "0\n")
    eventually(lambda: sh.run("n").out == "1\n", "the timer")
    sh.fine("await new Promise(r => setTimeout(r, 5, 1))", "1\n")


@test(node)
def exit_code_is_honoured_once(sh):
    assert sh.run("process.exitCode = 9; 0").exit == 9
    sh.fine("process.exitCode", "")
    assert sh.run("process.exitCode = 4; process.exit()").exit == 4
    sh.fine("1", "1\n")


@test(node)
def timers_live_on(sh):
    sh.fine("globalThis.ticks = 0; globalThis.t = setInterval(() => ticks++, 1); 0", "0\n")
    eventually(lambda: int(sh.run("ticks").out) > 3, "ticks")
    sh.fine("clearInterval(t)")


@test(node)
def output_streams_can_not_be_closed(sh):
    sh.fine("process.stdout.end('last'); process.stderr.destroy(); 0", "last0\n")
    job = sh.run("console.log('o'); console.error('e')")
    assert (job.out, job.err) == ("o\n", "e\n")
    sh.fine("await new Promise(r => process.stdout.write('x', () => r()))", "x")
    sh.fine("const { Readable } = require('stream'); const { pipeline } = "
            "require('stream/promises'); await pipeline(Readable.from(['p']), process.stdout)", "p")
    sh.fine("console.log('still')", "still\n")
    sh.fine("require('fs').closeSync(1)")
    sh.fine("console.log('still')", "still\n")


@test(node)
def a_subprocess_that_makes_the_stream_non_blocking(sh):
    job = sh.fine("""
require('child_process').spawnSync(process.execPath, ['-e',
    'new (require("net").Socket)({ fd: 1, readable: false })'], { stdio: 'inherit' });
process.stdout.write('x'.repeat(5000000)); 0""")
    assert len(job.out) == 5000002


@test(node)
def changed_globals(sh):
    sh.fine("JSON.stringify = JSON.parse = null; Promise = null; setImmediate = null;"
            "Buffer.alloc = null; 0", "0\n")
    sh.fine("1", "1\n", env={"A": "1"}, cwd="/")


@test(node)
def file_operations_in_the_background(sh):
    """They open descriptors while the streams of jobs come and go."""
    sh.fine("""
const fs = require('fs'); globalThis.on = true;
(async () => { while (on) await fs.promises.readFile('/proc/self/stat') })(); 0""", "0\n")
    for i in range(100):
        sh.fine("console.log(%d)" % i, "%d\n" % i)
    sh.fine("on = false; 0")


@test(node)
def workers_of_the_code(sh):
    sh.fine("""
const { Worker } = require('worker_threads');
const w = new Worker('console.log("from worker"); process.exit(3)', { eval: true });
await new Promise(r => w.on('exit', r))""", "from worker\n3\n")


@test(lambda: node("--no-warnings", "--stack-trace-limit=50"))
def arguments_of_a_node_user(sh):
    sh.fine("[process.execArgv, Error.stackTraceLimit]",
            "[ [ '--no-warnings', '--stack-trace-limit=50' ], 50 ]\n")


def main():
    words = sys.argv[1:]
    failed = 0
    chosen = [(f, s) for f, s in TESTS
              if not words or any(w in name(f, s) for w in words)]
    for function, shell in chosen:
        begin = time.monotonic()
        try:
            with shell() as sh:
                function(sh)
        except Exception:
            failed += 1
            print("FAILED", name(function, shell), flush=True)
            traceback.print_exc(limit=-3)
        else:
            took = time.monotonic() - begin
            print("ok %s%s" % (name(function, shell), " (%.1f s)" % took if took > 2 else ""),
                  flush=True)
    print("%d of %d failed" % (failed, len(chosen)))
    sys.exit(failed > 0)


def name(function, shell):
    return "%s: %s" % (getattr(shell, "__name__", ""), function.__name__)


main()
