"""Keeps the state of a Python REPL in one live process.

Started as `python3 driver.py REQUESTS`. REQUESTS is a FIFO; each line in it
is a job: {"job", "folder", "cwd", "env", "stdin", "merge", "deck"}. The folder
holds `code` and the FIFOs `out`, `err` (not when merged) and `done`, whose
readers are there before the request is. After the code has run, one line
{"exit", "cwd"} goes to `done`. `cwd` there is the folder that later jobs start
in. The process ends when its stdin does, or when anything is written to it. SIGINT interrupts the code that runs.
"""
import builtins

# A copy, so that code which changes the builtins doesn't change the driver's.
__builtins__ = dict(vars(builtins))

import __future__
import _thread
import ast
import inspect
import io
import json
import linecache
import os
import signal
import sys
import traceback
import types
import warnings

PID = os.getpid()
DRIVER = inspect.currentframe().f_code.co_filename
ENVIRON = os.environ
FUTURE = [getattr(__future__, name) for name in __future__.all_feature_names]

# Descriptors that forked children of the code must not keep.
private = set()


def close_private():
    while private:
        try:
            os.close(private.pop())
        except OSError:
            pass


def exit_with_holder(holder):
    """In a thread of its own: the end of stdin, or anything in it, ends the process at once."""
    os.read(holder, 4096)
    os._exit(0)


def open_fifo(path, flags):
    """Opens without waiting for the other side; it blocks only when used."""
    fd = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(fd, True)
    return fd


def move(fd, number):
    os.dup2(fd, number)
    os.close(fd)


def write_all(fd, text):
    """Past sys.stdout and sys.stderr, which may be closed or replaced."""
    data = text.encode("utf-8", "backslashreplace")
    try:
        while data:
            data = data[os.write(fd, data):]
    except OSError:
        pass


def current_folder():
    try:
        return os.getcwd()
    except OSError:
        return None


class Output:
    """sys.stdout or sys.stderr. One object for all jobs, as handlers of
    loggers keep it; another only when the code closed it."""

    def __init__(self, name, fd):
        self.name = name
        self.fd = fd
        self.stream = getattr(sys, name)
        self.encoding = self.stream.encoding
        self.errors = self.stream.errors
        # Whole lines at once, so that they stand in order with subprocesses'.
        self.stream.reconfigure(line_buffering=True)

    def install(self):
        if not self.flush(self.stream):
            self.stream = open(self.fd, "w", 1, self.encoding, self.errors,
                               closefd=False)
        setattr(sys, self.name, self.stream)
        setattr(sys, "__%s__" % self.name, self.stream)

    def flush_all(self):
        self.flush(getattr(sys, self.name, None))
        self.flush(self.stream)

    @staticmethod
    def flush(stream):
        try:
            stream.flush()
            return True
        except OSError:
            return True  # the reader is gone; the stream itself works
        except BaseException:
            return False


class Surroundings:
    """The environment and the work directory that hold for one job."""

    def __init__(self, request):
        self.env = dict(request.get("env") or {})
        self.before = {name: ENVIRON.get(name) for name in self.env}
        self.cwd = request.get("cwd")
        self.cwd_before = self.entered = None
        self.job = request["job"]

    def enter(self):
        ENVIRON.update(self.env)
        ENVIRON["DECK_JOB_ID"] = self.job
        if self.cwd:
            self.cwd_before = current_folder()
            os.chdir(self.cwd)
            self.entered = current_folder()

    def leave(self):
        ENVIRON.pop("DECK_JOB_ID", None)
        for name, value in self.env.items():
            # What the code set itself stays.
            if ENVIRON.get(name) == value:
                self.restore(name)
        if self.cwd_before and self.entered == current_folder():
            try:
                os.chdir(self.cwd_before)
            except OSError:
                pass

    def restore(self, name):
        if self.before[name] is None:
            ENVIRON.pop(name, None)
        else:
            ENVIRON[name] = self.before[name]


class Interrupts:
    """The handler of SIGINT: it reaches the code alone, never the driver.

    A function, not SIG_IGN while idle: that one would pass to subprocesses.
    """

    def __init__(self):
        self.live = False  # the code runs
        self.missed = False
        self.other = None  # the code's own handler
        signal.signal(signal.SIGINT, self)

    def __call__(self, _number, frame):
        # An error being handled in the driver itself: the code just ended.
        ended = frame.f_code.co_filename == DRIVER and sys.exc_info()[0]
        if not self.live or ended:
            self.missed = True
            return
        raise KeyboardInterrupt

    def begin(self):
        if self.other is not None:
            signal.signal(signal.SIGINT, self.other)
        self.live = True

    def resume(self):
        self.live = True
        if self.missed:
            raise KeyboardInterrupt

    def pause(self):
        self.missed = False
        self.live = False

    def end(self):
        """Takes SIGINT back from a handler of the code's."""
        while True:
            try:
                other = signal.signal(signal.SIGINT, self)
                break
            except BaseException:
                pass  # its last signal, handled within this very call
        self.other = None if other is self else other


class Result:
    """What a command did."""

    def __init__(self, args, code, stdout, stderr):
        self.args = args
        self.code = code
        self.stdout = stdout
        self.stderr = stderr

    def exec(self):
        return self

    def __repr__(self):
        return "cmd(%s): code=%r, stdout=%r, stderr=%r" % (
            ", ".join(map(repr, self.args)), self.code, self.stdout, self.stderr)


class Repl:
    def __init__(self):
        self.main = types.ModuleType("__main__")
        self.main.__builtins__ = builtins
        self.main.__annotations__ = {}
        self.main.__loader__ = sys.__loader__
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.asyncio = None
        self.loop = None
        self.deck = None
        self.null = os.open(os.devnull, os.O_RDWR)
        self.outputs = [Output("stdout", 1), Output("stderr", 2)]
        self.interrupts = Interrupts()
        builtins.cmd = self.cmd

    def cmd(self, *args):
        """Runs a command as a child job: cmd('git', 'status').stdout"""
        import subprocess
        ran = subprocess.run([self.deck, "job", "run", "--", *args],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             encoding="utf-8", errors="replace")
        return Result(args, ran.returncode, ran.stdout, ran.stderr)

    def serve(self, request):
        folder = request["folder"]
        opened = []
        try:
            opened.append(open_fifo(os.path.join(folder, "done"), os.O_WRONLY))
            opened.append(open_fifo(os.path.join(folder, "out"), os.O_WRONLY))
            opened.append(os.dup(opened[1]) if request.get("merge") else
                          open_fifo(os.path.join(folder, "err"), os.O_WRONLY))
        except OSError:
            for fd in opened:
                os.close(fd)
            return  # nobody waits for this job any more
        done, out, err = opened
        private.add(done)
        try:
            code = self.run_job(request, out, err)
            write_all(done, json.dumps({"exit": code, "cwd": current_folder()}) + "\n")
        finally:
            private.discard(done)
            os.close(done)

    def run_job(self, request, out, err):
        move(out, 1)
        move(err, 2)
        self.deck = request["deck"]
        sys.modules["__main__"] = self.main
        for output in self.outputs:
            output.install()
        surroundings = Surroundings(request)
        error = self.guarded(request, surroundings)
        for output in self.outputs:
            output.flush_all()
        code = self.report(error)
        if os.getpid() != PID:
            os._exit(code)  # a fork of the code that came to its end
        # Else the next job's SIGPIPE might end this process.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        surroundings.leave()
        for number in (0, 1, 2):
            os.dup2(self.null, number)
        for output in self.outputs:
            output.flush_all()  # what a reader that is gone left behind
        return code

    def guarded(self, request, surroundings):
        """Runs the code and returns the error that ended it, or None."""
        error = None
        try:
            self.interrupts.begin()
            self.run(request, surroundings)
            self.interrupts.live = False
        except BaseException as caught:
            self.interrupts.live = False
            error = caught
        self.interrupts.end()
        return error

    def run(self, request, surroundings):
        surroundings.enter()
        if request.get("stdin"):
            move(open_fifo(request["stdin"], os.O_RDONLY), 0)
        # A new one for each job: the old one may hold read-ahead or be closed.
        sys.stdin = sys.__stdin__ = open(0, closefd=False)
        with open(os.path.join(request["folder"], "code"), "rb") as file:
            source = file.read().decode("utf-8-sig")
        for code in self.compile(source, request["job"]):
            function = types.FunctionType(code, self.main.__dict__)
            if code.co_flags & inspect.CO_COROUTINE:
                self.finish(function)
            else:
                function()

    def compile(self, source, name):
        """The statements, and a last expression apart as its value is shown."""
        lines = io.StringIO(source, newline=None).readlines()
        linecache.cache[name] = (len(source), None, lines, name)
        tree = compile(source, name, "exec", self.flags | ast.PyCF_ONLY_AST, True)
        last = tree.body[-1:]
        if not last or not isinstance(last[0], ast.Expr):
            last = []
        tree.body[len(tree.body) - len(last):] = []
        codes = [self.compile_tree(tree, name, "exec")]
        if last:
            codes.append(self.compile_tree(ast.Interactive(last), name, "single"))
        return codes

    def compile_tree(self, tree, name, mode):
        code = compile(tree, name, mode, self.flags, True)
        for feature in FUTURE:  # `from __future__` holds for later code too
            self.flags |= code.co_flags & feature.compiler_flag
        return code

    def finish(self, function):
        """Runs top-level await. Other tasks run only as long as this does."""
        self.interrupts.pause()  # else a task may be left that nobody ends
        task = self.new_task(function)
        try:
            self.interrupts.resume()
            self.loop.run_until_complete(task)
        except BaseException as error:
            if self.loop.is_running():
                self.loop = None  # interrupted where asyncio isn't ready for it
                raise
            if task.done():
                # Looked at, or asyncio complains that nobody did.
                task.cancelled() or task.exception()
                raise
            task.cancel()
            self.loop.run_until_complete(self.asyncio.wait([task]))
            raise error.with_traceback(self.place_of(task))

    def new_task(self, function):
        if self.asyncio is None:
            import asyncio  # only here: it is large
            self.asyncio = asyncio
        if self.loop is None or self.loop.is_closed():
            self.loop = self.asyncio.new_event_loop()
        self.asyncio.set_event_loop(self.loop)
        return self.loop.create_task(function())

    @staticmethod
    def place_of(task):
        """Where the code awaited when it was cancelled."""
        try:
            task.result()
        except BaseException as error:
            return error.__traceback__

    def report(self, error):
        """Says on stderr what ended the code and gives the exit code."""
        if error is None:
            return 0
        if isinstance(error, SystemExit):
            return self.report_exit(error.code)
        try:
            write_all(2, self.trace(error))
        except BaseException:  # an exception whose text can't be had, say
            write_all(2, type(error).__name__ + "\n")
        return 130 if isinstance(error, KeyboardInterrupt) else 1

    @staticmethod
    def report_exit(code):
        if code is None:
            return 0
        if isinstance(code, int):
            return code & 255
        try:
            write_all(2, str(code) + "\n")
        except BaseException:
            pass
        return 1

    def trace(self, error):
        if isinstance(error, SyntaxError) and error.text is None:
            error.text = linecache.getline(error.filename or "", error.lineno or 0) or None
        place = error.__traceback__
        while place and place.tb_frame.f_globals is not self.main.__dict__:
            place = place.tb_next
        shown = traceback.TracebackException(
            type(error), error, place or error.__traceback__)
        without_driver(shown)
        return "".join(shown.format())


def without_driver(shown):
    shown.stack[:] = [frame for frame in shown.stack if frame.filename != DRIVER]
    if not shown.stack:
        # Else a headline stands above nothing. Which one says so differs.
        shown.stack = shown.exc_traceback = None
    linked = [shown.__cause__, shown.__context__]
    for other in linked + list(getattr(shown, "exceptions", None) or []):
        if other is not None:
            without_driver(other)


def read_requests(fd):
    waiting = b""
    while True:
        waiting += os.read(fd, 65536)
        *lines, waiting = waiting.split(b"\n")
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:
                pass


def main():
    requests = os.open(sys.argv[1], os.O_RDWR)
    holder = os.dup(0)
    private.update((requests, holder))
    os.register_at_fork(after_in_child=close_private)
    repl = Repl()
    os.dup2(repl.null, 0)
    _thread.start_new_thread(exit_with_holder, (holder,))
    # The thread is the driver's own, no reason to warn of forks by the code.
    warnings.filterwarnings("ignore", r"This process \(pid=\d+\) is multi-threaded",
                            DeprecationWarning)
    sys.argv[:] = [""]
    if not sys.flags.isolated and not getattr(sys.flags, "safe_path", False):
        sys.path[0] = ""
    for request in read_requests(requests):
        repl.serve(request)


# From other globals: before 3.10 a call within the same ones goes on with the
# builtins of its caller, here with those that the code may change.
exec("main()", {"main": main})
